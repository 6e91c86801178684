"""A reply that OpenAI's client makes up, so that litellm's first real call finds all imported."""

from collections.abc import Awaitable, Callable

NOWHERE = "http://nowhere.invalid"
"""Where nothing is sent."""
_REPLY = {
    "id": "rehearsal",
    "object": "chat.completion",
    "created": 0,
    "model": "rehearsal",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "OK"}}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


async def rehearse_openai(rehearse: Callable[..., Awaitable[object]]) -> None:
    """Ask through a client of OpenAI's whose connections end in this process."""
    import httpx
    import openai

    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=_REPLY))
    async with (
        httpx.AsyncClient(transport=transport) as connections,
        openai.AsyncOpenAI(
            api_key="no-key", base_url=NOWHERE, max_retries=0, http_client=connections
        ) as client,
    ):
        await rehearse("openai/rehearsal", client=client)
