"""`bench run --against`: from a checkpoint to a decision, in one line; and what is refused."""

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import eibench
from eibench.core.errors import UsageError
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.conftest import TERMINAL, enter_empty_place, run_here

from .conftest import EMOTIONS, question

Bench = Callable[..., Any]
CASES = 12
OFF = {
    "base": (6, 5, 7, 6, 5, 6, 8, 7, 6, 5, 6, 7),
    "tuned": (1, 0, 2, 1, 6, 1, 2, 1, 0, 1, 9, 1),
    "same": (5, 6, 6, 7, 5, 5, 9, 6, 7, 5, 5, 8),
}
"""By model, how far its answer is off in each question."""


class Lab:
    """A server of the models, and a pack of questions, each of another text."""

    def __init__(self, bench: Bench, server: LoopbackServer, folder: Path) -> None:
        self.bench, self.server, self.pack = bench, server, folder / "pack.json"
        texts = {}
        for n in range(1, CASES + 1):
            one = question()
            one["prompt"] = one["prompt"].replace("Sam waits", f"Case {n}: Sam waits")
            texts[str(n)] = one
        self.pack.write_text(json.dumps(texts))

    def run(self, model: str, *more: object, of: str = "", **more_env: str) -> Any:
        """`bench run` of a model, or of several with blanks between them."""
        names = [word for name in model.split() for word in ("--model", f"openai/{name}")]
        where = ("--base-url", self.server.base_url, "--dataset", of or self.pack)
        return self.bench("run", "eqbench-v1", *names, *where, *more, env=more_env)


def answer(request: ReceivedRequest) -> str:
    """The reference, off by what is known of the model."""
    case = re.search(r"Case (\d+)", request.prompt)
    assert case
    off = OFF[cast(str, request.body["model"]).removesuffix("2")][int(case[1]) - 1]
    ratings = zip(EMOTIONS, (1 + off, 2, 3, max(0, 4 - off)), strict=True)
    form = "\n".join(f"{emotion}: {rating}" for emotion, rating in ratings)
    return f"First pass scores:\n{form}\n\nCritique: fine.\n\nRevised scores:\n{form}\n"


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    """The models, whose weights it names."""
    roots = [{"id": name, "root": f"/ck/{name}"} for name in OFF]
    with LoopbackServer(answer, models=roots) as made:
        yield made


