"""Room for a reply, read from the numbers in a refusal."""

import pytest

from eibench.core.clients.error_bodies import HttpFailure
from eibench.core.clients.fitting import read_room

CONTEXT = "This model's maximum context length is 8192 tokens."


@pytest.mark.parametrize(
    ("message", "fits"),
    [  # as OpenAI, vLLM, Anthropic, TGI, DeepSeek, Qwen, Groq, SGLang, Gemini and Bedrock say it
        ("max_tokens is too large: 8000. This model supports at most 4096 completion tokens", 4096),
        ("max_tokens=8000 cannot be greater than max_model_len=2048. (parameter=max_tokens)", 2048),
        (f"'max_tokens' is too large: 8000. {CONTEXT} (8000 > 8192 - 2837).", 5355),
        (f"{CONTEXT} However, you requested 10837 tokens (2837 in the messages, 8000 in the "
         "completion).", 5355),
        ("This model's maximum context length is 8,192 tokens, but you requested 10,837.", 5355),
        ("You passed 2837 input tokens and requested 8000 output tokens. However, the model's "
         "context length is only 8192 tokens, resulting in a maximum input length of 192", 5355),
        ("max_tokens: 8000 > 4096, which is the maximum allowed number of output tokens", 4096),
        ("input length and `max_tokens` exceed context limit: 198000 + 8000 > 200000", 2000),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 2837 `inputs` tokens and "
         "8000 `max_new_tokens`", 1259),
        ("`max_new_tokens` must be <= 512. Given: 8000", 512),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 4096),
        ("Range of max_tokens should be [1, 2048]", 2048),
        ("`max_tokens` must be less than or equal to `4096`", 4096),
        ("You requested a total of 10837 tokens: 2837 tokens from the input messages and 8000 "
         f"tokens for the completion. {CONTEXT}", 5355),
        ("maxOutputTokens is 8000 but the supported range is from 1 (inclusive) to 4097 "
         "(exclusive)", 4096),
        ("Try again with a maximum tokens value that is lower than 4096.", 4095),
        ("gpt-4-turbo-2024-04-09 supports 4096 output tokens", 4096),
    ],
)  # fmt: skip
def test_room_in_numbers(message: str, fits: int) -> None:
    """What fits is what the server has, less what the prompt takes where it says that."""
    room = read_room(HttpFailure(400, message), 8000)
    assert room is not None and room.fits == fits


@pytest.mark.parametrize(
    "message",
    [
        "Bad request",
        "temperature must be at most 1",
        "max_tokens is too large",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "your prompt contains at least 2049 input tokens, which exceeds this limit even without "
        "any output tokens",
        "response_format: unknown type, see section 1024",
    ],
)
def test_no_room_in_numbers(message: str) -> None:
    """A message about something else, or without a number that could be it, gives none."""
    assert read_room(HttpFailure(400, message), 8000) is None


def test_the_parameter_says_what_the_number_is_of() -> None:
    """A validator's words name no field; the parameter beside them does."""
    failure = HttpFailure(422, "Input should be less than 4097", parameter="max_tokens")
    room = read_room(failure, 8000)
    assert room is not None and room.fits == 4096
