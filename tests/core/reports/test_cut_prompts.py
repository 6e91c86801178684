"""A server that cuts prompts in silence: told during the run, in the result, and on the samples."""

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from eibench.core.parties.party import Party
from eibench.core.reading.cut_prompts import (
    CutPrompts,
    PromptCount,
    PromptsBefore,
    doubtful_in,
    find_cut,
)
from eibench.core.reading.prompt_tokens import least_tokens
from eibench.core.sample.prompts import told_cut
from eibench.core.types import Message
from eibench.testing import Answer, LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
Counting = Callable[[str], int]
FLAG = "prompt cut by the server"
LIMIT = 2048
HAN = re.compile(r"[\u4e00-\u9fff]")


def words_of(request: ReceivedRequest) -> str:
    """All the text of a request."""
    return "\n\n".join(str(message["content"]) for message in request.messages)


def honest(text: str) -> int:
    """As a usual tokenizer counts: English, German and Chinese."""
    return int(len(text.split()) * 1.3 + len(HAN.findall(text)) * 0.7) + 8


def cutting(text: str) -> int:
    """What is left of a prompt that is cut."""
    return min(honest(text), LIMIT)


def dropping(text: str) -> int:
    """Where the oldest messages go until the others fit, as Ollama does."""
    parts = text.split("\n\n")
    while len(parts) > 1 and honest("\n\n".join(parts)) > LIMIT:
        parts.pop(0)
    return min(honest("\n\n".join(parts)), LIMIT)


