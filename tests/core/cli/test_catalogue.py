"""What `bench list` and `bench info` say of benchmarks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import Benchmark, ChatResponse, Item, Model, Options, Score, Value
from eibench.core.cli.catalogue import print_details
from eibench.core.plugins.catalogue import Catalogue
from eibench.core.plugins.loading import Plugin
from eibench.core.run.full_run import PRICED_BY, full_run

Bench = Callable[..., Any]
KINDS = {
    "emotionqueen": "yes-no",
    "eqbench3": "rubric",
    "eqbench-v1": "ratings",
    "eqbench-v2": "ratings",
    "mediation-live": "talk",
    "seceu": "ratings",
}


FIELDS = {"id": str}


class Plain(Benchmark[dict[str, Any], ChatResponse]):
    """A benchmark that brings no data and cites a file that is not there."""

    name = "plain"
    version = "1"
    title = "t"
    cite = Path("nowhere.bib")
    fields = FIELDS
    values = (Value("right"),)

    async def generate(self, item: Item, model: Model, options: Options) -> ChatResponse:
        """A call."""
        return await model.chat("?")

    async def grade(
        self, item: Item, transcript: ChatResponse, judge: Model | None, options: Options
    ) -> Score:
        """Always right."""
        return Score({"right": 1.0})


def test_the_list_has_the_kind_of_each_benchmark(bench: Bench) -> None:
    """From what is declared without importing it."""
    listed = {row["name"]: row["kind"] for row in bench("list", "--json").json["benchmarks"]}
    assert KINDS.items() <= listed.items()
    assert "\n  seceu                    ratings  share out" in bench("list").out


def test_details_have_languages_parties_packs_and_calls(bench: Bench) -> None:
    """The languages are those that are declared, or the choices of `lang`."""
    rows = {row["name"]: row for row in bench("list", "--details", "--json").json["benchmarks"]}
    assert all(row["languages"] and row["kind"] for row in rows.values())
    assert rows["seceu"]["languages"] == ["en", "zh"]
    assert rows["emotionqueen"]["languages"] == ["en"]
    assert rows["eqbench3"]["parties"] == ["model", "judge"]
    mediation = rows["mediation-live"]
    assert mediation["parties"] == ["model", "disputants", "judge"]
    assert mediation["full_run"]["calls"] == {"model": 80, "disputants": 160, "judge": 10}
    in_three_iterations = rows["creative-writing-v3"]["full_run"]["calls"]
    assert in_three_iterations == {"model": 42, "judge": 42}
    assert all(row["origin"].startswith("eibench ") for row in map(rows.get, KINDS) if row)


def test_info_says_what_a_full_run_takes(bench: Bench) -> None:
    """Calls of the pack that is run by itself, and money for a model that is named."""
    out = bench("info", "eqbench3").out
    assert (
        "\n  full run: pack bundled, 20 items; calls: model 71, judge 20, and comparisons\n" in out
    )
    low, high = bench("info", "eqbench3", "--json").json["full_run"]["cost_usd"]
    assert 0 < low < high
    assert "free on a server of your own, $" in out
    assert f"if {PRICED_BY} is asked for all, without comparisons" in out
    often = bench("info", "creative-writing-v3", "--json").json["full_run"]
    assert often["calls"]["model"] == often["items"] * often["iterations"]
    assert often["iterations"] > 1


def test_a_benchmark_without_data_has_no_full_run(tmp_path: Path) -> None:
    """Nothing is made up for it."""
    assert full_run(Plain()) is None


def test_a_benchmark_whose_facts_are_broken_is_named_beside_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that cites a file that is not there leaves no other out of the list."""
    catalogue = Catalogue()
    fine = type("Fine", (Plain,), {"name": "fine", "cite": "@misc{key, title = {T}}"})
    catalogue.load([Plugin("a", "a-dist 1", lambda: Plain), Plugin("b", "b-dist 1", lambda: fine)])
    print_details(catalogue, json_output=True)
    document = json.loads(capsys.readouterr().out)
    assert [row["cite"] for row in document["benchmarks"]] == [["key"]]
    assert document["benchmarks"][0]["full_run"] is None
    assert document["broken"] == [
        {
            "name": "plain",
            "distribution": "a-dist 1",
            "reason": "nowhere.bib: no such file; check the path",
        }
    ]


@pytest.mark.parametrize("cite", ["Wang 2023", "@misc{a", 3])
def test_what_is_no_bibtex_is_refused_when_it_registers(cite: object) -> None:
    """With what should stand there."""
    catalogue = Catalogue()
    wrong = type("Wrong", (Plain,), {"cite": cite})
    catalogue.load([Plugin("a", "a-dist 1", lambda: wrong)])
    (broken,) = catalogue.broken
    assert f"it has {cite!r} as cite, not BibTeX, such as '@misc{{key" in broken.reason
