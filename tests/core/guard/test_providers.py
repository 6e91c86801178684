"""Faults of providers, engines, sections and commands; numbers as in `test_faults`."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import eibench
from eibench import ChatResponse, ErrorKind, Provider, ProviderError, Usage
from eibench.core.clients.families import kinship
from eibench.core.guard.clients import price_lists
from eibench.core.parties.providers import ModelSpec
from eibench.core.plugins import installed
from eibench.core.spending.book import PriceBook
from eibench.core.spending.prices import Price
from tests.core.guard.conftest import Fine
from tests.core.test_plugins import HEAD, Place, registers


class Toy:
    """A client that gives back, or raises, one thing."""

    def __init__(self, made: Any) -> None:
        self.made = made

    async def complete(self, request: object, call: object) -> Any:
        """The thing."""
        if isinstance(self.made, BaseException):
            raise self.made
        return self.made() if callable(self.made) else self.made

    async def close(self) -> None:
        """Nothing to close."""


def wrong_order() -> None:
    """Raise a provider's error as one who has not read the signature."""
    raise ProviderError("cuda out of memory", ErrorKind.SERVER)  # type: ignore[arg-type]


FAULTS = {
    "40 complete raises": (RuntimeError("cuda out of memory"), "raised RuntimeError: cuda out of"),
    "41 complete returns a text": ("a reply", "returned str, not a ChatResponse"),
    "42 the message before the kind": (
        wrong_order,
        "raised TypeError: ProviderError(kind, message) takes an ErrorKind and a text, not 'cuda "
        "out of memory'",
    ),
    "65 a reply without a text": (
        ChatResponse(None),  # type: ignore[arg-type]
        "returned a ChatResponse with None as text, not a text",
    ),
    "66 a finish that there is not": (
        ChatResponse("x", finish="done"),  # type: ignore[arg-type]
        "with 'done' as finish, not a Finish: stop, length, refusal",
    ),
    "67 usage that is a dict": (
        ChatResponse("x", usage={"input": 3}),  # type: ignore[arg-type]
        "with {'input': 3} as usage, not a Usage with whole numbers",
    ),
    "68 tokens that are a text": (ChatResponse("x", usage=Usage("3")), "with whole numbers"),  # type: ignore[arg-type]
    "69 a cost that is NaN": (
        ChatResponse("x", cost_usd=float("nan")),
        "with nan as cost_usd, not a number of dollars from 0 to 1,000,000,000,000 or None",
    ),
    "a cost that is no sum": (
        ChatResponse("x", cost_usd=1e300),
        "with 1e+300 as cost_usd, not a number of dollars",
    ),
    **{
        f"{name} of {count}": (
            ChatResponse("x", usage=Usage(**{name: count})),
            "as usage, not a Usage with whole numbers from 0 to 9,007,199,254,740,992",
        )
        for name, count in (
            ("input", -1),
            ("cached", -1),
            ("cache_write", -5),
            ("output", -1),
            ("reasoning", -1),
            ("cache_write", 10**30),
            ("reasoning", True),
        )
    },
    **{
        f"{name} that is a number": (
            ChatResponse("x", **{name: 7}),  # type: ignore[arg-type]
            f"returned a ChatResponse with 7 as {name}, not a text or None",
        )
        for name in ("finish_raw", "model", "fingerprint", "request_id", "price_source")
    },
    "sent that is a text": (
        ChatResponse("x", sent="t=1"),  # type: ignore[arg-type]
        "with 't=1' as sent, not a mapping whose keys are texts",
    ),
    "sent that JSON cannot hold": (
        ChatResponse("x", sent={"stop": {"a", "b"}}),  # type: ignore[dict-item]
        "returned what JSON cannot hold as sent",
    ),
    "sent that is not finite": (
        ChatResponse("x", sent={"temperature": float("nan")}),
        "returned what JSON cannot hold as sent",
    ),
}


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch, empty_place: Path) -> SimpleNamespace:
    """A provider ``python`` whose client gives back, or raises, `made`."""
    state = SimpleNamespace(made=None)
    provider = Provider("python", "a function", lambda config: Toy(state.made))
    monkeypatch.setitem(installed().providers.things, "python", provider)
    monkeypatch.setitem(installed().providers.origins, "python", "eibench-python 0.1.0")
    (empty_place / "data.txt").write_text("data")
    return state


