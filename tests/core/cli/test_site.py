"""`bench site`: a folder of pages that work from `file://`, brought up to date file by file."""

import base64
import csv
import gzip
import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html import pairs as pairs_of_site
from eibench.core.reports.statements import pair_sentences
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
Demos = Callable[..., list[Any]]
SITE = Path("site")


def build(bench: Bench, *more: str) -> Any:
    """The site of the journal in place."""
    done = bench("site", "-o", SITE, *more)
    assert done.code == 0, done.err
    return done


def data(path: Path) -> Any:
    """What a data script hands over."""
    found = re.fullmatch(r"eibench\.put\((\".*?\"),(.*)\);\n", path.read_text(encoding="utf-8"))
    assert found and json.loads(found[1]) == str(path.relative_to(SITE).with_suffix(""))
    return json.loads(found[2])


def unpacked(path: Path) -> Any:
    """What a data script hands over packed."""
    return json.loads(gzip.decompress(base64.b64decode(data(path))))


def first_sample(run: Any) -> Any:
    """The first transcript of the first item of a run, by what its file says."""
    file, _, name = run["items"][0]["texts"].partition("#")
    texts = {key: iterations for key, _, iterations in unpacked(SITE / f"{file}.js")}
    return texts[name][0]["read"]


def only(folder: str, ending: str) -> Path:
    """The one file of a folder with that ending."""
    (found,) = SITE.glob(f"{folder}/*{ending}")
    return found


def test_the_entry_lists_boards_with_their_models(bench: Bench, demos: Demos) -> None:
    """Each board and each of its models is a link that leads somewhere."""
    demos(3)
    build(bench)
    links = re.findall(r'href="([^"]+)"', (SITE / "index.html").read_text(encoding="utf-8"))
    assert sum(link.startswith("models/") for link in links) == 3
    assert len({link for link in links if link.startswith("boards/")}) == 1
    assert all((SITE / link).is_file() for link in links if link[0] != "#")


