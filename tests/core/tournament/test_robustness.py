"""What boards, results and audits say of several judges, from whole runs."""

import json
from typing import Any

import pytest

JUDGES = ("--judge", "openai/gpt-judge", "--judge", "openai/claude-judge")
KIN = ("--exclude-kin",)
NAMES = ("gpt-m", "claude-m", "qwen-m", "llama-m")


@pytest.fixture
def judged(table: Any) -> Any:
    """Four models compared by two judges, of which the first likes its own family."""
    table.world.abilities = {name: 0.5 * n for n, name in enumerate(NAMES)}
    kinder = type(table.world)({**table.world.abilities, "gpt-m": 2.4})

    def before(request: Any, compares: bool) -> Any:
        likes = request.model == "gpt-judge" and "This is gpt-m" in request.prompt
        return kinder(request) if likes else None

    def make() -> Any:
        for name in NAMES:
            args = [one for one in table.arguments(name) if one not in ("--judge", "openai/judge")]
            done = table.bench(*args, *JUDGES)
            assert done.code == 0, done.err
        return done

    table.world.before = before
    table.last = table.stage("compared by two", make).json
    return table


def test_a_panel_s_result_board_and_audit_say_what_hangs_on_its_judges(judged: Any) -> None:
    """The board by scores and by ratings; each judge's ratings stand beside the panel's."""
    rated = {row["judge"].split("/")[1].split()[0]: row for row in judged.last["judges"]}
    best = {judge: row["ratings"][0]["model"] for judge, row in rated.items()}
    assert best == {"gpt-judge": "openai/gpt-m", "claude-judge": "openai/llama-m"}
    assert "by_judge" not in judged.last["notes"]["rating"]

    board = judged.bench("leaderboard", "eqbench3", "--judge", "mean", "--json").json
    assert [row["value"] for row in board["robustness"]] == ["rubric", "rating"]
    assert {row["judge"]: row["ratings"] for row in board["judges"]} == {
        row["judge"]: row["ratings"] for row in judged.last["judges"]
    }
    (kin,) = (r for r in board["robustness"][1]["judges"] if r["family"] == "openai")
    assert kin["liking_for_kin"]["value"] > 0

    page = judged.bench("leaderboard", "eqbench3", "--judge", "mean").out
    assert "Ratings by each judge alone" in page
    assert "The judges, by rating" in page
    assert "shared errors: NOT TESTED  needs 3 judges, here are 2" in page

    audit = judged.bench("judge-report", "--benchmark", "eqbench3", "--judge", "mean", "--json")
    assert audit.json["robustness"] == board["robustness"]
    page = judged.bench("judge-report", "--benchmark", "eqbench3", "--judge", "mean").out
    assert page.index("The judges, by rubric") < page.index("measure")


def test_the_details_of_a_result_have_what_was_not_tested(
    judged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody takes for passed what one run cannot tell; its short form is short."""
    monkeypatch.delenv("BENCH_DETAILS")
    left_out = ("--judge", "openai/judge", "--json")
    args = [one for one in judged.arguments(NAMES[-1]) if one not in left_out]
    short = judged.bench(*args, *JUDGES).out
    details = judged.bench("show", judged.last["run_id"], "--details").out
    assert "NOT TESTED" not in short
    assert "ranking: NOT TESTED needs 3 runs that all judges graded" in " ".join(details.split())


def test_each_judge_s_ratings_are_those_of_its_own_board(judged: Any) -> None:
    """To the digit."""
    panel = judged.bench("leaderboard", "eqbench3", "--judge", "mean", "--json").json
    for row in panel["judges"]:
        own = judged.bench("leaderboard", "eqbench3", "--judge", row["judge"], "--json").json
        assert {r["model"]: r["rating"] for r in row["ratings"]} == {
            r["model"]: r["rating"] for r in own["rows"]
        }


def test_a_site_has_the_board_without_kin_and_by_each_judge(judged: Any) -> None:
    """With the numbers of the leaderboard."""
    assert judged.bench("site", "-o", "site").code == 0
    where = ("leaderboard", "eqbench3", "--judge", "mean", "--json")
    found = [judged.bench(*where, *more).json for more in ((), KIN)]
    paths = (judged.folder / "site" / "boards").glob("*.json")
    boards = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    (board,) = (one for one in boards if one["judge"].startswith("mean("))
    views = {view["name"]: view for view in board["views"]}
    ids = {row["id"]: row["model"] for row in board["rows"]}
    shown = {ids[n]: value[0] for n, value in views["without kin"]["values"].items()}
    assert shown == {row["model"]: row["rating"] for row in found[1]["rows"]}
    for row in found[0]["judges"]:
        own = views[f"only {row['judge'].partition(' at ')[0]}"]["values"]
        wanted = {r["model"]: r["rating"] for r in row["ratings"]}
        assert {ids[n]: value[0] for n, value in own.items()} == wanted
    assert "127.0.0.1" not in json.dumps(board)


def test_a_board_of_one_judge_says_nothing_of_others(table: Any) -> None:
    """As before."""
    table.placed("m0", "m2")
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert not {"judges", "robustness"} & set(board)


def test_exclude_kin_takes_a_liking_out_of_board_and_comparison(judged: Any) -> None:
    """Of rubric scores and of ratings; the document says how."""
    where = ("leaderboard", "eqbench3", "--judge", "mean", "--json")
    plain, board = judged.bench(*where).json, judged.bench(*where, "--exclude-kin").json
    assert "kin" not in plain
    assert board["kin"]["way"] == "strictness"  # both judges are kin of a model
    for numbers in (
        {row["model"]: next(iter(row["metrics"].values()))["value"] for row in board["rows"]},
        {row["model"]: row["rating"] for row in board["rows"]},
    ):
        assert min(numbers, key=numbers.__getitem__) == "openai/gpt-m"

    runs = {row["model"].split("/")[1]: row["run_id"] for row in board["rows"]}
    both = runs["gpt-m"], runs["llama-m"]
    plain, found = (judged.bench("compare", *both, *m, "--json").json for m in ((), KIN))
    assert found["kin"]["way"] == "judges"
    lower = [document["differences"]["rubric"]["difference"] for document in (found, plain)]
    assert lower[0] < lower[1]
    done = judged.bench("leaderboard", "eqbench3", "--judge", "openai/gpt-judge", *KIN)
    assert "kin are left out of panels; choose the board of one" in done.err