@pytest.mark.parametrize(("made", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_provider_is_told_with_the_model(
    python: SimpleNamespace, made: Any, message: str
) -> None:
    """The model's spec is named, and the benchmark is not blamed."""
    python.made = made
    result = eibench.run(Fine(), model="python/toys:boom", dataset="data.txt")
    (reason,) = {failed["reason"] for failed in result.document["failed"]}
    assert reason.startswith("python/toys:boom ")
    assert message in reason


def test_of_a_group_of_errors_ours_counts(python: SimpleNamespace) -> None:
    """It says what is to be done, wherever in the group it stands."""
    ours = ExceptionGroup("h", [ProviderError(ErrorKind.INVALID_REQUEST, "it will not")])
    python.made = ExceptionGroup("g", [ValueError("another"), ours])
    result = eibench.run(Fine(), model="python/toys:boom", dataset="data.txt")
    assert {failed["reason"] for failed in result.document["failed"]} == {
        "python/toys:boom: it will not"
    }


def test_a_provider_that_cannot_make_a_client_is_named(
    python: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """72: `create` raises, or returns what has no `complete`."""
    for create, message in (
        (lambda config: 1 / 0, "raised ZeroDivisionError"),
        (str, "no complete"),
    ):
        broken = Provider("python", "a function", create)  # type: ignore[arg-type]
        monkeypatch.setitem(installed().providers.things, "python", broken)
        with pytest.raises(eibench.PluginError, match=f"create of python .*{message}"):
            eibench.run(Fine(), model="python/toys:boom", dataset="data.txt")


def test_a_client_that_cannot_be_closed_costs_no_result(
    python: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """73: it is told, and the result is there."""

    async def close(self: object) -> None:
        raise OSError("stuck")

    monkeypatch.setattr(Toy, "close", close)
    python.made = ChatResponse("calm glad")
    result = eibench.run(Fine(), model="python/toys:say", dataset="data.txt")
    assert result.complete
    assert "close of python/toys:say raised OSError: stuck" in caplog.text


def test_a_provider_of_this_process_is_free(python: SimpleNamespace) -> None:
    """Nothing leaves the process: it costs $0, and a spending limit is no contradiction."""
    python.made = ChatResponse("calm glad")
    result = eibench.run(Fine(), model="python/toys:say", dataset="data.txt", max_cost=1)
    assert (result.cost_usd, result.complete) == (0.0, True)


@pytest.mark.parametrize(
    ("host", "key_env"), [("api.example", None), (None, "EXAMPLE_KEY"), ("", None)]
)
def test_a_provider_that_has_a_host_or_a_key_is_not_taken_for_free(
    host: str | None, key_env: str | None
) -> None:
    """Only one that says that nothing leaves this process is."""
    provider = Provider("far", "a server", lambda config: Toy(None), host, key_env)
    book = PriceBook.of([provider], {})
    assert book.find(ModelSpec("far", "model"), None) is None


def test_a_local_provider_asked_elsewhere_is_not_taken_for_free() -> None:
    """With an address of its own, something leaves this process."""
    book = PriceBook.of([Provider("near", "a function", lambda config: Toy(None))], {})
    assert book.find(ModelSpec("near", "m"), "https://api.example/v1") is None


def test_litellm_is_not_taken_for_free() -> None:
    """It has no host of its own, and asks the hosts of others."""
    book = PriceBook.of(installed().providers, {})
    assert book.find(ModelSpec("litellm", "nobody/knows-this"), None) is None


def _listing(price: Any) -> PriceBook:
    def list_price(spec: ModelSpec) -> Any:
        if isinstance(price, Exception):
            raise price
        return price

    provider = Provider("far", "a server", lambda config: Toy(None), "", list_price=list_price)
    return PriceBook.of([provider], {}, price_lists([provider]))


def test_what_a_provider_lists_is_a_models_price() -> None:
    """Where nothing that comes before has one."""
    price = Price(1.0, 2.0, source="a list")
    assert _listing(price).find(ModelSpec("far", "model"), None) is price
    assert _listing(None).find(ModelSpec("far", "model"), None) is None


@pytest.mark.parametrize(
    ("price", "message"), [((1, 2), "returned tuple, which is no"), (KeyError("x"), "KeyError")]
)
def test_a_price_that_is_none_is_told_with_the_provider(price: Any, message: str) -> None:
    """It never counts as unknown in silence."""
    with pytest.raises(eibench.PluginError, match=f"list_price of far .*{message}"):
        _listing(price).find(ModelSpec("far", "model"), None)


def test_functions_of_one_module_are_not_kin() -> None:
    """The prefix of a function's name is a module, and no family of models."""
    parse = ModelSpec.parse
    assert kinship(parse("python/toys:duo"), parse("python/toys:judge")) is None
    assert kinship(parse("openai/qwen3:8b"), parse("openai/qwen3:32b")) is not None
    assert kinship(parse("ollama/qwen3:8b"), parse("ollama/qwen3:32b")) is not None
    assert kinship(parse("python/toys:llama_a"), parse("python/toys:llama_b")) is not None


def test_a_command_that_raises_is_named(tmp_path: Path) -> None:
    """74: with its distribution, and without a traceback."""
    place = Place(tmp_path)
    crash = "@click.command()\ndef crash():\n    1 / 0\n"
    place.install("crashing", HEAD + crash + registers("commands", "crash"))
    done = place.bench("crash")
    message = (
        "Error: command of crash (crashing-dist 1.2) raised ZeroDivisionError: division by zero "
        "(crashing.py:5)"
    )
    assert (done.returncode, done.stderr) == (3, f"{message}\n")


ENGINE = """
class E:
    name, title = "coin", "tosses a coin"
    def rate(self, comparisons, settings):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("1 / 0", "raised ZeroDivisionError: division by zero"),
        ("return {}", "returned dict, not eibench.Ratings"),
        (
            "return eibench.Ratings('coin', tuple(eibench.ModelRating('x', 1.0, None, None,"
            " 1, None, None, 1) for _ in comparisons.models))",
            "rated ['x', 'x'], not each of ['x', 'y'] at most once",
        ),
        (
            "return eibench.Ratings('coin', tuple(eibench.ModelRating(m, float('nan'), None, None,"
            " 1, None, None, 1) for m in comparisons.models))",
            "returned nan as the rating of 'x'",
        ),
        (
            "return eibench.Ratings('coin', tuple(eibench.ModelRating(m, 1.0, None, (2.0, 1.0),"
            " 1, None, None, 1) for m in comparisons.models))",
            "returned (2.0, 1.0) as the interval of 'x'",
        ),
    ],
)
def test_an_engine_s_fault_is_told_with_its_name(tmp_path: Path, body: str, message: str) -> None:
    """75-79: what it raises, and what it returns that are no ratings of these models."""
    place = Place(tmp_path)
    place.install("coins", HEAD + ENGINE.format(body=body) + registers("rating_engines", "E()"))
    margins = {"item": "1", "a": "x", "b": "y", "first": "a", "margins": {"c": 1}}
    (tmp_path / "comparisons.jsonl").write_text(json.dumps(margins))
    done = place.bench("rate", "comparisons.jsonl", "--engine", "coin")
    assert done.returncode == 3
    assert f"Error: rate of coin (coins-dist 1.2) {message}" in done.stderr