def test_downloads_hold_what_the_leaderboard_says(bench: Bench, demos: Demos) -> None:
    """JSON and CSV hold the models in the order and with the numbers of the command."""
    demos(3)
    build(bench)
    board = bench("leaderboard", "eqbench3", "--json").json
    document = json.loads(only("boards", ".json").read_text(encoding="utf-8"))
    wanted = [(row["model"], row["rating"], row["ci95"]) for row in board["rows"]]
    rows = document["rows"]
    assert [(row["model"], row["rating"], row["rating_ci95"]) for row in rows] == wanted
    with only("boards", ".csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["model"], float(line["rating"])) for line in lines] == [w[:2] for w in wanted]


def test_pairs_of_a_rated_board_are_differences_of_ratings(bench: Bench, demos: Demos) -> None:
    """Each holds its mean, and 0 exactly where the board says that two cannot be told apart."""
    demos(3)
    build(bench)
    pairs = data(only("boards", "-pairs.js"))
    rows = bench("leaderboard", "eqbench3", "--json").json["rows"]
    assert pairs["metric"] == "rating"
    assert pairs["models"] == [row["run_id"] for row in rows]
    for (one, two), (gap, low, high) in zip(combinations(rows, 2), pairs["rows"], strict=True):
        assert gap == pytest.approx(one["rating"] - two["rating"], abs=1e-3)
        assert gap - low == pytest.approx(high - gap, abs=2e-3)
        tied = two["model"] in one["tied_with"]
        assert (low <= 0 <= high) == tied or two["model"] in (one["depends_on_length"] or ())


def test_pairs_of_a_scored_board_are_those_of_compare(bench: Bench, empty_place: Path) -> None:
    """Difference and interval are those of `bench compare`, on the scale of the score."""
    for name in ("weak", "strong"):
        done = bench("run", "eqbench-v1", "--model", f"demo/{name}", "--dataset", "bundled")
        assert done.code == 0, done.err
    build(bench)
    pairs = data(only("boards", "-pairs.js"))
    found = bench("compare", *pairs["models"], "--json").json["main"]["row"]
    ((mean, low, high),) = pairs["rows"]
    assert mean == pytest.approx(found["difference"], abs=1e-6)
    assert [low, high] == pytest.approx(found["ci95"], abs=1e-6)


def test_criteria_of_a_pair_have_the_intervals_of_compare(bench: Bench, demos: Demos) -> None:
    """Each that samples have, beside a difference in the rating."""
    demos(2)
    build(bench)
    pairs = data(only("boards", "-pairs.js"))
    found = bench("compare", *pairs["models"], "--json").json["differences"]
    assert len(pairs["criteria"]) > 5
    for name, rows in pairs["criteria"].items():
        for gap, *ends in rows.values():
            assert gap == pytest.approx(found[name]["difference"], abs=1e-6)
            assert ends == pytest.approx(found[name]["ci95"] or [], abs=1e-6)


def test_pairs_beyond_the_most_have_no_interval(
    bench: Bench, empty_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of models that are next to each other come first; each still has its difference."""
    monkeypatch.setattr(pairs_of_site, "INTERVALS", 2)
    names = [word for name in ("weak", "medium", "strong") for word in ("--model", f"demo/{name}")]
    assert bench("run", "eqbench-v1", *names, "--dataset", "bundled").code == 0
    build(bench)
    assert [len(row) for row in data(only("boards", "-pairs.js"))["rows"]] == [3, 1, 3]


def test_transcripts_are_read_back(bench: Bench, demos: Demos) -> None:
    """What the model said is in the file that the run's item names."""
    (document,) = demos(1)
    build(bench)
    run = data(only("runs/*", f"{document['run_id']}.js"))
    sample = first_sample(run)
    said = bench("show", document["run_id"], run["items"][0]["item"], "--json").json
    call = said["iterations"][0]["calls"][0]
    assert sample["turns"][1]["text"] == call["text"]


def test_a_script_reads_all_that_is_packed_for_it(bench: Bench, demos: Demos) -> None:
    """Each key of boards, pairs, items, runs and transcripts; names of models are no keys."""
    demos(2)
    build(bench)
    script = "".join(file.read_text(encoding="utf-8") for file in SITE.glob("assets/*.js"))
    files = [path for path in SITE.glob("*/**/*.js") if path.parent.name != "assets"]
    packed = [data(path) for path in files]
    packed += map(unpacked, SITE.glob("texts/*/*.js"))
    keys = {key for value in packed for key in keys_of(value)}
    assert {"tied_with", "method", "samples", "verdicts"} <= keys
    # Read as `found.key`, as one of the names within `{ one, key } =`, or as a sentence is.
    read = re.findall(r"\.(\w+)", script) + re.findall(r"[{,](\w+)(?=[,}:=])", script)
    read += [key for key in pair_sentences(None) if f'"{key}"' in script]
    assert keys <= set(read)


NAMED_BY_DATA = {"ranks", "values", "criteria", "samples", "facts"}
"""What holds names as keys: of models, of what samples are graded for, and of settings."""


def keys_of(value: Any, *, named: bool = False) -> set[str]:
    """The keys within a value that its program gave."""
    if isinstance(value, list):
        return {key for part in value for key in keys_of(part, named=named)}
    if not isinstance(value, dict):
        return set()
    own = set() if named else {key for key in value if not key.isdigit()}
    return own.union(
        *(keys_of(v, named=k in NAMED_BY_DATA and not named) for k, v in value.items())
    )


def test_without_texts_there_are_none(bench: Bench, demos: Demos) -> None:
    """--texts none leaves every transcript out, also those of an earlier build."""
    (document,) = demos(1)
    build(bench)
    assert list(SITE.glob("texts/*/*"))
    build(bench, "--texts", "none")
    assert not list(SITE.glob("texts/*/*"))
    assert data(only("runs/*", f"{document['run_id']}.js"))["items"][0]["texts"] is None


def test_a_second_build_writes_nothing(bench: Bench, demos: Demos) -> None:
    """What has not changed keeps its file."""
    demos(2)
    build(bench)
    before = {path: path.stat().st_mtime_ns for path in SITE.rglob("*.*")}
    done = build(bench)
    assert "0 files written" in done.err
    del before[SITE / "site.json"]
    assert all(path.stat().st_mtime_ns == at for path, at in before.items())


def test_what_a_deleted_run_left_is_removed(bench: Bench, demos: Demos) -> None:
    """Its model's page and its transcripts go, and nothing that somebody else put there."""
    document = demos(2)[1]
    build(bench)
    (SITE / "notes.txt").write_text("mine")
    assert bench("delete", document["run_id"], "--yes").code == 0
    build(bench)
    assert not list(SITE.glob(f"texts/{document['run_id']}*/*"))
    assert len(list(SITE.glob("models/*"))) == 1
    assert (SITE / "notes.txt").read_text() == "mine"


def test_a_folder_of_somebody_else_is_refused(bench: Bench, demos: Demos) -> None:
    """Nothing is written into a folder that holds other things."""
    demos(1)
    SITE.mkdir()
    (SITE / "index.html").write_text("mine")
    done = bench("site", "-o", SITE)
    assert done.code == 2
    assert "bench site did not write" in done.err
    assert [path.name for path in SITE.iterdir()] == ["index.html"]


@pytest.mark.parametrize("path", ["../victim", "/victim", "a/../../victim", "a\\b", ""])
def test_a_manifest_that_leaves_the_folder_is_refused(
    bench: Bench, demos: Demos, path: str
) -> None:  # fmt: skip
    """So nothing outside can be removed by it."""
    demos(1)
    SITE.mkdir()
    made = {"format": "eibench-site", "files": {path: "x"}, "texts": {}}
    (SITE / "site.json").write_text(json.dumps(made))
    done = bench("site", "-o", SITE)
    assert done.code == 3
    assert "not a manifest of bench site" in done.err


def test_no_host_and_no_folder_is_named(bench: Bench, demos: Demos) -> None:
    """Neither the runs folder nor its place is in any file."""
    demos(3)
    build(bench)
    where = str(Path.cwd()).encode()
    assert not [path for path in SITE.rglob("*.*") if where in path.read_bytes()]


def test_every_link_leads_somewhere(bench: Bench, demos: Demos) -> None:
    """Also those between pages of different folders."""
    demos(3)
    build(bench)
    for page in SITE.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#]+)', page.read_text(encoding="utf-8")):
            assert (page.parent / link).is_file(), f"{page}: {link}"


def test_a_build_that_was_killed_is_done_again(bench: Bench, demos: Demos) -> None:
    """Files of a build without an end are not trusted, and their folder is still ours."""
    demos(2)
    build(bench)
    manifest = json.loads((SITE / "site.json").read_text())
    half = only("boards", ".html")
    whole = half.read_bytes()
    half.write_bytes(whole[:100])  # as far as the killed build came, after it had begun so:
    begun = {"files": dict.fromkeys(manifest["files"], ""), "texts": {}}
    (SITE / "site.json").write_text(json.dumps({**manifest, **begun}))
    build(bench)
    assert half.read_bytes() == whole
    assert json.loads((SITE / "site.json").read_text()) == manifest


def test_other_runs_of_a_model_are_named_on_its_page(bench: Bench, demos: Demos) -> None:
    """A second run that the board does not count stands there with its status."""
    (document,) = demos(1)
    more = ("eqbench3", "--model", document["model"], "--judge", "demo/judge", "--dataset")
    done = bench("run", *more, "bundled", "--limit", "1", "--fresh", "--json")
    assert done.code == 0, done.err
    build(bench)
    text = only("models", ".html").read_text(encoding="utf-8")
    counted = re.search(r"This board counts run ([\w-]+) alone", text)
    assert counted
    assert counted[1] in {document["run_id"], done.json["run_id"]}
    (other,) = {document["run_id"], done.json["run_id"]} - {counted[1]}
    assert re.search(rf"<li>{other}: (partial|complete)", text)


def test_a_run_that_two_judges_graded_has_its_numbers_on_each_board(
    bench: Bench, demos: Demos
) -> None:
    """Each board's file holds what its own judge gave."""
    (document,) = demos(1)
    run_id = document["run_id"]

    def grade(request: Any) -> str:
        criteria = re.findall(r'"(\w+)": 0-10', request.prompt)
        return json.dumps(dict.fromkeys(criteria, 2))

    with LoopbackServer(grade) as server:
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        judged = bench("rejudge", run_id, *judge)
    assert judged.code == 0, judged.err
    build(bench)
    files = sorted(SITE.glob(f"runs/*/{run_id}.js"))
    boards = {json.loads(p.read_text())["key"]: json.loads(p.read_text())
              for p in SITE.glob("boards/*.json")}  # fmt: skip
    assert len(files) == len(boards) == 2
    for file in files:
        run = data(file)
        values = [sample[run["value"]] for item in run["items"] for sample in item["samples"]]
        (row,) = boards[file.parent.name]["rows"]
        assert sum(values) / len(values) == pytest.approx(row["score"])


def test_the_history_ends_with_the_ratings_of_today(bench: Bench, demos: Demos) -> None:
    """A step for each model from the second on; the last one is the board's own."""
    demos(3)
    build(bench)
    board = bench("leaderboard", "eqbench3", "--json").json
    page = only("boards", ".html").read_text(encoding="utf-8")
    text = page[page.index("The same numbers") :]
    found = re.findall(r'row">([^<]+)</th><td class="num">(\d)</td><td class="num">([\d.]+)', text)
    assert sorted({int(step) for _, step, _ in found}) == [1, 2]
    last = {name: float(rating) for name, step, rating in found if step == "2"}
    wanted = {row["model"]: round(row["rating"], 2) for row in board["rows"]}
    assert last == pytest.approx(wanted, abs=0.01)


def test_a_link_out_of_the_folder_is_not_followed(
    bench: Bench, demos: Demos, tmp_path: Path
) -> None:
    """Neither a folder's, which is refused, nor a file's, which is replaced."""
    demos(1)
    build(bench)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "index.html").write_text("mine")
    (SITE / "index.html").unlink()
    (SITE / "index.html").symlink_to(outside / "index.html")
    manifest = json.loads((SITE / "site.json").read_text())
    manifest["files"]["index.html"] = "changed"
    (SITE / "site.json").write_text(json.dumps(manifest))
    build(bench)
    assert (outside / "index.html").read_text() == "mine"
    (SITE / "models").rename(tmp_path / "models")
    (SITE / "models").symlink_to(outside)
    done = bench("site", "-o", SITE)
    assert done.code == 2
    assert "leads out of the site" in done.err
    assert [path.name for path in outside.iterdir()] == ["index.html"]


def test_a_difference_on_few_families_has_no_interval(bench: Bench, empty_place: Path) -> None:
    """As in `bench compare`, which asks for eight; the difference stands."""
    for model in ("weak", "strong"):
        assert bench("run", "eqbench-v1", "--model", f"demo/{model}", "--limit", 7).code == 0
    build(bench)
    pairs = data(only("boards", "-pairs.js"))
    found = bench("compare", *pairs["models"], "--json").json["main"]["row"]
    assert found["ci95"] is None
    assert pairs["rows"] == [[pytest.approx(found["difference"], abs=1e-6)]]


def verdict(request: ReceivedRequest) -> str:
    """What a judge says, with its own name."""
    return json.dumps({"reason": f"so says {request.model}", "PASS": 1, "WIN": 0})


def judged_twice(bench: Bench) -> str:
    """A run of one sample that two judges graded."""
    with LoopbackServer(verdict) as server:
        url = ("--judge-base-url", server.base_url)
        one = ("run", "emotionqueen", "--limit", 1, "--judge", "openai/strict", *url, "--json")
        run_id = str(bench(*one).json["run_id"])
        assert bench("rejudge", run_id, "--judge", "openai/kind", *url).code == 0
    return run_id


def test_a_transcript_has_the_verdict_of_its_board_s_judge(bench: Bench) -> None:
    """Of two judges of a run each has a board, and there nothing that the other said."""
    run_id, said = judged_twice(bench), {}
    build(bench)
    for file in SITE.glob(f"runs/*/{run_id}.js"):
        grade = first_sample(data(file))["grade"]
        (((judge, text),), name) = grade["verdicts"], file.parent.name
        said[name] = (judge, json.loads(text)["reason"])
    assert {text for _, text in said.values()} == {"so says strict", "so says kind"}
    assert all(judge.partition("/")[2].split()[0] in name for name, (judge, _) in said.items())


def test_a_model_s_page_names_no_place_twice(bench: Bench) -> None:
    """Of a run on two boards, a link from either leads to its own transcript."""
    judged_twice(bench)
    build(bench)
    page = only("models", ".html").read_text(encoding="utf-8")
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    pages = "".join(file.read_text(encoding="utf-8") for file in SITE.glob("items/*/*.html"))
    linked = re.findall(r'models/[^"]+#([^"]+)', pages)
    assert len(set(linked)) == 2
    assert set(linked) <= set(places)
