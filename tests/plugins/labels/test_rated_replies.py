"""Replies that people rated: what they gave, and a judge beside them, against numbers by hand."""

import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench import HumanRatedReply, Item, Pack, PackSource
from eibench.plugins.labels.rated_replies import rated_replies
from eibench.statistics import spearman
from eibench.testing import LoopbackServer
from tests.plugin_folder import install_plugin

Bench = Callable[..., Any]
PLUGIN = '''
"""Messages, and replies to them that three people rated."""
import eibench
from eibench.judges import Rubric, Template

RUBRIC = Rubric({"humane": "is humane"}, steps=(-1, -0.5, 0.5, 1))
JUDGE = Template("[REPLY]\\n{reply}\\n[/REPLY]\\n{criteria}\\n{form}")


class Care(eibench.Benchmark):
    name, version, title, judged = "care", "1", "is humane", True
    fields = {"id": str, "family": str, "reply": str, "ratings": dict}
    values = RUBRIC.values()

    async def generate(self, item, model, options):
        return await model.chat(f"Message {item.id}")

    async def grade(self, item, transcript, judge, options):
        return await RUBRIC.grade(judge, JUDGE, transcript)

    def human_ratings(self, pack):
        return [
            eibench.HumanRatedReply(item.id, item.content["reply"], "a model", {"humane": given})
            for item in pack.items
            if (given := item.content["ratings"])
        ]
'''
PEOPLE = [(1, 1, 1), (0.5, 1, 0.5), (-1, -1, -0.5), (0.5, 0.5, 0.5), (-0.5, -0.5, -1),
          (1, 0.5, 1), (-1, -1, -1), (0.5, 0.5, 1), (-0.5, 0.5, -0.5), (1, 1, None)]  # fmt: skip
JUDGE = (1, 1, -1, 0.5, -0.5, 1, -1, 0.5, 0.5, 1)


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_place: Path) -> Iterator[Path]:
    """Ten replies, one of which the third person did not rate, and one that nobody rated."""
    with install_plugin("care", PLUGIN, "care = care:Care", tmp_path, monkeypatch):
        rows = [
            {"id": f"m{n}", "family": f"f{n}", "reply": f"words {n}.\n",
             "ratings": {name: r for name, r in zip("abc", given, strict=True) if r is not None}}
            for n, given in enumerate([*PEOPLE, (None,) * 3])
        ]  # fmt: skip
        Path("pack.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        yield Path("pack.jsonl")


def graded(bench: Bench, server: LoopbackServer, replies: str = "rated.jsonl") -> str:
    """The id of a run of these replies, graded by a judge on a server."""
    judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
    done = bench("score", "care", replies, "--dataset", "pack.jsonl", *judge, "--json", "--yes")
    return str(done.json["run_id"])


def test_a_judge_stands_beside_the_mean_of_people(invoke: Bench, pack: Path) -> None:
    """By hand people's means add up to 2 (1, 2/3, -5/6, ...), the judge's grades to 3, of ten."""
    people = [np.mean([r for r in given if r is not None]) for given in PEOPLE]
    first = invoke("calibrate", "care", "--dataset", pack, "-o", "rated.jsonl", "--json")
    row = first.json["values"]["humane"]
    assert (row["n"], row["raters"], first.json["families"]) == (10, 3, 10)
    assert row["mean"] == pytest.approx(0.2) and sum(people) == pytest.approx(2)
    assert row["alpha"]["value"] == pytest.approx(alpha_of(PEOPLE))
    assert "10 replies in rated.jsonl; bench score care rated.jsonl --judge SPEC" in first.err
    with LoopbackServer(reply) as server:
        run_id = graded(invoke, server)
    document = invoke("calibrate", "care", run_id, "--dataset", pack, "--json").json
    (judge,) = document["judges"]
    assert judge["n"] == 10 and judge["judge"].startswith("openai/j at local")
    assert document["people"]["alpha"] == row["alpha"]
    assert judge["mean_difference"]["value"] == pytest.approx(0.1)
    assert judge["spearman"]["value"] == pytest.approx(spearman(JUDGE, people).value)
    assert judge["spearman"]["ci95"][0] < judge["spearman"]["value"]
    shown = invoke("calibrate", "care", run_id, "--dataset", pack).out
    assert "openai/j" in shown and "ICC(A,1)" in shown and "0.10" in shown


def reply(request: Any) -> str:
    """What the judge says of a reply."""
    number = int(request.prompt.partition("words ")[2].partition(".")[0])
    return json.dumps({"humane": JUDGE[number]})


def test_other_replies_are_not_set_beside_people_s(invoke: Bench, pack: Path) -> None:
    """Some are left out, with a warning; where all are, nothing is said."""
    shown = invoke("calibrate", "care", "--dataset", pack, "-o", "rated.jsonl").out
    assert "10 to 10 texts: a model (10)" in shown and "alpha of raters" in shown
    rows = [json.loads(line) for line in Path("rated.jsonl").read_text().splitlines()]
    with LoopbackServer(reply) as server:
        for name, n in (("some", 2), ("all", 10)):
            rows[:n] = [{**row, "response": "words 1. Others"} for row in rows[:n]]
            Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        some, every = (graded(invoke, server, f"{name}.jsonl") for name in ("some", "all"))
    document = invoke("calibrate", "care", some, "--dataset", pack, "--json").json
    assert document["judges"][0]["n"] == 8
    assert (
        "2 of 10 rated replies are not those of the run, and are left out" in document["warnings"]
    )
    done = invoke("calibrate", "care", every, "--dataset", pack)
    assert done.code == 2 and "holds none of the replies that people rated" in done.err


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ({"d": 2}, "in which 'd' gave 'humane' 2, not -1 to 1"),
        ({"d": "yes"}, "in which 'd' gave 'humane' 'yes', not -1 to 1"),
    ],
)
def test_ratings_out_of_the_value_s_range_are_refused(
    invoke: Bench, pack: Path, ratings: dict[str, Any], message: str
) -> None:
    """With the method and the item."""
    row = {"id": "x", "family": "f", "reply": "words", "ratings": ratings}
    pack.write_text(json.dumps(row) + "\n")
    done = invoke("calibrate", "care", "--dataset", pack, "-o", "rated.jsonl")
    assert done.code and "human_ratings of care" in done.err and message in done.err


