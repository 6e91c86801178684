"""What the page of a benchmark says of its requests is what a server receives.

Each page has a table whose heading begins with the benchmark's name; docs/runs.md says what its
columns are. All of it is read from the page, so that page, code and requests cannot part.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import eibench
from eibench import Benchmark, ChatRequest, Item, Message, find_pack
from eibench.core.plugins import installed
from eibench.testing import Answer, LoopbackServer, ReceivedRequest

DOCS = Path(eibench.__file__).resolve().parents[2] / "docs"
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
PROMPTINGS = ("direct", "zero-shot", "zero-shot-steps", "two-shot", "two-shot-steps")
CASES = [(name, "bundled") for name in sorted(installed().benchmarks.things) if name != "seceu"]
CASES += [("seceu", prompting) for prompting in PROMPTINGS]
FETCHED = ["creative-writing-v3", "emobench", "eqbench-v1", "eqbench-v2", "eqbench3",
           "longform-writing"]  # fmt: skip
CASES += [(name, "official") for name in FETCHED if OFFICIAL]
"""Benchmarks, each with the pack or the option of which rows of its table speak."""
ALL = {"diplobench": ("--max-years", "1", "--keep-going")}
"""Options of all runs: of a game, one year in which everybody holds, as no order can be read."""
UNREAD = {
    "confidant": ("--exchanges", "2"),
    "diplobench": ("--rounds", "0"),
    "emobench": ("--shuffles", "1"),  # two orders may be the same
    "eqbench-v1": ("--parser", "reference"),  # strict stops earlier
    "eqbench-v2": ("--parser", "reference"),
    "judge-exam": ("--keep-going",),
    "mediation-live": ("--exchanges", "2"),
    "spiral-bench": ("--turns", "5"),
}
"""Options of the runs in which nothing can be read."""
LONG = 21_000
"""Signs of a reply that nobody can use; no limit is that large."""
UNIQUE = 0x2200
"""From here on there are a thousand signs, none of which is part of a word."""
AGAIN = re.compile(r"\n\n(?:An earlier reply|Two earlier replies) to this could not be .*", re.S)
COLUMNS = ("temperature", "further", "tokens", "calls", "asked again", "shown")


class Kind(NamedTuple):
    """Requests of one kind: whom they ask, and how."""

    who: str
    temperature: str
    further: str


class Asked(NamedTuple):
    """A row of the table, as the page has it."""

    who: str
    temperature: str
    further: str
    tokens: str
    calls: str
    again: str
    shown: str


def stated(name: str, case: str) -> list[Asked]:
    """The rows of a benchmark's table, but for those that speak of other cases."""
    table = re.compile(rf"^(\| {name} \|.*)\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)
    ((heading, rows),) = [m for page in DOCS.glob("*.md") for m in table.findall(page.read_text())]
    columns = _cells(heading)[1:]
    assert {*columns} <= {*COLUMNS}
    kept = list[Asked]()
    for who, *cells in map(_cells, rows.splitlines()):
        party, *words = re.findall(r"[\w-]+", who)
        values = dict(zip(columns, map(_without_words, cells), strict=True))
        if case in words or not {*words} & {"official", "bundled", *PROMPTINGS}:
            kept.append(Asked(party, *(values.get(column, "") for column in COLUMNS)))
    return sorted(kept)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _without_words(cell: str) -> str:
    """A cell without what brackets and the words behind a number explain."""
    return re.sub(r" \(.*?\)|(?<=\d) (?:tokens|(?:of )?an? \w+)", "", cell)


class Speakers:
    """Who is asked: the benchmark's own demo, or a reply that nobody can use.

    Attributes:
        lengths: Of the replies that nobody can use, by who is asked.
    """

    def __init__(self, benchmark: Benchmark[Any, Any], item: Item[Any]) -> None:
        self._benchmark, self._item = benchmark, item
        self._groups = {role.name: role.group or role.name for role in benchmark.roles}
        self.lengths: Mapping[str, int] = {}

    def who(self, request: ReceivedRequest) -> str:
        """A row of the table; the second model is there to be compared."""
        return self._groups.get(request.model, request.model)

    def cuts(self, request: ReceivedRequest) -> bool:
        """Whether the demo's reply does not fit: into the room that is tried first."""
        return request.body.get("max_tokens") == self._benchmark.answer_tokens

    def answer(self, request: ReceivedRequest) -> Answer | str:
        """What a request is answered with."""
        if request.is_trial:
            return "OK"
        if length := self.lengths.get(self.who(request)):
            # one sign is a character and a token, and no two replies are alike
            return chr(UNIQUE + request.n) + "~" * (length - 1)
        return Answer(self._demo(request), finish="length" if self.cuts(request) else "stop")

    def _demo(self, request: ReceivedRequest) -> str:
        plugin: Any = self._benchmark
        asked = ChatRequest(tuple(Message(m["role"], m["content"]) for m in request.messages))
        rng = Random(f"{request.model} {request.messages}")
        if request.model in self._groups:
            return str(plugin.demo_role(request.model, self._item, asked, rng))
        if request.model == "judge":
            return str(plugin.demo_verdict(self._item, asked, rng))
        return str(plugin.demo_reply(self._item, asked, 0.3, rng))  # a talk to its end


class Wire:
    """Runs of one item of a benchmark, whose parties are all at one server."""

    def __init__(self, invoke: Callable[..., Any], name: str, case: str) -> None:
        self._invoke = invoke
        self.benchmark = installed().benchmark(name)
        options = {option.name: option.default for option in self.benchmark.options}
        dataset = f"{OFFICIAL}/{name}" if case == "official" else "bundled"
        self._words = ["--dataset", dataset, *ALL.get(name, ())]
        if name == "seceu":
            options["prompting"] = case
            self._words += ["--prompting", case]
        pack = self.benchmark.read_pack(find_pack(self.benchmark, dataset, options), options)
        self._words += ["--items", pack.items[0].id]
        self.speakers = Speakers(self.benchmark, pack.items[0])
        self.server = LoopbackServer(self.speakers.answer)
        self.compares = bool(options.get("elo"))

    def run(self, folder: str, *more: str, **lengths: int) -> list[tuple[str, ReceivedRequest]]:
        """What is sent, each with who is asked: of a run, and of comparisons with another."""
        self.speakers.lengths = lengths
        sent = [(self.speakers.who(r), r) for r in self._sent(folder, "model", *more)]
        if self.compares and folder != "short":
            self._sent(folder, "second", "--no-elo", *more)
            sent += [("pairs", r) for r in self._sent(folder, "second", *more)]
        return [(who, r) for who, r in sent if not r.is_trial]

    def _sent(self, folder: str, model: str, *more: str) -> Sequence[ReceivedRequest]:
        url, before = self.server.base_url, len(self.server.requests)
        words = ["--model", f"openai/{model}", "--base-url", url, "--runs-dir", folder]
        if self.benchmark.judged:
            words += ["--judge", "openai/judge", "--judge-base-url", url]
        for role in self.benchmark.roles:
            words += ["--role", f"{role.name}=openai/{role.name}"]
            words += ["--role-base-url", f"{role.name}={url}"]
        done = self._invoke("run", self.benchmark.name, *words, *self._words, *more)
        assert done.code in (0, 1) and not self.server.errors, (done.err, self.server.errors)
        return self.server.requests[before:]


def kind(who: str, request: ReceivedRequest) -> Kind:
    """What a request is told apart by."""
    said = {"model", "messages", "response_format", "max_tokens", "temperature"}
    further = sorted(f"{k} {_short(v)}" for k, v in request.body.items() if k not in said)
    return Kind(who, _short(request.body.get("temperature", "")), ", ".join(further))


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def times(first: ReceivedRequest, later: Sequence[ReceivedRequest]) -> str:
    """How often a question was asked again, and at which temperatures, if these differ."""
    drawn = [request.body.get("temperature") for request in later]
    at = ", ".join(f"{t:g}" for t in drawn) if {*drawn} - {first.body.get("temperature")} else ""
    return f"{len(later)}, at {at}" if at else str(len(later) or "")


def received(invoke: Callable[..., Any], name: str, case: str) -> list[Asked]:
    """The table, as a server sees it."""
    wire = Wire(invoke, name, case)
    roles = {role.group or role.name for role in wire.benchmark.roles}
    more = ("--iterations", "1", *UNREAD.get(name, ()))
    calls, tokens = Counter[Kind](), defaultdict[Kind, set[int]](set)
    again, shown = defaultdict[Kind, str](str), defaultdict[Kind, set[int]](set)
    with wire.server:
        held = dict.fromkeys(("model", *roles), 1) if name == "diplobench" else {}
        for who, request in wire.run("usual", **held):
            tokens[kind(who, request)].add(request.body["max_tokens"])
            calls[kind(who, request)] += not wire.speakers.cuts(request)
        unread = [wire.run("long", *more, model=LONG, second=LONG, judge=LONG)]
        if wire.benchmark.judged or roles:
            unread.append(wire.run("short", *more, model=1, **dict.fromkeys(roles, LONG)))
    for sent in unread:
        alike = defaultdict[str, list[tuple[Kind, ReceivedRequest]]](list)
        for who, request in sent:
            text = AGAIN.sub("", "\n".join(m["content"] for m in request.messages))
            alike[f"{who} {text}"].append((kind(who, request), request))
            shown[kind(who, request)] |= {len(run) + 1 for run in re.findall("~{9,}", text)}
        for (which, first), *later in alike.values():
            again[which] = max(again[which], times(first, [r for _, r in later]))
    return sorted(
        Asked(
            *which,
            ", then ".join(f"{n:,}" for n in sorted(tokens[which])),
            str(n),
            again[which],
            ", ".join(f"{n:,}" for n in sorted(shown[which] - {LONG}, reverse=True)),
        )
        for which, n in calls.items()
    )


@pytest.mark.usefixtures("no_certificates")
@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_server_receives_what_the_page_says(
    invoke: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str, case: str
) -> None:
    """Settings, tokens, calls of an item, how often an unread one is asked again, and cuts."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    assert received(invoke, name, case) == stated(name, case)
