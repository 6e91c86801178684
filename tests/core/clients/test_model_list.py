"""What a server says of a model in its own list."""

import json

import pytest

from eibench import ConfigError
from eibench.core.clients.model_list import Listing, entry_of, read_entry, same_model
from eibench.core.parties.providers import ClientConfig, ModelSpec
from eibench.core.run.ownership import Servers
from eibench.core.settings.run_config import Endpoint
from eibench.core.types import JsonDict
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.core.clients.test_http import KEY, serving
from tests.core.conftest import Lab

LIST = json.dumps({"data": [{"id": "m", "root": "weights"}]}).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(LIST), LIST)


@pytest.mark.parametrize(
    ("headers", "sent"),
    [
        ({}, f"Authorization: Bearer {KEY}"),
        ({"authorization": "Basic fake-login"}, "Authorization: Basic fake-login"),
    ],
)
async def test_the_headers_are_those_of_a_chat(headers: dict[str, str], sent: str) -> None:
    """A header of the user's takes the place of the key's."""
    async with serving(ANSWER) as server:
        url = f"http://127.0.0.1:{server.port}/v1"
        config = ClientConfig(ModelSpec("openai", "m"), url, KEY, headers=headers)
        assert await read_entry(config) == {"id": "m", "root": "weights"}
    (head,) = server.heads
    assert head.lower().count("authorization:") == 1 and sent in head


async def test_a_judge_s_missing_key_is_told_with_the_judge_s_option(lab: Lab) -> None:
    """As the model's options have nothing to do with it."""
    judge = Endpoint(ModelSpec("openai", "j"), "http://127.0.0.1:9/v1", "NOT_SET_KEY")
    session = lab.session(judge=judge)
    with pytest.raises(ConfigError, match="NOT_SET_KEY, which --judge-api-key-env names"):
        await Servers.ask(session.task, session)


@pytest.mark.parametrize("odd", ['"a": NaN', '"a": 1e999', '"a": "\\ud800"'])
async def test_what_cannot_be_stored_is_no_entry_and_ends_no_run(odd: str) -> None:
    """A server may say of its model what JSON has no word for."""
    body = b'{"data": [{"id": "m", %s}]}' % odd.encode()
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with serving(head + body) as server:
        url = f"http://127.0.0.1:{server.port}/v1"
        found = await read_entry(ClientConfig(ModelSpec("openai", "m"), url, KEY))
    json.dumps(found, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("owner", "kept"), [("library", {"id": "m", "created": 5}), ("vllm", {"id": "m"})]
)
def test_when_a_model_was_made_is_kept_where_that_is_said(owner: str, kept: JsonDict) -> None:
    """Of Ollama; others give the time of the question, or of their start."""
    entry = {"id": "m", "object": "model", "created": 5, "owned_by": owner}
    assert entry_of({"data": [entry]}, "m") == kept


async def test_a_model_that_was_made_again_is_told(lab: Lab) -> None:
    """The run goes on, as it may be the same; its own entry stays the one that was asked."""
    entry: JsonDict = {"id": "model", "owned_by": "library", "created": 5}
    with LoopbackServer(lambda r: str(r.n), models=[entry]) as server:
        lab.url = server.base_url
        first = await lab.run()
    with LoopbackServer(models=[{**entry, "created": 6}]) as server:
        lab.url = server.base_url
        again = await lab.run()
    told = [line for line in lab.said if "openai/model was pulled or made again at 127" in line]
    assert again["run_id"] == first["run_id"] and len(told) == 1


@pytest.mark.parametrize(
    ("names", "doubtful", "words"),
    [
        (["m"], False, "has 'm'"),
        ([], False, "is empty"),
        (["/models/other.gguf"], False, "has '/models/other.gguf', not 'm'"),
        (["/models/m"], False, "has 'm'"),
        (["m:latest", "b"], False, "has 'm'"),
        (["models/m", "b"], False, "has 'm'"),
        (["a", "b"], True, "has 'a', 'b', not 'm'"),
        (["e", "d", "c", "b", "a"], True, "has 'a', 'b', 'c' and 2 more, not 'm'"),
    ],
)
def test_what_a_server_lists(names: list[str], doubtful: bool, words: str) -> None:
    """Whether the model is there, under a name that servers give it; one alone answers to any."""
    listing = Listing("m", names, None)
    assert listing.is_doubtful == doubtful and str(listing) == f"its list of models {words}"


async def test_a_name_that_is_not_listed_is_told_before_anything_is_asked(lab: Lab) -> None:
    """With the closest; the run goes on, and one that is listed is no news."""
    listed: list[JsonDict] = [{"id": name} for name in ("models", "other", "third")]
    told: list[str] = []

    def answer(request: ReceivedRequest) -> str:
        told.extend(line for line in lab.said if "may not know openai/model" in line)
        return str(request.n)

    with LoopbackServer(answer, models=listed) as server:
        lab.url = server.base_url
        await lab.run()
    assert len(set(told)) == 1 and "'models' is closest" in told[0]
    assert "has 'models', 'other', 'third', not 'model'" in told[0]


def test_room_is_kept_and_makes_no_other_model() -> None:
    """`max_model_len` of vLLM, which may change with the next start of the same model."""
    entry = entry_of({"data": [{"id": "m", "max_model_len": 2048}]}, "m")
    assert entry == {"id": "m", "max_model_len": 2048}
    assert same_model({"id": "m"}, entry) and same_model({**entry, "max_model_len": 8192}, entry)
