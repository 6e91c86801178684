"""What a benchmark declares of its published numbers, and how its limit is drawn."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import (
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
    Model,
    Options,
    Pack,
    PublishedWith,
    Role,
    Score,
    Table,
    Value,
)
from eibench.core.parties.graders import Panel
from eibench.core.parties.party import Party
from eibench.core.plugins import installed
from eibench.core.plugins.declared import benchmark as fault_of
from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
ROWS = [{"id": f"{p}-{n}", "principle": p} for p in ("care", "truth", "dignity") for n in range(8)]


class Humane(Benchmark):
    """A user asks, the model replies, three judges grade."""

    name = "humane"
    version = "1"
    title = "A benchmark of the tests"
    fields: Mapping[str, object] = {"id": str, "principle": str}
    comparability = "comparable with the published board"
    limit_over = "principle"
    published_with = PublishedWith(("gpt-5", "sonnet"), "mean", 2, {"user": "gpt-4o"})
    judged = True
    single_turn = False
    roles = (Role("user", "Asks."),)
    values = (Value("grade", range=(0, 10)),)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """One of each."""
        return {"model": 1, "user": 1, "judge": 1}

    async def generate(self, item: Item, model: Model, options: Options) -> ChatResponse:
        """A reply."""
        return await model.chat((await model.role("user").chat(item.id)).text)

    async def grade(
        self, item: Item, transcript: ChatResponse, judge: Model | None, options: Options
    ) -> Score:
        """What the judge says."""
        assert judge is not None
        return Score({"grade": float((await judge.chat(f"{item.id} {transcript.text}")).text)})

    def published(self, pack: Pack) -> Table:
        """One row."""
        return Table("published", ("model", "grade"), [("upstream", 7)])

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """A number."""
        return "7"

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: Random) -> str:
        """A number."""
        return "7"

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """A number."""
        return "7"


@pytest.fixture
def humane(invoke: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Runs the benchmark with judges and a user at a server."""
    monkeypatch.setitem(installed().benchmarks.things, "humane", Humane())
    monkeypatch.setitem(installed().benchmarks.origins, "humane", "humane-dist 1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    with LoopbackServer("7") as server:

        def run(*words: object, judges: Sequence[str] = ("gpt-5", "sonnet")) -> Any:
            named = [word for judge in judges for word in ("--judge", f"openai/{judge}")]
            url = server.base_url
            where = ("--base-url", url, "--judge-base-url", url, "--role-base-url", f"user={url}")
            return invoke("run", "humane", "--dataset", "rows.jsonl", "--model", "openai/m",
                          *named, *where, *words)  # fmt: skip

        yield run


USER = ("--role", "user=openai/gpt-4o")


def test_a_run_like_the_published_ones_may_stand_beside_them(
    humane: Callable[..., Any], invoke: Bench
) -> None:
    """Nothing is said of judges or players."""
    done = humane(*USER, "--json")
    assert done.json["comparability"].endswith("; comparable with the published board")
    assert "not comparable" not in done.err
    board = invoke("leaderboard", "humane", "--published", "--json").json["published"]
    assert (board["comparable"], board["differs"]) == (["openai/m"], None)


def test_another_panel_or_player_is_told(humane: Callable[..., Any], invoke: Bench) -> None:
    """By the plan, the result, the board, and `bench info` says what is wanted."""
    line = (
        "not comparable with published scores: those rest on gpt-5 and sonnet, by mean, quorum 2, "
        "user played by gpt-4o; here judged by openai/sonnet, user played by openai/gpt-3.5"
    )
    words = ("--role", "user=openai/gpt-3.5")
    assert line in humane(*words, "--dry-run", judges=["sonnet"]).err.replace("\n", " ")
    assert humane(*words, "--json", judges=["sonnet"]).json["comparability"].endswith(line)
    published = invoke("leaderboard", "humane", "--published", "--json").json["published"]
    assert (published["comparable"], published["differs"]) == ([], line)
    shown = " ".join(invoke("leaderboard", "humane", "--published").out.split())
    assert "not comparable with published scores: those rest on gpt-5 and sonnet" in shown
    info = " ".join(invoke("info", "humane").out.split())
    assert "published with: gpt-5 and sonnet, by mean, quorum 2, user played by gpt-4o" in info
    assert "--limit: drawn evenly over principle" in info


@pytest.mark.parametrize(
    ("published", "judges", "rule", "quorum", "difference"),
    [
        (PublishedWith(3, "mean", 2), "abc", "mean", 0, None),
        (PublishedWith(3), "ab", "mean", 0, "here judged by openai/a and openai/b"),
        (PublishedWith(2), "", "mean", 0, "here judged by nobody"),
        (PublishedWith(3, "mean"), "abc", "median", 0, "here by median"),
        (PublishedWith(3, quorum=2), "abc", "mean", 3, "here quorum 3"),
        (PublishedWith(("a", "b", "openai/c")), "abc", "mean", 0, None),
        (PublishedWith(("a", "b", "x")), "abc", "mean", 0, "here judged by openai/a and"),
        (PublishedWith(roles={"users": "gpt"}), "a", "mean", 0, "here users_2 played by openai/x"),
    ],
)
def test_differences(
    published: PublishedWith, judges: str, rule: str, quorum: int, difference: str | None
) -> None:
    """What is not declared may be anything; a name counts at whatever provider."""
    parties = [Party.of(f"openai/{name}") for name in judges]
    judge = Panel(tuple(parties), rule, quorum) if len(parties) > 1 else next(iter(parties), None)
    players = {"users_1": Party.of("azure/x/gpt"), "users_2": Party.of("openai/x")}
    text = published.difference(judge, players)
    assert text is None if difference is None else text and difference in text


def test_a_limit_is_drawn_over_the_tag(
    humane: Callable[..., Any], invoke: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many of each principle as can be, a smaller limit within a larger, in any pack order."""
    before: set[str] = set()
    for limit in (1, 3, 4, 9, 24):
        ids = _asked(invoke, limit)
        assert len(ids) == limit and before < ids
        counts = Counter(id.split("-")[0] for id in ids)
        each = [counts[principle] for principle in ("care", "truth", "dignity")]
        assert max(each) - min(each) <= 1
        before = ids
    nine = _asked(invoke, 9)
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, reversed(ROWS))))
    assert _asked(invoke, 9) == nine
    assert nine != {row["id"] for row in ROWS[:9]}
    monkeypatch.setattr(Humane, "limit_over", "colour")
    done = invoke("run", "humane", "--dataset", "rows.jsonl", "--limit", 9)
    assert done.code == 3
    assert "limit_over of humane (humane-dist 1) is 'colour', and no item" in done.err


def _asked(invoke: Bench, limit: int) -> set[str]:
    """The ids of the items that a demo run with a limit asks about."""
    words = ("--dataset", "rows.jsonl", "--limit", limit, "--runs-dir", f"runs-{limit}", "--json")
    run_id = invoke("run", "humane", *words).json["run_id"]
    text = invoke("export", run_id, "--runs-dir", f"runs-{limit}", "-o", f"{limit}.jsonl")
    assert text.code == 0, text.err
    rows = map(json.loads, Path(f"{limit}.jsonl").read_text().splitlines())
    return {row["item_id"] for row in rows if "item_id" in row}


def test_what_is_declared_wrong_is_refused() -> None:
    """When the benchmark registers."""

    class Wrong(Humane):
        published_with = PublishedWith(2, roles={"guest": "x"})

    class Odd(Humane):
        published_with = PublishedWith(2, rule="best")

    assert fault_of(Wrong()) == "its published_with names a player of 'guest', which is no role"
    assert "has the rule 'best'; rules: mean, median" in str(fault_of(Odd()))