@pytest.fixture(scope="module")
def run_of_base(server: LoopbackServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with a run of the base, made once."""
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("base"), patch)
        assert Lab(run_here, server, work).run("base").code == 0
    return work / "runs"


@pytest.fixture
def lab(bench: Bench, server: LoopbackServer, empty_place: Path, run_of_base: Path) -> Lab:
    """Such a journal."""
    shutil.copytree(run_of_base, empty_place / "runs")
    return Lab(bench, server, empty_place)


def steady(text: str) -> str:
    """A text without ids and ports."""
    return re.sub(r"127\.0\.0\.1:\d+", "HOST", re.sub(r"\b[0-9a-f]{8}\b", "ID", text))


def test_the_last_line_decides(lab: Lab) -> None:
    """Better with by how much, and the same line again from the journal, without a call."""
    done = lab.run("tuned", "--against", "base")
    line = done.out.splitlines()[-1]
    found = r"openai/tuned is better than openai/base by (\d+\.\d\d) \(\d+\.\d\d … \d+\.\d\d\) "
    assert re.fullmatch(found + "in score", line) and done.code == 0
    assert re.search(r"^against openai/base: run \w+ of \d{4}-\d\d-\d\d$", done.err, re.M)
    asked = len(lab.server.requests)
    again = lab.run("tuned", "--against", "openai/base")
    assert (again.out.splitlines()[-1], len(lab.server.requests)) == (line, asked)


def test_the_document_has_it_and_what_is_stored_does_not(lab: Lab) -> None:
    """The difference is that of `bench compare`, and no part of the run."""
    document = lab.run("tuned", "--against", "base", "--json").json
    row, ids = document["against"], (document["run_id"], document["against"]["run_id"])
    compared = lab.bench("compare", *ids, "--json").json
    main = compared["main"]["row"]
    assert (row["difference"], row["ci95"], row["n"]) == (main["difference"], main["ci95"], CASES)
    assert (row["verdict"], row["name"]) == ("better", "openai/base")
    assert row["statement"] == compared["statement"]
    assert "against" not in lab.bench("show", ids[0], "--json").json
    plain = lab.run("tuned", "--json").json
    assert plain["run_id"] == document["run_id"] and "against" not in plain


def test_models_that_are_alike_are_not_told_apart(lab: Lab) -> None:
    """Which is no failure."""
    done = lab.run("same", "--against", "base", "--fail-if-worse")
    last = done.out.splitlines()[-1]
    assert last.startswith("openai/same is not told apart from openai/base in score (")
    assert "would settle it" in last and last.endswith("if the difference is what it seems")
    assert done.code == 0


def test_a_worse_model_fails_where_that_is_wanted(lab: Lab) -> None:
    """Exit code 1 and the line once more, for a job that decides."""
    lab.run("tuned")
    plain = lab.run("base", "--against", "tuned")
    strict = lab.run("base", "--against", "tuned", "--fail-if-worse")
    line = plain.out.splitlines()[-1]
    assert line.startswith("openai/base is worse than openai/tuned by ")
    assert (plain.code, strict.code) == (0, 1)
    assert f"fail: {line}" in strict.err
    alone = lab.run("base", "--fail-if-worse")
    assert alone.code == 2 and "--fail-if-worse needs --against" in alone.err


def test_a_part_is_compared_on_what_both_have(lab: Lab) -> None:
    """Of this command, whatever else the run holds; that is said."""
    lab.run("tuned")
    done = lab.run("tuned", "--limit", 9, "--against", "base")
    assert done.out.splitlines()[-1].endswith("in score, on the 9 samples that both have")
    few = lab.run("tuned", "--limit", 3, "--against", "base")
    assert "3 samples that both have: too few to tell" in few.out.splitlines()[-1]
    lab.run("same", "--items", "1,2")
    none = lab.run("tuned", "--items", "3,4", "--against", "same")
    assert none.code == 2 and "has none of the items that are asked for" in none.err


def test_the_newest_run_that_can_be_compared_is_taken(lab: Lab) -> None:
    """A newer one that was asked otherwise is passed over; how many there are is said."""
    first = lab.run("base", "--json").json["run_id"]
    lab.run("base", "--no-revise")
    one = lab.run("tuned", "--against", "base", "--json")
    assert one.json["against"]["run_id"] == first
    newer = lab.run("base", "--fresh", "--json").json["run_id"]
    two = lab.run("tuned", "--against", "base", "--json")
    assert two.json["against"]["run_id"] == newer
    assert re.search(rf"against openai/base: run {newer} of [\d-]+, of 2 that can be", two.err)
    by_id = lab.run("tuned", "--against", first, "--json")
    assert by_id.json["against"]["run_id"] == first


@pytest.fixture
def asked(lab: Lab) -> Iterator[None]:
    """Nothing is asked while a test with it runs."""
    before = len(lab.server.requests)
    yield
    assert len(lab.server.requests) == before


REFUSED = {
    "unknown": ("tuned", ("--against", "bsae"), "no such run or model in runs; did you mean base?"),
    "not run yet": ("tuned", ("--against", "openai/other"),
                    "--model openai/other runs it first"),
    "itself": ("base", ("--against", "base"), "is the run itself"),
    "options": ("tuned", ("--no-revise", "--against", "base"),
                r"was asked otherwise, by --revise; bench run eqbench-v1 .*--no-revise "
                r"--model openai/base --base-url \S+ makes one that can be compared"),
    "reader": ("tuned", ("--parser", "reference", "--against", "base"),
               r"bench rescore \w{8} --set parser=reference adds what is missing"),
}  # fmt: skip


@pytest.mark.parametrize(("model", "more", "words"), REFUSED.values(), ids=REFUSED)
@pytest.mark.usefixtures("asked")
def test_what_cannot_be_compared_is_refused_before_anything_is_asked(
    lab: Lab, model: str, more: tuple[str, ...], words: str
) -> None:
    """With the nearest name, or the command that makes them alike; a dry run says so too."""
    for dry in ((), ("--dry-run",)):
        done = lab.run(model, *more, *dry)
        assert (done.code, done.out) == (2, "")
        assert re.search(words, done.err), done.err


@pytest.mark.usefixtures("asked")
def test_another_pack_is_refused_with_the_command_for_this_one(lab: Lab) -> None:
    """Which, without --against, is that of the base."""
    done = lab.run("tuned", "--against", "base", of="bundled")
    assert done.code == 2
    assert re.search(r"by pack custom \(\w+\); bench run eqbench-v1 .*--dataset bundled", done.err)
    (command,) = re.findall(r"bench (run .*) makes one", done.err)
    assert "--against" not in command and "--model openai/base" in command


@pytest.mark.usefixtures("asked")
def test_demo_models_and_real_ones_do_not_meet(lab: Lab) -> None:
    """Also where there is no other run of the model's kind."""
    more = ("--model", "demo/medium", "--dataset", lab.pack, "--against", "base")
    refused = lab.bench("run", "eqbench-v1", *more)
    assert refused.code == 2
    assert "a demo run and a real one never stand beside each other" in refused.err


def test_several_models_have_a_column_and_a_line_each(lab: Lab) -> None:
    """The base may be one of them, in any place; it is run now, and set against nothing."""
    done = lab.run("tuned base2 same", "--against", "base2", COLUMNS="200")
    assert done.code == 0
    table, last = done.out.splitlines(), done.out.splitlines()[-2:]
    assert last[0].startswith("openai/tuned is better than openai/base2 by ")
    assert last[1].startswith("openai/same is not told apart from openai/base2 in score")
    (head,) = [one for one in table if "against openai/base2" in one]
    at = [cell.strip() for cell in head.split("│")].index("against openai/base2")
    rows = [[c.strip() for c in one.split("│")] for one in table if one.startswith("│ eqbench-v1")]
    cells = {row[2].removeprefix("openai/"): row[at] for row in rows}
    assert cells["tuned"].endswith(", better") and cells["same"].endswith(", not told apart")
    assert cells["base2"] == "–"
    both = lab.run("tuned base2", "--against", "base2", "--json").json["runs"]
    assert ["against" in one for one in both] == [True, False]


def test_a_settings_file_and_a_variable_name_it_too(lab: Lab) -> None:
    """What a file says stands in no run's way: the base itself is run, and that is noted."""
    Path("bench.toml").write_text('[run]\nagainst = "base"\n')
    assert "better than openai/base" in lab.run("tuned").out.splitlines()[-1]
    own = lab.run("base")
    assert own.code == 0 and "note: --against base is the run itself" in own.err
    assert "than" not in own.out.splitlines()[-1]
    named = lab.run("base", BENCH_AGAINST="tuned")
    assert "worse than openai/tuned" in named.out.splitlines()[-1]


def test_a_run_that_is_extended_is_compared_on_all(lab: Lab) -> None:
    """Before that, on what it has."""
    part = lab.run("tuned", "--items", "1,2,3,4,5,6,7,8,9,10", "--against", "base")
    assert "on the 10 samples that both have" in part.out.splitlines()[-1]
    whole = lab.run("tuned", "--against", "base")
    assert whole.out.splitlines()[-1].endswith("in score")


def test_python_has_it(lab: Lab) -> None:
    """As an argument, in the document; what cannot be compared raises."""
    settings: dict[str, Any] = {
        "model": "openai/tuned", "base_url": lab.server.base_url, "dataset": lab.pack,
    }  # fmt: skip
    found = eibench.run("eqbench-v1", **settings, against="base")
    assert found.document["against"]["verdict"] == "better"
    with pytest.raises(UsageError, match="no such run or model"):
        eibench.run("eqbench-v1", **settings, against="bsae")


def test_a_comparison_fits_a_screen(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, snapshot: Any
) -> None:
    """Twelve lines at 80 columns: what changed, what was won and lost, and last the decision."""
    monkeypatch.delenv("BENCH_DETAILS")
    unlike = ("--temperature", "0.2", "--note", "data=v2", "--system", "Be kind. " * 9)
    done = lab.run("tuned", *unlike, "--against", "base", "--limit", 8, **TERMINAL)
    beside = [line for line in done.err.splitlines() if line.startswith(("saved", "next"))]
    assert len(done.out.splitlines() + beside) <= 12
    lab.run("tuned", *unlike)
    shown = lab.bench("compare", "tuned", "base", env=TERMINAL).out
    assert len(shown.splitlines()) <= 12
    assert steady(shown) == snapshot
    assert "won most" in shown and "p (Holm)" not in shown


def test_weights_that_the_server_names_are_what_changed(lab: Lab) -> None:
    """And nothing where only the model's name is another, or only the day."""
    lab.run("tuned")
    changed = lab.bench("compare", "tuned", "base", "--json").json["changed"]
    assert changed == {"weights root": ["/ck/tuned", "/ck/base"]}
    first, again = lab.run("base", "--json"), lab.run("base", "--fresh", "--json")
    ids = first.json["run_id"], again.json["run_id"]
    assert lab.bench("compare", *ids, "--json").json["changed"] == {}
    assert "nothing that is recorded" in lab.bench("compare", *ids).out


def test_items_are_listed_the_largest_difference_first(lab: Lab) -> None:
    """On a terminal and as a table for other programs, with the numbers of the document."""
    lab.run("tuned")
    pair = ("compare", "tuned", "base")
    rows = lab.bench(*pair, "--json").json["items"]
    assert len(rows) == CASES
    sizes = [abs(row["difference"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    by_hand = {row["item_id"]: row["a"] - row["b"] for row in rows}
    assert by_hand == {row["item_id"]: row["difference"] for row in rows}
    table = list(csv.DictReader(io.StringIO(lab.bench(*pair, "--items", "--csv").out)))
    assert [row["item_id"] for row in table] == [row["item_id"] for row in rows]
    assert [float(row["difference"]) for row in table] == [row["difference"] for row in rows]
    assert "A − B" in lab.bench(*pair, "--items").out
    assert lab.bench(*pair, "--csv").code == 2


def test_items_named_to_do_harm_do_none(
    bench: Bench, server: LoopbackServer, empty_place: Path
) -> None:
    """Neither in a terminal nor in a spreadsheet."""
    lab = Lab(bench, server, empty_place)
    texts = json.loads(lab.pack.read_text())
    lab.pack.write_text(json.dumps({f"=1+{n}": text for n, text in texts.items()}))
    lab.run("base")
    lab.run("tuned")
    lines = lab.bench("compare", "tuned", "base", "--items", "--csv").out.splitlines()[1:]
    assert len(lines) == CASES and all(line.startswith("'=") for line in lines)


def test_both_answers_to_an_item_are_shown(lab: Lab) -> None:
    """The question once, each answer with the reference and its score."""
    lab.run("tuned")
    shown = lab.bench("compare", "tuned", "base", "5").out
    assert shown.count("Case 5") == 1 and "the same" in shown
    assert shown.index("openai/tuned  item 5") < shown.index("openai/base  item 5")
    assert shown.count("Answer and reference") == 2
    both = lab.bench("compare", "--model", "tuned", "--model", "base", "5", "--json").json
    assert [both[side]["model"] for side in "ab"] == ["openai/tuned", "openai/base"]
    none = lab.bench("compare", "tuned", "base", "99")
    assert none.code == 2 and "99" in none.err
