"""Whether a reply is an answer at all."""

from ..text import is_blank
from ..types import ChatResponse, Finish


def no_answer(response: ChatResponse) -> str | None:
    """Why a reply is no answer; ``None`` for one that there is something to read in.

    What is no answer is unscored, and no judge is asked about it.
    """
    if response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return "the model refused"
    if not is_blank(response.text):
        return None
    if response.finish == Finish.LENGTH:
        return "cut off before the answer began"
    return "nothing came after the thinking" if response.reasoning else "the reply is empty"
