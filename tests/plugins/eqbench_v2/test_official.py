"""The official packs, and what twelve real models answered to the English one."""

import csv
import gzip
import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import eibench
from eibench import Pack
from eibench.core.datasets import find_pack
from eibench.plugins.emotion_ratings.parsing import read_strict
from eibench.plugins.emotion_ratings.parsing_types import SectionReading
from eibench.plugins.eqbench_v2.benchmark import PUBLISHED, EQBenchV2

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
pytestmark = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")

ROOT = Path(OFFICIAL or ".").absolute()
DATA = ROOT / "eqbench-v2"
RESULTS = sorted((DATA / "results").glob("*.json.gz"))
DIFFERENCES = Path(__file__).with_name("strict_differences.json")
#: What the strict reading says for each reason code of the table of differences.
REASONS = {
    "calculation": "is not one number",
    "out_of_range": "is not a rating from 0 to 10",
    "several_numbers": "several numbers",
    "other_scale": "not out of 10",
    "decimal": "decimal",
}
V2 = EQBenchV2()


class Run(NamedTuple):
    """What one model answered; `revise` where it was asked to revise."""

    model: str
    published: float
    readable: int
    revise: bool
    replies: Mapping[str, str]


def read_run(path: Path) -> Run:
    """One digest of upstream's results."""
    document = json.loads(gzip.decompress(path.read_bytes()))
    iteration = document["iterations"]["1"]
    return Run(
        document["model"],
        document["published_score"],
        int(document["n_questions_parseable"]),
        any(answer["revised"] for answer in iteration["respondent_answers"].values()),
        iteration["raw_inference"],
    )


def scored(run: Run, parser: str) -> eibench.ResultDocument:
    """The result document of a model's answers."""
    options = {"parser": parser, "revise": run.revise}
    return eibench.score("eqbench-v2", run.replies, dataset=DATA, options=options).document


def pack(lang: str, *, revise: bool = False) -> Pack:
    """An official pack as it is read."""
    options = {"lang": lang, "parser": "strict", "revise": revise}
    return V2.read_pack(find_pack(V2, str(DATA), options), options)


# The packs.


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_folder_with_both_languages_is_the_official_pack(lang: str) -> None:
    """171 questions, known by their contents."""
    found = pack(lang)
    assert (found.source.name, len(found.items)) == ("official", 171)
    may = found.comparability.startswith("comparable with")
    assert may == (lang == "en")


# SHA-256 of all results in pack order, from the published code's remove_revision_instructions
# (EQ-bench/EQ-Bench, lib/run_bench_helper_functions.py) applied to the published questions.
@pytest.mark.parametrize(
    ("lang", "digest"),
    [
        ("en", "726517dd05e5811dbf1f4d761070047dfe1f79cd8f2248c5e5882d15d10c1c53"),
        ("de", "ef007edf5432bb5d74da5e9afd7106df79170e3782dcc3dd42120137123b52c8"),
    ],
)
def test_what_is_sent_is_what_the_published_code_sends(lang: str, digest: str) -> None:
    """Byte for byte in both languages, question 134 with its other mark of the end included."""
    text = "".join(item.content.prompt for item in pack(lang).items)
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_with_a_revision_the_prompts_are_sent_as_they_are() -> None:
    """To the letter."""
    for lang, name in (("en", "171.json"), ("de", "171_de.json")):
        raw = json.loads((DATA / f"eq_bench_v2_questions_{name}").read_text(encoding="utf-8"))
        sent = {item.id: item.content.prompt for item in pack(lang, revise=True).items}
        assert sent == {item_id: question["prompt"] for item_id, question in raw.items()}


def test_each_german_question_has_the_heading_of_its_own_prompt() -> None:
    """The translation has five for the revised pass."""
    headings = Counter(item.content.form.revised for item in pack("de").items)
    assert sorted(headings.values(), reverse=True) == [112, 39, 18, 1, 1]