def test_a_benchmark_without_ratings_says_so(invoke: Bench, empty_place: Path) -> None:
    """Nobody rated replies to it."""
    done = invoke("calibrate", "seceu", "-o", "rated.jsonl")
    assert done.code == 2 and "seceu has no ratings of replies by people" in done.err


@pytest.mark.skipif("EIBENCH_OTHER_DATA" not in os.environ, reason="EIBENCH_OTHER_DATA is not set")
def test_four_people_rated_48_replies_of_humanebench() -> None:
    """Their mean and alpha against another way to work them out."""
    steps = {"HELL YES": 1.0, "SOFT YES": 0.5, "SOFT NO": -0.5, "HELL NO": -1.0}
    replies: dict[tuple[str, str], dict[str, float]] = {}
    folder = Path(os.environ["EIBENCH_OTHER_DATA"]) / "humanebench" / "human_ratings"
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines):
                words = (row.get("rating") or row.get("rating (rubric)") or "").strip()
                if words:  # two people left some out
                    of_reply = replies.setdefault((row["input_id"], row["ai_output"]), {})
                    of_reply[path.stem] = steps[words.upper()]
    items = [Item(name) for name in sorted({name for name, _ in replies})]
    rated = [
        HumanRatedReply(n, text, "", {"humane": given}) for (n, text), given in replies.items()
    ]
    pack = Pack(PackSource("golden", "0" * 64, {}), items, "")
    document = rated_replies("humanebench", pack, rated)
    humane = document.values["humane"]
    table = [[*by_rater.values()] for by_rater in replies.values()]
    assert (document.replies, document.families, humane.raters) == (48, 8, 4)
    assert [sum(len(row) == n for row in table) for n in (2, 3, 4)] == [1, 17, 30]
    assert humane.mean == pytest.approx(np.mean([np.mean(row) for row in table]))
    assert humane.alpha.value == pytest.approx(alpha_of(table))
    assert humane.ci95 is not None


def alpha_of(table: Sequence[Sequence[float | None]]) -> float:
    """Krippendorff's alpha by its definition: squares of differences within replies, and of all."""
    rows = [[r for r in row if r is not None] for row in table]
    within = sum(sum((a - b) ** 2 for a in row for b in row) / (len(row) - 1) for row in rows)
    every = [r for row in rows for r in row]
    of_all = sum((a - b) ** 2 for a in every for b in every) / (len(every) - 1)
    return 1 - within / of_all
