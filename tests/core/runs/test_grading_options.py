"""Grading options of any value, in whatever reads stored grades."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eibench import Item, Option, Options, Pack, PackSource
from eibench.core.compare.board_reader import read_leaderboard
from eibench.core.compare.boards import Boards
from eibench.core.datasets import find_pack
from eibench.core.journal import Journal
from eibench.core.plugins import Catalogue
from eibench.core.reports.choosing import chosen
from eibench.core.runs.stored_run import StoredRun
from tests.core.conftest import Talk

if TYPE_CHECKING:
    from tests.core.conftest import Lab


class Reading(Talk):
    """Has a grading option with capitals, and one without a default."""

    options = (
        *Talk.options,
        Option("scale", "EQ", "How to count.", choices=("EQ", "IQ"), in_grades=True),
        Option("cut", None, "Where to end.", in_grades=True),
    )

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """Two items, whatever the file says."""
        return Pack(source, [Item("1"), Item("2")], "beside nothing")


@pytest.fixture
async def stored(lab: "Lab", tmp_path: Path) -> Any:
    """The catalogue and the journal of one run, graded with the option's other value."""
    path = tmp_path / "items.jsonl"
    path.write_text("{}\n")
    lab.benchmark = benchmark = Reading()
    lab.pack = benchmark.read_pack(find_pack(benchmark, str(path), {}), {})
    for scale in ("EQ", "IQ"):
        await lab.run(dataset=str(path), options={"scale": scale})
    catalogue = Catalogue()
    catalogue.benchmarks.add(benchmark, "tests")
    with Journal(lab.runs_dir) as journal:
        yield catalogue, journal


async def test_a_board_has_the_scores_of_the_defaults(stored: Any) -> None:
    """A text keeps its capitals, and nothing stays nothing."""
    catalogue, journal = stored
    board = read_leaderboard(Boards(journal, catalogue, catalogue.benchmark("talk")))
    (document,) = board.documents.values()
    assert (document["options"]["scale"], document["options"]["cut"]) == ("EQ", None)
    assert document["items"]["scored"] == 2


async def test_a_judges_result_has_the_options_of_its_grading(stored: Any) -> None:
    """Here those of the last one, which are not those of the run."""
    catalogue, journal = stored
    (run,) = journal.runs()
    document = StoredRun(journal, run, catalogue).result("openai/judge")
    assert document["options"]["scale"] == "IQ"
    assert document["items"]["scored"] == 2


async def test_a_grading_is_chosen_and_named_by_its_text(stored: Any) -> None:
    """In any case; it is told as it has to be typed."""
    _, journal = stored
    (run,) = journal.runs()
    (grader,) = chosen(run, StoredRun(journal, run).graders(), {"scale": "eq"}).graders
    assert "scale=EQ" in str(grader)
