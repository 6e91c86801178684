"""`bench score`: answers made elsewhere."""

import csv
import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
Write = Callable[..., Path]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
ROOT = Path(OFFICIAL or ".")
V1 = ROOT / "eqbench-v1" / "eq_bench_v1_questions_60.json"
V2 = ROOT / "eqbench-v2" / "eq_bench_v2_questions_171.json"
RESULTS = sorted((ROOT / "eqbench-v2" / "results").glob("*.json.gz"))


def answer(first: str = "1 2 3 4", revised: str = "1 2 3 4") -> str:
    """An answer to the fixture's question, in the form that is asked for."""
    names = ("Anger", "Relief", "Hope", "Shame")
    one, two = (
        "\n".join(f"{n}: {r}" for n, r in zip(names, ratings.split(), strict=True))
        for ratings in (first, revised)
    )
    return f"First pass scores:\n{one}\n\nCritique: x\n\nRevised scores:\n{two}\n\n[End of answer]"


def responses(*lines: Any) -> str:
    """A file of responses; a text is a line as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    Path("answers.jsonl").write_text("\n".join(texts), encoding="utf-8")
    return "answers.jsonl"


def test_the_paper_s_example_scores_six(bench: Bench, questions: Write) -> None:
    """Paech (2023), section 3.6: ratings 6, 0, 7, 7 against 1, 0, 4, 5 score 6."""
    pack = questions(reference=(1, 0, 4, 5))
    file = responses({"item_id": "1", "response": answer("6 0 7 7", "6 0 7 7")})
    document = bench("score", "eqbench-v1", file, "--dataset", pack, "--json").json
    (row,) = document["scores"]["1"]
    assert row["first_pass"] == pytest.approx(6, abs=1e-12)
    assert row["revised"] == pytest.approx(6, abs=1e-12)
    assert document["metrics"]["score"]["value"] == pytest.approx(60, abs=1e-9)


def test_rows_are_per_iteration(bench: Bench, questions: Write) -> None:
    """Absent items have no key and are unscored; a missing iteration's row has nulls."""
    pack = questions("1,2,3")
    file = responses(
        {"item_id": "1", "response": answer(), "iteration": 2},
        {"item_id": 2, "response": answer("4 3 2 1")},
        {"item_id": "2", "response": "No.", "iteration": 2},
    )
    done = bench("score", "eqbench-v1", file, "--dataset", pack, "--json")
    document = done.json
    assert done.code == 1
    assert document["status"] == "incomplete"
    assert document["scores"].keys() == {"1", "2"}
    assert [row["revised"] for row in document["scores"]["1"]] == [None, 10]
    assert [row["first_pass"] for row in document["scores"]["2"]] == [pytest.approx(2), None]
    assert all(isinstance(row["flags"], list) for row in document["scores"]["2"])
    assert document["items"] == {
        "total": 6, "scored": 2, "unscored": 4, "failed": 0, "truncated": 0, "pending": 0,
        "absent": 3,
    }  # fmt: skip
    assert {"item_id": "3", "iteration": 1, "reason": "no response was given"} in document[
        "unscored"
    ]


@pytest.mark.parametrize(("read", "status"), [(5, "complete"), (4, "fail")])
def test_fewer_than_five_sixths_readable_fail(
    bench: Bench, questions: Write, read: int, status: str
) -> None:
    """Of six questions five must be readable; a FAIL keeps its value and exits 1."""
    texts = [answer()] * read + ["No."] * (6 - read)
    file = responses(*({"item_id": str(n), "response": t} for n, t in enumerate(texts, start=1)))
    done = bench("score", "eqbench-v1", file, "--dataset", questions("1,2,3,4,5,6"), "--json")
    assert (done.json["status"], done.code) == (status, int(status == "fail"))
    assert done.json["metrics"]["score"]["value"] == 100


@pytest.mark.parametrize(
    ("given", "samples", "beside"),
    [
        (5, "6 = 5 scored + 1 unscored (1 absent)", "1 answer is absent"),
        (4, "6 = 4 scored + 2 unscored (2 absent)", "2 answers are absent"),
    ],
)
def test_absent_answers_make_the_result_incomplete(
    bench: Bench, questions: Write, given: int, samples: str, beside: str
) -> None:
    """Exit 1, and the counts and the comparability line say how many."""
    file = responses(*({"item_id": str(n), "response": answer()} for n in range(1, given + 1)))
    score = ("score", "eqbench-v1", file, "--dataset", questions("1,2,3,4,5,6"))
    done = bench(*score)
    assert (done.code, "INCOMPLETE" in done.out) == (1, True)
    assert samples in done.out
    assert beside in " ".join(done.out.split())
    document = bench(*score, "--json").json
    assert (document["status"], document["items"]["absent"]) == ("incomplete", 6 - given)


def test_thinking_is_taken_off(bench: Bench, questions: Write) -> None:
    """Ratings that were only thought do not count."""
    thought = f"<think>{answer('9 9 9 9', '9 9 9 9')}</think>\n{answer()}"
    file = responses({"item_id": "1", "response": thought})
    document = bench("score", "eqbench-v1", file, "--dataset", questions(), "--json").json
    assert document["scores"]["1"][0]["first_pass"] == 10


