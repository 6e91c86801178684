"""What a run, a board and a report say in words of a judge whose likings are known."""

from typing import Any

VERDICTS = ["place", "length", "flips", "unread"]


def test_a_judge_that_picks_the_first_text_is_called_out_everywhere(table: Any) -> None:
    """In the run's document and screen, on the board, and in the report, in the same words."""
    table.world.position, table.world.noise = 9.0, 0.5
    document = table.placed("m3", "m4").json
    found = {row["about"]: row for row in document["conclusions"]}
    assert list(found) == VERDICTS
    assert (found["place"]["verdict"], found["place"]["value"]) == ("strong", 1)
    assert found["place"]["text"].startswith("the judge picks the first text in 100 % of calls")
    assert found["flips"]["verdict"] == "strong"
    assert found["unread"]["text"] == "0 of 18 comparisons could not be read"
    for command in ("leaderboard", "judge-report"):
        name = ("eqbench3",) if command == "leaderboard" else ("--benchmark", "eqbench3")
        assert table.bench(command, *name, "--json").json["conclusions"] == document["conclusions"]
        assert f"place: STRONG  {found['place']['text']}" in table.bench(command, *name).out
    shown = table.bench("show", table.run_id("m4")).out
    assert f"place: STRONG  {found['place']['text']}" in shown


def test_a_fair_judge_is_called_so_and_what_is_not_tested_is_as_visible(table: Any) -> None:
    """All models are far apart, so the order changes nothing; lengths are a model's own."""
    table.world.noise = 0.1
    table.placed("m0", "m7")
    shown = table.bench("leaderboard", "eqbench3")
    assert "place: none  between equals the first text gets 0.00" in shown.out
    assert "length: NOT TESTED" in shown.out
    assert "flips: " in shown.out and "unread: none" in shown.out


def test_a_model_alone_has_no_conclusions(table: Any) -> None:
    """Nothing was compared."""
    assert table.placed("m0").json["conclusions"] == []
    assert table.bench("leaderboard", "eqbench3", "--json").json["conclusions"] == []


def test_a_rescored_result_keeps_its_conclusions(table: Any) -> None:
    """Scoring again changes no comparison."""
    first = table.placed("m0", "m5").json["conclusions"]
    assert first
    again = table.bench("rescore", table.run_id("m5"), "--json").json
    assert again["conclusions"] == first