def chapter(n: int, words: int = 300) -> str:
    """A text of its own."""
    return " ".join(f"w{n}x{k}" if k % 7 == 0 else "then they went on" for k in range(words // 4))


def server(counting: Counting, cached: int = 0) -> LoopbackServer:
    """One whose every reply is a long text of its own, and that counts the prompt as it likes."""

    def respond(request: ReceivedRequest) -> Answer:
        taken = counting(words_of(request))
        return Answer(chapter(request.n), input_tokens=taken, cached_tokens=cached)

    return LoopbackServer(respond)


def run(invoke: Bench, counting: Counting, *words: object) -> Any:
    """A whole run of a benchmark, model and judge on one server."""
    with server(counting) as here:
        url = here.base_url
        asked = ("--model", "openai/m", "--base-url", url, "--concurrency", 4, "--json")
        judged = ("--judge", "openai/j", "--judge-base-url", url)
        return invoke("run", *words, *asked, *judged, "--keep-going")


def told(warnings: list[str]) -> list[str]:
    """Those about cut prompts."""
    return [line for line in warnings if "cut prompts" in line]


@pytest.mark.parametrize("counting", [cutting, dropping])
def test_a_cut_talk_is_told_while_it_goes_on_and_in_the_result(
    invoke: Bench, counting: Counting
) -> None:
    """For the model and the judge, once each; and no number is changed by it."""
    words = ("longform-writing", "--dataset", "bundled", "--limit", 3)
    done = run(invoke, counting, *words)
    lines = told(done.err.splitlines())
    assert [("of the model openai/m" in s, "of the judge openai/j" in s) for s in lines] == [
        (True, False),
        (False, True),
    ]
    of_model, *_ = told(done.json["warnings"])
    number = r"counted ([\d,]+) input tokens where the text has about ([\d,]+) \(\d+ prompts\)"
    counted, needed = (
        int(n.replace(",", ""))
        for n in re.search(number, of_model).groups()  # type: ignore[union-attr]
    )
    assert counted <= LIMIT < needed
    assert "OLLAMA_CONTEXT_LENGTH=" in of_model
    assert done.json["flags"][FLAG] == 3


def test_it_is_the_same_when_the_run_is_read_again(invoke: Bench) -> None:
    """From the journal, without a call."""
    words = ("longform-writing", "--dataset", "bundled", "--limit", 3)
    first = run(invoke, cutting, *words)
    again = run(invoke, honest, *words)
    assert again.json["calls"]["replayed"] == sum(
        first.json["calls"][of] for of in ("model", "judge")
    )
    assert told(again.json["warnings"]) == told(first.json["warnings"]) != []
    assert again.json["flags"] == first.json["flags"]
    assert told(again.err.splitlines()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("longform-writing", "--dataset", "bundled", "--limit", 2),
        ("eqbench3", "--dataset", "bundled", "--limit", 6, "--no-elo"),
    ],
)
@pytest.mark.parametrize(
    "counting",
    [honest, lambda text: len(text) // 4, lambda text: 0, lambda text: 7, lambda text: 4096],
    ids=["honest", "characters", "none", "few", "always the same"],
)
def test_a_server_that_takes_all_is_not_accused(
    invoke: Bench, counting: Counting, words: tuple[object, ...]
) -> None:
    """Nor one that counts roughly, or not at all."""
    done = run(invoke, counting, *words)
    assert told(done.json["warnings"]) == told(done.err.splitlines()) == []
    assert FLAG not in done.json["flags"]


class NewOnly:
    """Counts what a prompt adds to those before it, as servers that leave out their cache do."""

    def __init__(self, block: int = 1) -> None:
        self._before: list[str] = []
        self._block = block

    def __call__(self, text: str) -> int:
        """The tokens of what is new."""
        shared = max((_shared(text, other) for other in self._before), default=0)
        self._before.append(text)
        return honest(text[shared - shared % self._block :])


def _shared(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


@pytest.mark.parametrize("block", [1, 256])
@pytest.mark.parametrize(
    "words",
    [
        ("longform-writing", "--dataset", "bundled", "--limit", 2),
        ("eqbench3", "--dataset", "bundled", "--limit", 8, "--no-elo"),
    ],
)
def test_a_server_that_counts_only_what_is_new_is_not_accused(
    invoke: Bench, block: int, words: tuple[object, ...]
) -> None:
    """Its counts fall and are far too small, but what a prompt adds explains them."""
    done = run(invoke, NewOnly(block), *words)
    assert told(done.json["warnings"]) == told(done.err.splitlines()) == []


# The rules themselves


def talk(counts: list[int], words: int = 300, **changes: Any) -> list[PromptCount]:
    """A talk whose turns are so long, with what the server counted for each."""
    numbers, messages, prompts = count(), list[Message](), list[PromptCount]()
    for counted in counts:
        messages.append(Message("user", chapter(next(numbers), words)))
        fields = {"cached": 0, "attempts": 1, "model": "m", **changes}
        prompts.append(PromptCount("1", 1, len(prompts), tuple(messages), counted, **fields))
        messages.append(Message("assistant", chapter(next(numbers), words)))
    return prompts


def cut(prompts: list[PromptCount]) -> int:
    """How many of a talk's prompts are taken as cut."""
    found = find_cut(list(doubtful_in(prompts)), PromptsBefore(prompts))
    return found.prompts if found else 0


@pytest.mark.parametrize(
    ("counts", "changes", "expected"),
    [
        ([400, 1200, 2000, 2800], {}, 0),
        ([400, 1200, 2000, 1500], {}, 1),
        ([400, 1200, 2000, 2000], {}, 1),
        ([400, 1200, 2000, 1000], {}, 0),  # which may be what the last turn adds
        ([400, 1200, 1999, 2000, 2000], {}, 1),
        ([400, 1200, 2000, 1900], {"attempts": 2}, 0),  # two requests may be counted together
        ([400, 1200, 2000, 1900], {"cached": 600}, 0),  # beside those counted
        ([400, 450, 460, 440], {}, 0),  # only what each turn adds
        ([0, 0, 0, 0], {}, 0),
    ],
)
def test_counts_that_do_not_grow_with_a_talk(
    counts: list[int], changes: dict[str, Any], expected: int
) -> None:
    """They prove a cut, unless a cache, a second request or nothing at all explains them."""
    assert cut(talk(counts, **changes)) == expected


def test_another_model_counts_otherwise() -> None:
    """A broker may ask another one for the next turn, whose tokenizer is another."""
    prompts = talk([400, 1200, 2000, 1900])
    prompts[-1] = prompts[-1]._replace(model="another")
    assert cut(prompts) == 0


def alone(counts: dict[int, int]) -> Iterator[PromptCount]:
    """Prompts of several items, by their words, that begin alike, each counted as told."""
    begin = chapter(0, 400)
    for n, (words, counted) in enumerate(counts.items()):
        text = f"{begin} {chapter(n + 1, words)}"
        yield PromptCount(str(n), 1, n, (Message("user", text),), counted, 0, 1, "m")


def test_prompts_of_one_turn_that_lose_most_are_found() -> None:
    """The short ones are whole; the long ones cannot have so few tokens."""
    prompts = list(alone({100: 650, 200: 780, 3000: 2048, 4000: 2048, 5000: 2048}))
    found = find_cut([d for p in prompts for d in doubtful_in([p])], PromptsBefore(prompts))
    assert found is not None and found.samples == {("2", 1), ("3", 1), ("4", 1)}
    assert found.counted == 2048 and found.needed > least_tokens(prompts[-1].text) > 2048


def test_what_their_beginning_has_in_common_may_be_cached() -> None:
    """Then each counts about what it has of its own."""
    prompts = list(alone({100: 650, 300: 400, 310: 410, 320: 405, 330: 440}))
    doubtful = [d for p in prompts for d in doubtful_in([p])]
    assert len(doubtful) >= 3
    assert find_cut(doubtful, PromptsBefore(prompts)) is None


def test_a_role_is_named(invoke: Bench) -> None:
    """Its prompts are looked at as the model's are; demo models count nothing."""
    asked = ("--model", "demo/medium", "--role", "disputants=openai/p", "--judge", "demo/judge")
    with server(lambda text: honest(text) // 3) as here:
        url = f"disputants={here.base_url}"
        run = ("run", "mediation-live", "--dataset", "bundled", "--limit", 1, "--keep-going")
        done = invoke(*run, *asked, "--role-base-url", url, "--json")
    (line,) = told(done.json["warnings"])
    assert "cut prompts of the role disputants openai/p in silence" in line


@pytest.mark.parametrize(
    ("address", "cause"),
    [
        ("http://127.0.0.1:11434/v1", "set OLLAMA_CONTEXT_LENGTH=8192"),
        ("http://gpu.local:1234/v1", "LM Studio"),
        ("https://openrouter.ai/api/v1", "middle-out"),
        ("http://127.0.0.1:8000/v1", "OLLAMA_CONTEXT_LENGTH=8192"),
        ("", "OLLAMA_CONTEXT_LENGTH=8192"),
    ],
)
def test_the_cause_is_that_of_the_server(address: str, cause: str) -> None:
    """By its address; the context that helps has room for the reply."""
    lost = CutPrompts(frozenset({("1", 1)}), 1, 2050, 4770, address)
    assert cause in told_cut("generate", Party.of("openai/m"), lost)
