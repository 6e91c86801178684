"""The marks that models put around their thinking; docs/providers.md has the source of each."""

import re
from typing import NamedTuple


class ThinkingForm(NamedTuple):
    """Marks around thinking.

    Attributes:
        opening, closing: Regular expressions; case counts in neither.
        shown: The marks as they are written, for people.
        whose: Models, or programs, that write them.
        alone: Whether the closing mark tells of thinking where no opening one came before.
        must_close: The opening mark tells of thinking only together with the other.
        around: What the answer may stand between: regular expressions too.
    """

    opening: str
    closing: str
    shown: str
    whose: str
    alone: bool = True
    must_close: bool = False
    around: tuple[str, str] | None = None


_IN_TAGS = (r"<(?:answer|response|output)>\s*?\n", r"\n\s*</(?:answer|response|output)>")
_COHERE = (r"<\|START_(?:RESPONSE|TEXT)\|>", r"<\|END_(?:RESPONSE|TEXT)\|>")
_KIMI_K3 = (
    r"<\|open\|>response<\|sep\|>",
    r"<\|close\|>response<\|sep\|>(?:<\|close\|>message<\|sep\|>)?(?:<\|end_of_msg\|>)?",
)
_SKY = (r"<\|begin_of_solution\|>", r"<\|end_of_solution\|>")
_SOLAR = (r"(?:<\|begin\|>assistant)?<\|content\|>", r"<\|end\|>")
_INKLING = (
    r"(?:<\|message_model\|>)?<\|content_text\|>",
    r"<\|end_message\|>(?:\s*<\|content_model_end_sampling\|>)?",
)
_MUSE = (r"(?:<\|start\|>\s*assistant)? ?(?:to=user)?<\|message\|>", r"<\|eo[mt]\|>")
_APRIEL = ("", r"\[END FINAL RESPONSE\](?:\s*<\|end\|>)?")


def _tag(name: str, whose: str) -> ThinkingForm:
    """A pair of tags; around the answer there may be another pair."""
    written = re.escape(name)
    shown = f"<{name}>...</{name}>"
    return ThinkingForm(f"<{written}>", f"</{written}>", shown, whose, around=_IN_TAGS)


def _pair(opening: str, closing: str, whose: str, **more: object) -> ThinkingForm:
    """Marks that are always written alike."""
    shown = f"{opening}...{closing}"
    return ThinkingForm(re.escape(opening), re.escape(closing), shown, whose, **more)  # type: ignore[arg-type]


FORMS: tuple[ThinkingForm, ...] = (
    _tag(
        "think",
        "DeepSeek, Qwen, GLM, Kimi K2, MiniMax M2, Nemotron, OLMo, Phi-4-reasoning, Step, ERNIE, "
        "EXAONE 4, Hunyuan and most others",
    ),
    _tag("thinking", "models that are prompted, or tuned, to think in it"),
    _tag("reasoning", "the same"),
    _tag("thought", "EXAONE Deep, Marco-o1, Gemini's OpenAI-compatible API"),
    _tag("seed:think", "Seed-OSS"),
    _tag("mm:think", "MiniMax M3"),
    _tag("longcat_think", "LongCat"),
    _tag("ifm|think", "K2 Horizon"),
    _tag("ifm|think_fast", "K2 Horizon"),
    _tag("ifm|think_faster", "K2 Horizon"),
    _pair("[THINK]", "[/THINK]", "Mistral (Magistral, Ministral 3, Small 4)"),
    _pair("<|START_THINKING|>", "<|END_THINKING|>", "Cohere Command A", around=_COHERE),
    ThinkingForm(r"<\|channel>(?:thought\n?)?", r"<channel\|>", "<|channel>thought...<channel|>",
         "Gemma 4"),
    ThinkingForm(r"<unused94>(?:thought\n?)?", r"<unused95>", "<unused94>thought...<unused95>",
         "MedGemma 1.5"),
    _pair("◁think▷", "◁/think▷", "Kimi-VL"),
    _pair("<|open|>think<|sep|>", "<|close|>think<|sep|>", "Kimi K3", around=_KIMI_K3),
    _pair("<|inner_prefix|>", "<|inner_suffix|>", "Apertus"),
    _pair("<|think:start|>", "<|think:end|>", "Solar Open 2"),
    ThinkingForm(r"(?:<\|begin\|>assistant)?<\|think\|>", r"<\|end\|>", "<|think|>...<|end|>",
         "Solar Open", alone=False, around=_SOLAR),
    _pair("<|begin_of_thought|>", "<|end_of_thought|>", "Sky-T1, OpenThinker, Bespoke-Stratos",
          around=_SKY),
    ThinkingForm(r"(?:<\|message_model\|>)?<\|content_thinking\|>", r"<\|end_message\|>",
         "<|content_thinking|>...<|end_message|>", "Inkling", alone=False, around=_INKLING),
    ThinkingForm(r"(?:<\|start\|>\s*assistant)? ?to=self<\|message\|>", r"<\|eo[mt]\|>",
         "to=self<|message|>...<|eom|>", "Muse Glimmer", alone=False, around=_MUSE),
    ThinkingForm(r"/think\n", r"<\|im_end\|>\n<\|im_start\|>assistant\n?",
         "/think...<|im_end|><|im_start|>assistant", "HyperCLOVA X SEED Think", alone=False,
         must_close=True),
    _pair("[unused16]", "[unused17]", "openPangu"),
    ThinkingForm(r'<details type="reasoning"[^>]{0,200}>', r"</details>",
         '<details type="reasoning">...</details>', "Open WebUI, of any model", alone=False,
         must_close=True),
    _pair("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", "Apriel", must_close=True,
          around=_APRIEL),
    ThinkingForm(r"Here(?:'s| is) my thought process:", r"Here(?:'s| is) my response:",
         "Here is my thought process:...Here is my response:", "Granite 3.2", alone=False,
         must_close=True),
)  # fmt: skip
"""All but OpenAI's harmony, which has channels instead; the first that fits counts."""
