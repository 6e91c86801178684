"""A judge that was asked otherwise than meant: its verdicts and comparisons stand apart."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import Reply, Response

REFUSAL = {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}


def refuse(table: Any, *judges: str) -> None:
    """Let judges refuse each request that has a temperature, from now on."""

    def before(request: Any, compares: bool) -> Reply | None:
        if request.model not in judges or "temperature" not in request.body:
            return None
        return Response(400, json.dumps({"error": REFUSAL}).encode())

    table.world.before = before


@pytest.fixture
def boards(bench: Callable[..., Any]) -> Callable[..., Any]:
    """The board that these words choose, as JSON."""

    def read(*words: str) -> Any:
        done = bench("leaderboard", "eqbench3", *words, "--json")
        assert done.code == 0, done.err
        return done.json

    return read


@pytest.fixture
def bench(table: Any) -> Any:
    """`bench` in this process."""
    return table.bench


WITHOUT = {"judge openai/judge": {"temperature": "not sent"}}


def three_models(table: Any) -> Any:
    """Two models judged as meant, and a third by the same judge without temperature."""
    table.placed("m0", "m2")
    refuse(table, "judge")
    return table.run("m4")


def test_its_result_says_so(table: Any) -> None:
    """In JSON for the judge alone, in the comparability line, and as a warning."""
    document = three_models(table).json
    assert document["asked_otherwise"] == WITHOUT
    assert document["not_sent"] == []
    assert "judge openai/judge at local without temperature;" in document["comparability"]
    told = [w for w in document["warnings"] if "temperature" in w]
    assert len(told) == 1
    assert told[0].startswith(
        "the judge openai/judge does not take temperature: verdicts were drawn without"
    )


def test_its_verdicts_stand_on_another_board(table: Any, boards: Callable[..., Any]) -> None:
    """Each board names the other with the options that choose it, and they do choose it."""
    three_models(table)
    plain = boards("--judge", "openai/judge at local")
    assert {row["model"] for row in plain["rows"]} == {"openai/m0", "openai/m2"}
    assert "asked_otherwise" not in plain
    (other,) = plain["others"]
    name = "openai/judge at local without temperature"
    assert other["options"] == f"--judge '{name}'"
    apart = boards("--judge", name)
    assert apart["asked_otherwise"] == WITHOUT
    scored = [row["model"] for row in apart["rows"] if row["run_id"] and row["metrics"]]
    assert scored == ["openai/m4"]
    assert boards("--judge", "openai/judge without temperature")["rows"] == apart["rows"]


def test_its_comparisons_meet_no_others(table: Any, boards: Callable[..., Any]) -> None:
    """Of three models, the ratings of the two that were compared as meant do not move."""
    placed = table.placed("m0", "m2").json["ratings"]
    refuse(table, "judge")
    document = table.run("m4").json
    made = [row for row in table.rows() if row.status == "read"]
    by = {"openai/m2": 18, "openai/m4": 36}
    assert {name: sum(row.a == name for row in made) for name in by} == by
    assert document["comparisons"]["read"] == 36
    plain = boards("--judge", "openai/judge")
    numbers = {row["model"]: row["rating"] for row in plain["rows"]}
    assert numbers == {row["model"]: row["rating"] for row in placed}


def test_the_same_command_again_sends_nothing(table: Any) -> None:
    """Neither for the run as meant nor for the other, though the server refuses now."""
    three_models(table)
    asked = len(table.server.requests)
    for model in ("m2", "m4"):
        assert table.run(model).code == 0
    assert len(table.server.requests) == asked


def test_two_runs_without_it_meet(table: Any, boards: Callable[..., Any]) -> None:
    """The fourth model is compared with the third, whose judge was asked alike."""
    three_models(table)
    document = table.run("m6").json
    rows = boards("--judge", "openai/judge without temperature")["rows"]
    scored = {row["model"] for row in rows if row["metrics"]}
    assert scored == {"openai/m4", "openai/m6"}
    rated = {row["model"]: row["rating"] for row in document["ratings"]}
    assert rated["openai/m6"] > rated["openai/m4"]


def test_a_judge_that_stops_taking_it_is_partly_without(
    table: Any, boards: Callable[..., Any]
) -> None:
    """Half the verdicts with, half without: neither board is right for them."""
    table.run("m0", more=("--no-elo", "--limit", "4"))
    refuse(table, "judge")
    document = table.run("m0", more=("--no-elo",)).json
    how = {"judge openai/judge": {"temperature": "partly not sent"}}
    assert document["asked_otherwise"] == how
    board = boards()
    assert board["asked_otherwise"] == how
    assert any("partly without temperature" in w for w in document["warnings"])


def test_what_decides_only_whether_a_verdict_can_be_read_is_told(
    table: Any, boards: Callable[..., Any]
) -> None:
    """A limit of tokens that the server does not take: in JSON, and on the same board."""
    table.placed("m0", "m2", more=("--no-elo",))

    def before(request: Any, compares: bool) -> Reply | None:
        names = {"max_tokens", "max_completion_tokens"} & request.body.keys()
        if request.model != "judge" or not names:
            return None
        error = {"message": "Unsupported parameter", "code": "unsupported", "param": min(names)}
        return Response(400, json.dumps({"error": error}).encode())

    table.world.before = before
    document = table.run("m4", more=("--no-elo",)).json
    assert document["asked_otherwise"] == {"judge openai/judge": {"max_tokens": "not sent"}}
    assert not any("max_tokens" in warning for warning in document["warnings"])
    assert {row["model"] for row in boards()["rows"]} == {"openai/m0", "openai/m2", "openai/m4"}


def test_compare_refuses_two_such_runs(table: Any) -> None:
    """And says of which run which judge was asked without what."""
    three_models(table)
    first, second = table.run_id("m2"), table.run_id("m4")
    done = table.bench("compare", first, second)
    assert done.code == 2
    assert f"the judge openai/judge was asked without temperature in run {second}" in done.err


PANEL = ("--judge", "openai/second")


def test_of_a_panel_it_is_said_judge_by_judge(table: Any, boards: Callable[..., Any]) -> None:
    """One of two judges loses its temperature: the panel's board is another, and names it."""
    table.placed("m0", "m2", more=PANEL)
    refuse(table, "second")
    document = table.run("m4", more=PANEL).json
    how = {"judge openai/second": {"temperature": "not sent"}}
    assert document["asked_otherwise"] == how
    assert "(openai/second without temperature)" in document["comparability"]
    plain = boards("--judge", "mean")
    assert {row["model"] for row in plain["rows"]} == {"openai/m0", "openai/m2"}
    name = next(one["options"] for one in plain["others"] if "second without" in one["options"])
    assert "mean(" in name
    alone = boards("--judge", "openai/judge")
    assert {row["model"] for row in alone["rows"] if row["metrics"]} == {
        "openai/m0", "openai/m2", "openai/m4"
    }  # fmt: skip


def test_exported_comparisons_name_it(table: Any) -> None:
    """So that `bench rate` holds the two to be two judges, and asks which is meant."""
    three_models(table)
    runs = [table.run_id(model) for model in ("m2", "m4")]
    assert table.bench("export", *runs, "--comparisons", "-o", "all.jsonl").code == 0
    done = table.bench("rate", "all.jsonl")
    assert done.code == 2
    assert "without temperature" in done.err


def test_a_site_has_a_page_for_each_board(table: Any) -> None:
    """Under addresses of their own; a model's page says how its judge was asked."""
    three_models(table)
    done = table.bench("site", "-o", "pages")
    assert done.code == 0, done.err
    pages = list((table.folder / "pages").rglob("*.html"))
    assert len([page for page in pages if "without-temperature" in str(page)]) >= 1
    said = [
        page.name
        for page in pages
        if "judge openai/judge: temperature not sent" in page.read_text()
    ]
    assert said
