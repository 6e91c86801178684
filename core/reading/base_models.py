"""Signs of a base model behind a chat endpoint: it goes on with the prompt, and answers nothing.

Servers give such a model a made-up chat form, and answer 200.
"""

import re

ASK_BASE_MODEL = "a base model? --completions asks it without a chat form"
"""What to do about one."""
_MARKS = (
    "[INST]", "[/INST]", "<<SYS>>", "<|im_start|>", "<|start_header_id|>", "<start_of_turn>",
    "<|user|>", "<|assistant|>", "<|begin_of_text|>",
)  # fmt: skip
"""How chat templates mark turns; no reply to a prompt without them holds one."""
_AT_THE_START = ("<s>", "</s>")
_LIKE_THE_PROMPT = 6
"""So many words that reply and prompt begin with are no accident; of a short prompt, all."""
_WORD = re.compile(r"\w+")


def base_model_sign(prompt: str, reply: str) -> str | None:
    """What in a reply looks like a base model's, in words that follow "it"; ``None`` for nothing.

    Args:
        prompt: The last message that was sent.
        reply: What came, without its thinking.
    """
    text = reply.strip()
    mark = next((one for one in _MARKS if one in text and one not in prompt), None)
    mark = mark or next((one for one in _AT_THE_START if text.startswith(one)), None)
    if mark:
        return f"holds {mark}, a mark of chat templates"
    return "repeats the question" if _repeats(prompt, text) else None


def _repeats(prompt: str, reply: str) -> bool:
    """Whether a reply begins with the prompt's own first words."""
    asked = [word.lower() for word in _WORD.findall(prompt)[:_LIKE_THE_PROMPT]]
    replied = [word.lower() for word in _WORD.findall(reply)[: len(asked)]]
    return len(asked) > 1 and asked == replied