LINE = {"item_id": "1", "response": "x"}
BROKEN = {
    "no JSON": ([LINE, "{oops"], "line 2: not JSON"),
    "no object": ([[1]], "line 1: not a JSON object"),
    "unknown item": ([LINE, {**LINE, "item_id": "9"}], "line 2: the custom pack has no item '9'"),
    "twice": ([LINE, "", LINE], "line 3: item '1', iteration 1, is answered in line 1 already"),
    "no id": ([{"response": "x"}], 'line 1: needs "item_id"'),
    "id of a kind": ([{**LINE, "item_id": [1]}], 'line 1: needs "item_id"'),
    "no response": ([{"item_id": "1"}], 'line 1: needs "response"'),
    "response of a kind": ([{**LINE, "response": 3}], 'line 1: needs "response"'),
    "iteration nought": ([{**LINE, "iteration": 0}], 'line 1: "iteration" must be'),
    "iteration of a kind": ([{**LINE, "iteration": "1"}], 'line 1: "iteration" must be'),
    "a key twice": (['{"item_id": "1", "item_id": "2"}'], "line 1: not JSON: the key 'item_id'"),
    "empty": ([""], "holds no responses"),
}


@pytest.mark.parametrize(("lines", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_told_with_its_line(
    bench: Bench, questions: Write, lines: list[Any], message: str
) -> None:
    """Exit 3, one line with file and line number, no result."""
    done = bench("score", "eqbench-v1", responses(*lines), "--dataset", questions())
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.startswith("Error: answers.jsonl")
    assert message in done.err


def test_a_missing_file_is_told(bench: Bench) -> None:
    """Also a folder in its place."""
    assert bench("score", "eqbench-v1", "none.jsonl").err.startswith("Error: none.jsonl: no such")
    assert bench("score", "eqbench-v1", ".").code == 3


# The twelve real models: answers to the 55 questions that versions 1 and 2 share.


def load(path: Path) -> dict[str, Any]:
    """A file of questions."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def shared() -> dict[str, str]:
    """Ids of version 1 to those of version 2 with the same dialogue and emotions."""

    def key(question: dict[str, Any]) -> tuple[str, ...]:
        emotions = [question["reference_answer"][f"emotion{i}"] for i in range(1, 5)]
        return (question["prompt"].split("[End dialogue]")[0], *emotions)

    second = {key(question): name for name, question in load(V2).items()}
    return {n: second[key(q)] for n, q in load(V1).items() if key(q) in second}


def plain_score(recorded: dict[str, Any], reference: dict[str, Any]) -> float | None:
    """The formula of Paech (2023), section 3.5, on the ratings that upstream recorded."""
    by_name = {name.lower(): int(rating) for name, rating in recorded.items()}
    names = [reference[f"emotion{i}"].lower() for i in range(1, 5)]
    if set(by_name) != set(names) or not sum(by_name.values()):
        return None
    total = sum(by_name.values())
    pairs = [(by_name[n], reference[f"emotion{i}_score"]) for i, n in enumerate(names, 1)]
    return 10 - float(sum(abs(10 * rating / total - target) for rating, target in pairs))


def mean(values: list[float | None]) -> tuple[float, int]:
    """Times ten, over those that are there; and their number."""
    there = [v for v in values if v is not None]
    return (10 * sum(there) / len(there) if there else float("nan")), len(there)


@needs_official
@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name.split(".")[0])
def test_reference_scores_are_those_of_the_plain_formula(bench: Bench, path: Path) -> None:
    """Each question and pass to 1e-9, from what upstream itself read in the same replies."""
    run = json.loads(gzip.decompress(path.read_bytes()))["iterations"]["1"]
    recorded, questions_v1, ids = run["respondent_answers"], load(V1), shared()
    revise = any(entry["revised"] for entry in recorded.values())
    file = responses(
        *({"item_id": a, "response": run["raw_inference"].get(b, "")} for a, b in ids.items())
    )
    flags = ["--dataset", V1, "--json", *([] if revise else ["--no-revise"])]
    scores: dict[str, dict[str, Any]] = {}
    for parser in ("reference", "strict"):
        document = bench("score", "eqbench-v1", file, "--parser", parser, *flags).json
        assert document["dataset"]["name"] == "official"
        scores[parser] = document
    columns: dict[str, list[float | None]] = {}
    for key in ("first_pass", "revised") if revise else ("first_pass",):
        expected = {
            a: plain_score(recorded.get(b, {}).get(key, {}), questions_v1[a]["reference_answer"])
            for a, b in ids.items()
        }
        columns[key] = list(expected.values())
        for item, value in expected.items():
            row = scores["reference"]["scores"][item][0]
            assert row[key] == (value if value is None else pytest.approx(value, abs=1e-9)), item
            strict = scores["strict"]["scores"][item][0]
            plain = strict[key] is not None and not strict["flags"] and value is not None
            if plain and re.fullmatch(r"[^.]*", json.dumps(recorded[ids[item]][key])):
                assert strict[key] == pytest.approx(value, abs=1e-9), item
        value, n = mean(columns[key])
        metric = scores["reference"]["metrics"][key]
        assert (metric["value"], metric["n"]) == (pytest.approx(value, abs=1e-9), n)


@needs_official
def test_fifty_five_questions_are_shared() -> None:
    """The rows above stand on that many."""
    assert len(shared()) == 55
    assert len(RESULTS) == 12
    with (ROOT.parent / "published" / "eqbench_v1_scores.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) > 12
