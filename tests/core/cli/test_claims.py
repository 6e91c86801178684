"""One journal walked through all screens: what they claim of runs and boards is the same.

What is claimed is read from a screen by its words, and set beside what the numbers of the JSON
document say, worked out here anew. A screen is a function from a run to text: one that is added
to `OF_A_RUN` or `OF_A_BOARD` is held to all of it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings
from tests.conftest import enter_empty_place, run_here
from tests.core.html.browsing import chromium, needs_chromium

FILL = uniform_ratings(1)
SITE, DEMO_SITE = Path("site"), Path("site-demo")


def reply(request: ReceivedRequest) -> str:
    """Models that guess, that answer alike, or not at all, and two judges."""
    if criteria := re.findall(r'"(\w+)": 0-10', request.prompt):
        return json.dumps(dict.fromkeys(criteria, 4 if request.model == "strict" else 7))
    if request.model == "vague":
        return "I would rather not put numbers on people."
    if "Divide them among the four options" in request.prompt:
        best = {"flat": "(1) 3; (2) 2; (3) 3; (4) 2"}
        return best.get(request.model or "", "(1) 10; (2) 0; (3) 0; (4) 0")
    filled = FILL(request)
    assert isinstance(filled, str)
    return re.sub(r": \d+", ": 5", filled) if request.model == "flat" else filled


class Walked(NamedTuple):
    """The journal of all tests here.

    Attributes:
        folder: Where it is.
        commands: By kind, the command that made a run.
        results: What that says as JSON, once all are there.
    """

    folder: Path
    commands: Mapping[str, tuple[str, ...]]
    results: Mapping[str, Any]


def commands(url: str) -> dict[str, tuple[str, ...]]:
    """A run of each kind."""
    v1, seceu = ("run", "eqbench-v1", "--dataset", "bundled"), ("run", "seceu")
    own = ("--base-url", url, "--model")
    panel = ("--judge", "openai/strict", "--judge", "openai/kind", "--judge-base-url", url)
    rated = ("run", "eqbench3", "--dataset", "bundled", "--limit", "9")
    return {
        "demo": (*v1, "--model", "demo/medium"),
        "whole": (*v1, *own, "openai/flat"),
        "guess": (*v1, *own, "openai/guess"),
        "partial, few items": (*v1, "--limit", "4", *own, "openai/short"),
        "partial": (*v1, "--limit", "9", *own, "openai/nine"),
        "failed": (*v1, "--keep-going", *own, "openai/vague"),
        "less is better": (*seceu, *own, "openai/flat"),
        "less is better, worse": (*seceu, *own, "openai/guess"),
        "panel": (*rated, "--no-elo", *panel, *own, "openai/flat"),
        "rated, last": (*rated, "--model", "demo/weak"),
        "rated, first": (*rated, "--model", "demo/strong"),
    }


KINDS = tuple(commands(""))
BOARDS = {"eqbench-v1": (), "seceu": (), "eqbench3": ("--demo", "--judge", "demo/judge")}
"""With the options that choose them; the last is of demo runs."""


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """All runs, and the site of them; the server goes on."""
    with pytest.MonkeyPatch.context() as patch, LoopbackServer(reply) as server:
        folder = enter_empty_place(tmp_path_factory.mktemp("claims"), patch)
        made = commands(server.base_url)
        for _ in range(2):  # whoever comes last has ratings of all
            results = {kind: run_here(*words, "--json").json for kind, words in made.items()}
        for site, kind in ((SITE, ()), (DEMO_SITE, ("--demo",))):
            done = run_here("site", "-o", site, *kind)
            assert done.code == 0, done.err
        yield Walked(folder, made, results)


@pytest.fixture
def journal(walked: Walked, monkeypatch: pytest.MonkeyPatch) -> Walked:
    """The same, in its folder, on a wide terminal, without the details."""
    monkeypatch.chdir(walked.folder)
    monkeypatch.delenv("BENCH_DETAILS")
    monkeypatch.setenv("COLUMNS", "400")
    return walked


def words(page: Path) -> str:
    """What a page says, without its drawings."""
    text = re.sub(r"<svg.*?</svg>", "", page.read_text(encoding="utf-8"), flags=re.S)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def told(*args: str) -> str:
    """What a command prints, on one line."""
    return " ".join(run_here(*args).out.split())


def report(run_id: str, *others: str) -> str:
    """What a report says first."""
    assert run_here("report", run_id, *others, "-o", "report.html").code == 0
    return " ".join(re.findall(r'<p class="verdict">(.*?)</p>', Path("report.html").read_text()))


def part_of_site(journal: Walked, kind: str) -> str:
    """What the page of a model says of one of its boards."""
    document = journal.results[kind]
    texts = (page.read_text(encoding="utf-8") for page in Path().glob("site*/models/*.html"))
    own = (text for text in texts if f"<h1>{document['name']}</h1>" in text)
    rows = (row for text in own for row in re.findall(r"<tr>.*?</tr>", text, re.DOTALL))
    lead = (row for row in rows if f'<a href="#{document["benchmark"]}' in row)
    return str(document["name"]) + unescape(re.sub(r"<[^>]+>", " ", next(lead)))


Screen = Callable[[Walked, str], str]
OF_A_RUN: dict[str, Screen] = {
    "run": lambda j, kind: told(*j.commands[kind]),
    "show": lambda j, kind: told("show", j.results[kind]["run_id"]),
    "show --details": lambda j, kind: told("show", j.results[kind]["run_id"], "--details"),
    "report": lambda j, kind: report(j.results[kind]["run_id"]),
    "site": part_of_site,
}
SIDE = re.compile(
    r"(not surely above|not surely better than|above|below|better than|worse than) "
    r"(chance|the best constant) \((?:random )?(-?[\d.]+)\)",
    re.IGNORECASE,
)
RANK = re.compile(r"first of \d+|rank [\d–]+ of \d+(?:, shares first place)?")
FEW = re.compile(r"\d+ of \d+ items: too few to tell", re.IGNORECASE)
NAMES = {"random": "chance", "best_constant": "the best constant"}
VERBS = {
    True: ("not surely above", "above", "below"),
    False: ("not surely better than", "better than", "worse than"),
}


def sides(document: Any) -> set[tuple[str, str]]:
    """On which side of chance and of the constant a result is, by its numbers."""
    metric = next(iter(document["metrics"].values()))
    ends = metric["ci95_chosen"] if "chosen" in metric else metric["ci95"]
    if ends is None or document["status"] != "complete" or not document["baselines"]:
        return set()
    sign = 1 if metric["higher_is_better"] else -1
    found = {}
    for name, said in NAMES.items():
        gaps = [sign * (end - document["baselines"][name]["value"]) for end in ends]
        side = 1 if min(gaps) > 0 else -1 if max(gaps) < 0 else 0
        found[said] = VERBS[metric["higher_is_better"]][side]
    above = found["chance"] in ("above", "better than")
    if not above or found["the best constant"] in ("above", "better than"):
        found.pop("the best constant")  # said where chance is passed and it is not
    return {(verb, said) for said, verb in found.items()}


def few(document: Any) -> set[str]:
    """That items are too few to tell, by its numbers."""
    metric = next(iter(document["metrics"].values()))
    items = f"{document['items']['total']} of {document['dataset']['n_items']} items"
    alone = metric["value"] is not None and metric["ci95"] is None and document["baselines"]
    return {f"{items}: too few to tell"} if alone else set()


def places(document: Any) -> set[str]:
    """The rank among the models it was compared with, by its numbers."""
    rows = document["ratings"]
    own = next((row for row in rows if row["model"] == document["name"]), None)
    if own is None:
        return set()
    low, high = own["rank_ci95_board"]
    others = [row for row in rows if row is not own and row["rank_ci95_board"][0] == 1]
    if low == 1 and not others:
        return {f"first of {len(rows)}"}
    ranks = f"rank {low}" if low == high else f"rank {low}–{high}"
    return {f"{ranks} of {len(rows)}" + ", shares first place" * (low == 1)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("screen", OF_A_RUN)
def test_screens_of_a_run_claim_what_its_numbers_say(
    journal: Walked, screen: str, kind: str
) -> None:
    """The same sides of baselines, the same place, the same reason why not; nothing else."""
    document, text = journal.results[kind], OF_A_RUN[screen](journal, kind)
    assert document["name"] in text
    assert {(verb.lower(), name) for verb, name, _ in SIDE.findall(text)} == sides(document)
    assert {said.lower() for said in FEW.findall(text)} == few(document)
    if screen not in ("site", "report"):  # which have the place on the board of today
        assert set(RANK.findall(text)) == places(document)
    assert ("less is better" in text) == kind.startswith("less is better")
    if document["status"] != "complete":
        assert document["status"].upper() in text
    if screen in ("run", "show", "show --details"):
        assert ("DEMO" in text) == document["demo"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_from_the_journal_says_so_and_one_that_is_shown_does_not(
    journal: Walked, kind: str
) -> None:
    """When and where its replies were asked for; the JSON has the same."""
    text, asked = told(*journal.commands[kind]), journal.results[kind]["asked"]
    found = re.search(r"from the journal, of ([\d-]+ [\d:]+)(?:, asked at ([\w.:]+))?; ", text)
    assert found
    assert found[1] == asked["last"][:16].replace("T", " ")
    hosts = [urlsplit(address).netloc for address in asked["addresses"]]
    assert [found[2]] * bool(found[2]) == hosts
    assert "from the journal" not in told("show", journal.results[kind]["run_id"])


def test_the_list_of_runs_claims_nothing_else(journal: Walked) -> None:
    """Status, DEMO, and of how many samples; no rank and no side."""
    real, demo = run_here("runs").out, run_here("runs", "--demo").out
    assert ("DEMO" in real, "DEMO" in demo) == (False, True)
    text = real + demo
    assert not (SIDE.search(text) or RANK.search(text))
    rows = {document["run_id"]: document for document in journal.results.values()}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("│")[1:-1]]
        if (document := rows.get(cells[0] if cells else "")) is not None:
            assert (line in demo) == document["demo"]
            whole = document["dataset"]["n_items"] * document["iterations"]
            partial = document["status"] == "complete" and document["items"]["total"] < whole
            assert ("partial" if partial else document["status"]) in cells
            assert f"{document['items']['scored']}/{whole}" in line


def leaderboard(benchmark: str, *more: str) -> Any:
    """The document of a board."""
    return run_here("leaderboard", benchmark, *BOARDS[benchmark], "--json", *more).json


def ranks(row: Any) -> str:
    """The ranks that a model may have, all at once; a dash where that is not known."""
    low, high = row["rank_ci95_board"] or (None, None)
    return "–" if low is None else str(low) if low == high else f"{low}–{high}"


def first(board: Any) -> str:
    """Who is first, by the numbers."""
    ranked = [row for row in board["rows"] if row["rank_ci95_board"]]
    may = [row["model"] for row in ranked if row["rank_ci95_board"][0] == 1]
    of_ranked = " ranked models" if len(ranked) < len(board["rows"]) else ""
    if len(may) == 1:
        return f"{may[0]} is first of {len(ranked)}{of_ranked}"
    whole = len(may) == len(ranked)
    assert len(may) == 2
    which = "both" if whole else f"two of {len(ranked)}"
    return f"{which}{of_ranked or ' models'} share first place"


def on_terminal(benchmark: str) -> str:
    """What `bench leaderboard` prints."""
    return run_here("leaderboard", benchmark, *BOARDS[benchmark]).out


def on_site(benchmark: str) -> str:
    """What the page of the board says; of several boards of that benchmark all."""
    return " ".join(words(page) for page in Path().glob(f"site*/boards/{benchmark}*.html"))


def on_entry(benchmark: str) -> str:
    """What the entry of its site says."""
    return words((DEMO_SITE if "--demo" in BOARDS[benchmark] else SITE) / "index.html")


def on_matrix(benchmark: str) -> Mapping[str, Sequence[str]]:
    """The number and the ranks of each model in a column of the entry, which has no demo board."""
    text = (SITE / "index.html").read_text(encoding="utf-8")
    heads = re.findall(r'data-board="([^"]+)"', text)
    (column,) = (n for n, key in enumerate(heads) if key.startswith(f"{benchmark}-bundled"))
    rows = re.findall(r'row"><(?:a href="[^"]+"|span)>([^<]+)<.*?</th>(.*?)</tr>', text, re.DOTALL)
    cells = ((name, re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)) for name, row in rows)
    found = ((name, re.match(r"(\S+) <i>([^<]+)</i>", of[column])) for name, of in cells)
    return {name: [cell[1], cell[2]] for name, cell in found if cell}


OF_A_BOARD = {"leaderboard": on_terminal, "board page": on_site, "entry": on_entry}


@pytest.mark.parametrize("benchmark", BOARDS)
@pytest.mark.parametrize("screen", OF_A_BOARD)
def test_screens_of_a_board_claim_what_its_numbers_say(
    journal: Walked, screen: str, benchmark: str
) -> None:
    """Who is first, and by what; the sentence is that of the JSON."""
    board = leaderboard(benchmark)
    text = " ".join(OF_A_BOARD[screen](benchmark).split())
    assert first(board) in board["statement"]
    said = board["statement"].removeprefix("DEMO: ")
    assert said[1:] in text
    assert ("less is better" in board["statement"]) == (benchmark == "seceu")


@pytest.mark.parametrize("benchmark", BOARDS)
def test_a_board_on_the_terminal_has_the_ranks_and_marks_of_its_rows(
    journal: Walked, benchmark: str
) -> None:
    """In the order of the JSON: ranks, partial; baselines name whom they stop; DEMO above all."""
    board, text = leaderboard(benchmark), on_terminal(benchmark)
    cells = [[c.strip() for c in line.split("│")[1:3]] for line in text.splitlines() if "│" in line]
    for row, (rank, name) in zip(board["rows"], cells[1:], strict=True):
        assert rank == ranks(row)
        assert name.startswith(row["model"])
        assert ("(partial)" in name) == row["partial"]
    assert ("DEMO" in text.partition("\n")[0]) == board["demo"]
    for line in text.splitlines():
        if stopped := re.match(r"not surely (?:above|better than) chance .*: (.*)", line):
            known = [r["model"] for r in board["rows"] if "random" in (r["not_above"] or ())]
            assert stopped[1].split(", ") == known


@pytest.mark.parametrize(
    ("a", "b", "better"),
    [
        ("whole", "guess", 1),
        ("less is better", "less is better, worse", -1),
        ("rated, first", "rated, last", 1),
    ],
)
def test_two_runs_come_to_the_same_everywhere(journal: Walked, a: str, b: str, better: int) -> None:
    """On the terminal, in the JSON and on the report of both."""
    one, two = (journal.results[kind] for kind in (a, b))
    pair = one["run_id"], two["run_id"]
    found = run_here("compare", *pair, "--json").json
    assert run_here("compare", *pair).out.splitlines()[-1] == found["statement"]
    low, high = (better * end for end in found["main"]["row"]["ci95"])
    names = f"{one['name']} is better than {two['name']}"
    told_apart = min(low, high) > 0
    assert told_apart == (names in found["statement"])
    assert (max(low, high) < 0 < 1) == (f"{two['name']} is better" in found["statement"])
    assert ("less is better" in found["statement"]) == (better < 0)
    sentence = found["statement"].partition("; on the board")[0]
    assert sentence in unescape(report(*pair))


@pytest.mark.parametrize("benchmark", BOARDS)
def test_a_board_of_the_site_has_the_ranks_and_marks_of_its_rows(
    journal: Walked, benchmark: str
) -> None:
    """On its page, on the entry, and of each model the place on its own page."""
    rows = leaderboard(benchmark)["rows"]
    of_models = " ".join(map(words, Path().glob("site*/models/*.html")))
    for row in rows:
        number = f"{row['rating']:.0f}" if row["rating"] else shown(row)
        assert benchmark == "eqbench3" or on_matrix(benchmark)[row["model"]] == [number, ranks(row)]
        assert place_of(row, rows) in of_models
        cells = rf"{ranks(row)} {re.escape(row['model'])} (partial: [\w ]+ items )?{number}"
        found = re.search(cells, on_site(benchmark))
        assert number == "–" or (found and bool(found[1]) == row["partial"])


def shown(row: Any) -> str:
    """The score of a board's row, as a page has it; a dash where there is none."""
    values = [m["value"] for m in row["metrics"].values()]
    value: float | None = values[0] if values else None
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def place_of(row: Any, rows: Any) -> str:
    """What a page says of a model's place, by the numbers; nothing where it has none."""
    ranked = [other for other in rows if other["rank_ci95_board"]]
    if row["rank_ci95_board"] is None or len(ranked) < 2:
        return ""
    low, high = row["rank_ci95_board"]
    others = [o for o in ranked if o is not row and (o["rank_ci95_board"] or [0])[0] == 1]
    if low == 1 and not others:
        return f"first of {len(ranked)}"
    place = f"rank {low}" if low == high else f"rank {low}–{high}"
    return f"{place} of {len(ranked)}{', shares first place' if low == 1 else ''}"


@needs_chromium
@pytest.mark.parametrize(
    ("a", "b"), [("whole", "guess"), ("less is better", "less is better, worse")]
)
def test_the_page_that_compares_claims_what_the_command_does(
    journal: Walked, a: str, b: str
) -> None:
    """Who is better and by how much, in a real browser."""
    one, two = (journal.results[kind] for kind in (a, b))
    found = run_here("compare", one["run_id"], two["run_id"], "--json").json
    files = SITE.glob(f"boards/{one['benchmark']}*-pairs.js")
    (key,) = (p.stem.removesuffix("-pairs") for p in files if one["run_id"] in p.read_text())
    with chromium() as browser:
        tab = browser.new_page()
        page = (SITE / "compare.html").resolve().as_uri()
        tab.goto(f"{page}#{key}/{one['run_id']}/{two['run_id']}")
        tab.wait_for_selector("body[data-ready]")
        said = tab.locator("#result .verdict").inner_text()
    settle = f": {found['settle']['brief']}" if found["settle"] else ""  # in a section of its own
    assert said.replace("−", "-") == found["statement"].replace(settle, "") + "."