def test_question_26_is_the_only_german_one_with_two_names() -> None:
    """Its reference says Frustrated, its list Frustriert; the English pack has none such."""
    found = pack("de")
    odd = {item.id: item.content for item in found.items if item.content.others}
    assert list(odd) == ["26"]
    assert odd["26"].emotions[2] == "Frustrated"
    assert odd["26"].others[2] == "Frustriert"
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith('question 26 lists "Frustriert"')
    assert pack("en").warnings == ()


@pytest.mark.parametrize("revise", [False, True])
@pytest.mark.parametrize("parser", ["strict", "reference"])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_all_171_questions_are_run(lang: str, parser: str, revise: bool) -> None:
    """By a demo model, in both languages, with both parsers: every answer is read and scored."""
    options = {"lang": lang, "parser": parser, "revise": revise}
    result = eibench.run("eqbench-v2", dataset=DATA, options=options)
    assert (result.status, result.items.scored) == ("complete", 171)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_known_baselines(lang: str) -> None:
    """To the printed digit (design, section 7, eqbench-v2); the references are the same."""
    found = V2.baselines(pack(lang), {})
    values = {name: f"{baseline.value:.1f}" for name, baseline in found.items()}
    assert values == {"random": "1.4", "uniform": "38.9", "best_constant": "43.4"}
    assert found["uniform"].answer == (3.0, 3.0, 3.0, 3.0)
    assert found["best_constant"].answer == (4.0, 5.0, 2.0, 3.0)


# The models.


def test_all_published_scores_are_known() -> None:
    """The committed list is the one that was published."""
    with (ROOT.parent / "published" / "eqbench_v2_scores.csv").open(encoding="utf-8") as file:
        published = {(row["model"], float(row["score"])) for row in csv.DictReader(file)}
    assert set(PUBLISHED.scores()) == published
    assert len(published) == 86


@pytest.mark.parametrize("path", RESULTS[:2], ids=lambda path: path.name.split(".json")[0])
def test_a_score_stands_beside_the_published_one(path: Path) -> None:
    """Of a run with texts missing, which is incomplete, and of a whole one."""
    run = read_run(path)
    document = scored(run, "reference")
    assert document["dataset"]["name"] == "official"
    absent = 171 - len(run.replies)  # upstream's file has no text for some
    assert document["items"]["absent"] == absent
    assert document["status"] == ("incomplete" if absent else "complete")
    table = PUBLISHED.around(document)
    assert table is not None
    assert (run.model, run.published) in [row[1:] for row in table.rows]


def test_twelve_models_are_there() -> None:
    """Eight of them were asked to revise."""
    assert len(RESULTS) == 12
    assert sum(read_run(path).revise for path in RESULTS) == 8


def test_strict_differs_only_where_an_answer_is_not_plain() -> None:
    """Each question score that differs is in the table, with both scores and the reason."""
    questions = {item.id: item.content for item in pack("en").items}
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for run in map(read_run, RESULTS):
        strict, reference = (scored(run, parser)["scores"] for parser in ("strict", "reference"))
        for item_id, reply in run.replies.items():
            answer = read_strict(reply, questions[item_id].emotions, revise=run.revise)
            for key in ("first_pass", "revised"):
                one, other = strict[item_id][0][key], reference[item_id][0][key]
                if one != other:
                    reading: SectionReading = getattr(answer, key)
                    said = reading.reason or " ".join(reading.flags)
                    row = {"strict": one, "reference": other, "why": said}
                    found[run.model, item_id, key] = row
    listed = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    rows = {(row["model"], row["question"], row["pass"]): row for row in listed}
    assert found.keys() == rows.keys()
    for place, row in rows.items():
        assert REASONS[row["why"]] in found[place]["why"], place
        for parser in ("strict", "reference"):
            rounded = found[place][parser] and round(found[place][parser], 4)
            assert rounded == row[parser], (place, parser)
