"""Signs of a base model in its replies."""

import pytest

from eibench.core.reading.base_models import base_model_sign

PROMPT = "Read the talk below closely, then rate what Ann feels.\n\nAnn: I am late."


@pytest.mark.parametrize(
    ("reply", "sign"),
    [
        (PROMPT, "repeats the question"),
        ("\n read the talk below, closely then ...", "repeats the question"),
        ("Anger: 5 [/INST] And then", "holds [/INST], a mark of chat templates"),
        ("<|im_start|>user\nWhat?", "holds <|im_start|>, a mark of chat templates"),
        ("<s> Ann", "holds <s>, a mark of chat templates"),
        ("Anger: 5\nShame: 2", None),
        ("Read the talk again: Ann feels late.", None),
        ("An answer with <s>struck</s> words", None),
        ("", None),
    ],
)
def test_what_looks_like_a_base_model(reply: str, sign: str | None) -> None:
    """The prompt's first words again, or marks of templates that no answer holds."""
    assert base_model_sign(PROMPT, reply) == sign


def test_a_prompt_of_few_words() -> None:
    """It is repeated as a whole; one word says nothing; marks of the prompt itself may come."""
    assert base_model_sign("Say OK.", "Say OK. Say OK.") == "repeats the question"
    assert base_model_sign("Say OK.", "Say") is None
    assert base_model_sign("OK?", "OK") is None
    assert base_model_sign("What does [INST] mean?", "[INST] opens a turn.") is None
