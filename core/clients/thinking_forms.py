"""The marks that models put around their thinking, as far as they are documented."""

import re
from typing import NamedTuple


class ThinkingForm(NamedTuple):
    """Marks around thinking.

    Attributes:
        opening, closing: Regular expressions; case counts in neither.
        shown: The marks as they are written, for people.
        whose: Models, or programs, that write them.
        source: Where that is documented.
        alone: Whether the closing mark tells of thinking where no opening one came before.
        must_close: The opening mark tells of thinking only together with the other.
        around: What the answer may stand between: regular expressions too.
    """

    opening: str
    closing: str
    shown: str
    whose: str
    source: str
    alone: bool = True
    must_close: bool = False
    around: tuple[str, str] | None = None


_VLLM = "docs.vllm.ai/en/latest/features/reasoning_outputs"
_VLLM_CODE = "github.com/vllm-project/vllm/tree/main/vllm/reasoning"
_SGLANG = "docs.sglang.io/docs/advanced_features/separate_reasoning"
_SGLANG_CODE = "github.com/sgl-project/sglang, python/sglang/srt/parser/reasoning_parser.py"
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


def _tag(name: str, whose: str, source: str) -> ThinkingForm:
    """A pair of tags; around the answer there may be another pair."""
    written = re.escape(name)
    shown = f"<{name}>...</{name}>"
    return ThinkingForm(f"<{written}>", f"</{written}>", shown, whose, source, around=_IN_TAGS)


def _pair(opening: str, closing: str, whose: str, source: str, **more: object) -> ThinkingForm:
    """Marks that are always written alike."""
    shown = f"{opening}...{closing}"
    return ThinkingForm(re.escape(opening), re.escape(closing), shown, whose, source, **more)  # type: ignore[arg-type]


FORMS: tuple[ThinkingForm, ...] = (
    _tag(
        "think",
        "DeepSeek, Qwen, GLM, Kimi K2, MiniMax M2, Nemotron, OLMo, Phi-4-reasoning, Step, ERNIE, "
        "EXAONE 4, Hunyuan and most others",
        _VLLM,
    ),
    _tag("thinking", "models that are prompted, or tuned, to think in it", _VLLM),
    _tag("reasoning", "the same", "docs.mistral.ai/capabilities/reasoning"),
    _tag("thought", "EXAONE Deep, Marco-o1, Gemini's OpenAI-compatible API",
         "ai.google.dev/gemini-api/docs/openai"),
    _tag("seed:think", "Seed-OSS", _VLLM),
    _tag("mm:think", "MiniMax M3", _SGLANG_CODE),
    _tag("longcat_think", "LongCat", _VLLM_CODE),
    _tag("ifm|think", "K2 Horizon", _VLLM_CODE),
    _tag("ifm|think_fast", "K2 Horizon", _VLLM_CODE),
    _tag("ifm|think_faster", "K2 Horizon", _VLLM_CODE),
    _pair("[THINK]", "[/THINK]", "Mistral (Magistral, Ministral 3, Small 4)",
          "docs.mistral.ai/capabilities/reasoning"),
    _pair("<|START_THINKING|>", "<|END_THINKING|>", "Cohere Command A", _VLLM, around=_COHERE),
    ThinkingForm(r"<\|channel>(?:thought\n?)?", r"<channel\|>", "<|channel>thought...<channel|>",
         "Gemma 4", _VLLM),
    ThinkingForm(r"<unused94>(?:thought\n?)?", r"<unused95>", "<unused94>thought...<unused95>",
         "MedGemma 1.5", "huggingface.co/google/medgemma-1.5-4b-it"),
    _pair("◁think▷", "◁/think▷", "Kimi-VL", _SGLANG),
    _pair("<|open|>think<|sep|>", "<|close|>think<|sep|>", "Kimi K3", _SGLANG_CODE,
          around=_KIMI_K3),
    _pair("<|inner_prefix|>", "<|inner_suffix|>", "Apertus", _SGLANG_CODE),
    _pair("<|think:start|>", "<|think:end|>", "Solar Open 2", _VLLM_CODE),
    ThinkingForm(r"(?:<\|begin\|>assistant)?<\|think\|>", r"<\|end\|>", "<|think|>...<|end|>",
         "Solar Open", "huggingface.co/upstage/Solar-Open-100B", alone=False, around=_SOLAR),
    _pair("<|begin_of_thought|>", "<|end_of_thought|>", "Sky-T1, OpenThinker, Bespoke-Stratos",
          "huggingface.co/NovaSky-AI/Sky-T1-32B-Preview", around=_SKY),
    ThinkingForm(r"(?:<\|message_model\|>)?<\|content_thinking\|>", r"<\|end_message\|>",
         "<|content_thinking|>...<|end_message|>", "Inkling", _SGLANG_CODE, alone=False,
         around=_INKLING),
    ThinkingForm(r"(?:<\|start\|>\s*assistant)? ?to=self<\|message\|>", r"<\|eo[mt]\|>",
         "to=self<|message|>...<|eom|>", "Muse Glimmer", _VLLM_CODE, alone=False, around=_MUSE),
    ThinkingForm(r"/think\n", r"<\|im_end\|>\n<\|im_start\|>assistant\n?",
         "/think...<|im_end|><|im_start|>assistant", "HyperCLOVA X SEED Think", _VLLM_CODE,
         alone=False, must_close=True),
    _pair("[unused16]", "[unused17]", "openPangu", _VLLM_CODE),
    ThinkingForm(r'<details type="reasoning"[^>]{0,200}>', r"</details>",
         '<details type="reasoning">...</details>', "Open WebUI, of any model",
         "docs.openwebui.com", alone=False, must_close=True),
    _pair("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", "Apriel",
          "huggingface.co/ServiceNow-AI/Apriel-1.5-15b-Thinker", must_close=True, around=_APRIEL),
    ThinkingForm(r"Here(?:'s| is) my thought process:", r"Here(?:'s| is) my response:",
         "Here is my thought process:...Here is my response:", "Granite 3.2", _VLLM, alone=False,
         must_close=True),
)  # fmt: skip
"""All but OpenAI's harmony, which has channels instead; the first that fits counts."""
