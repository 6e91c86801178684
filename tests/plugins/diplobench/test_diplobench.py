"""diplobench: whole games of scripted powers, bad orders and replies, and the published scores."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import eibench
from eibench import ChatResponse, DataError, find_pack
from eibench.plugins.diplobench import playing
from eibench.plugins.diplobench.benchmark import DiploBench
from eibench.plugins.diplobench.playing import read_reply, score_of
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

pytest.importorskip("diplomacy", reason="the engine, eibench[diplobench], is not installed")
Bench = Callable[..., Any]
Orders = Callable[[str, str, dict[str, list[str]]], str]
BENCHMARK = DiploBench()
OPTIONS = {option.name: option.default for option in BENCHMARK.options}


def _powers(orders: Orders, seen: list[tuple[str, str]] | None = None) -> Callable[..., str]:
    """All seven: they write one letter to Italy in each round, and what `orders` says."""

    def reply(request: ReceivedRequest) -> str:
        power = request.messages[0]["content"].split()[2]
        prompt = request.messages[-1]["content"]
        phase = re.search(r"Phase (\w+),", prompt)
        assert phase is not None
        if seen is not None:
            seen.append((power, prompt))
        if "round" in prompt.rpartition("[/LETTERS]")[2]:
            letters = [{"to": "ITALY", "text": f"{power} greets you in {phase[1]}."}]
            return json.dumps({"letters": letters, "journal": f"{power} {phase[1]}"})
        legal = re.findall(r"^([A-Z]{3}(?:/..)?): (.+)$", prompt, re.MULTILINE)
        return orders(power, phase[1], {at: some.split(" | ") for at, some in legal
                                        if " " in some and at not in ("", power)})  # fmt: skip

    return reply


def _holds(power: str, phase: str, legal: dict[str, list[str]]) -> str:
    return json.dumps({"orders": [some[0] for some in legal.values() if some[0].endswith(" H")]})


def _run(bench: Bench, reply: Callable[..., str], *more: str, rounds: int = 1) -> Any:
    with LoopbackServer(reply) as server:
        done = bench(
            *("run", "diplobench", "--model", "openai/m", "--base-url", server.base_url),
            *("--role", "opponents=openai/x", "--role-base-url", f"opponents={server.base_url}"),
            *("--limit", "1", "--rounds", rounds, "--json", *more),
        )
        return done.json, server


def _score(bench: Bench, document: Any) -> Any:
    shown = bench("show", document["run_id"], "first", "--json").json
    return shown["iterations"][0]["score"]


def test_a_whole_game_ends_as_the_engine_says(bench: Bench) -> None:
    """The same orders given to the engine alone come to the same centres."""
    moves = {"S1901M": ["A BUD - SER", "A VIE - BUD", "F TRI - ALB"],
             "F1901M": ["A SER - GRE", "F ALB S A SER - GRE", "A BUD - RUM"]}  # fmt: skip

    def orders(power: str, phase: str, legal: dict[str, list[str]]) -> str:
        if power != "AUSTRIA":
            return _holds(power, phase, legal)
        builds = [some for options in legal.values() for some in options if some.endswith(" B")]
        return json.dumps({"orders": moves.get(phase, builds[:1])})

    document, _ = _run(bench, _powers(orders), "--max-years", "1")
    detail = _score(bench, document)["detail"]
    game = playing.new_game()
    for entry in detail["phases"]:
        for power, some in entry["orders"].items():
            game.set_orders(power, some)
        game.process()
    expected = {power: len(game.get_centers(power)) for power in playing.POWERS}
    assert detail["centres"]["1901"] == expected
    assert expected["AUSTRIA"] == 5, "home, Greece and Rumania"
    assert (document["metrics"]["score"]["value"], detail["outcome"]) == (50, "stalemate")


def test_letters_reach_those_they_are_for(bench: Bench) -> None:
    """Italy sees six letters, the others their own; the journal comes back to who wrote it."""
    seen: list[tuple[str, str]] = []
    _run(bench, _powers(_holds, seen), "--max-years", "1")
    italy = next(p for who, p in seen if who == "ITALY" and "all that are legal" in p)
    france = next(p for who, p in seen if who == "FRANCE" and "all that are legal" in p)
    assert italy.count("greets you in S1901M") == 6
    assert france.count("greets you") == 1
    assert "[JOURNAL]\nFRANCE S1901M" in france


def test_a_power_sees_its_latest_thirty_letters(bench: Bench) -> None:
    """Of 36 before the first orders; how many older ones are left out is said."""
    seen: list[tuple[str, str]] = []
    _run(bench, _powers(_holds, seen), "--max-years", "1", rounds=6)
    italy = next(p for who, p in seen if who == "ITALY" and "all that are legal" in p)
    assert italy.count("greets you in S1901M") == 30
    assert "(6 older letters are left out)" in italy


def test_illegal_orders_are_held_and_counted(bench: Bench) -> None:
    """Orders in prose, for another's unit and for no unit count; the game goes on."""

    def orders(power: str, phase: str, legal: dict[str, list[str]]) -> str:
        if power == "AUSTRIA":
            return json.dumps({"orders": ["attack Serbia!", "A PAR - BUR", "a vie - gal"]})
        return _holds(power, phase, legal)

    document, _ = _run(bench, _powers(orders), "--max-years", "1")
    first = _score(bench, document)["detail"]["phases"][0]
    assert first["orders"]["AUSTRIA"] == ["A VIE - GAL"]
    assert document["metrics"]["illegal"]["value"] > 0.6
    assert document["flags"]["illegal-order"] == 1


def test_of_contradicting_orders_one_is_carried_out_and_the_others_count(bench: Bench) -> None:
    """The first of each unit, and the builds that are due; the record has no other."""
    moves = {"S1901M": ["A BUD - SER", "A BUD - RUM", "A VIE - BUD", "F TRI - ALB", "F TRI H"],
             "F1901M": ["A SER - GRE", "F ALB S A SER - GRE", "A BUD - RUM"],
             "W1901A": ["A VIE B", "A BUD B", "F TRI B", "A VIE B"]}  # fmt: skip

    def orders(power: str, phase: str, legal: dict[str, list[str]]) -> str:
        return json.dumps({"orders": moves.get(phase, []) if power == "AUSTRIA" else []})

    document, _ = _run(bench, _powers(orders), "--max-years", "1")
    phases = _score(bench, document)["detail"]["phases"]
    carried_out = {entry["phase"]: entry["orders"].get("AUSTRIA") for entry in phases}
    assert sorted(carried_out["S1901M"]) == ["A BUD - SER", "A VIE - BUD", "F TRI - ALB"]
    assert carried_out["W1901A"] == ["A VIE B", "A BUD B"]
    assert document["metrics"]["illegal"]["value"] == pytest.approx((2 + 0 + 2) / 12)


@pytest.mark.parametrize(
    "order", ["A VIE-GAL", "A Vienna - Galicia", "vie - gal", "build A VIE - ) -", "/ D VIE -"]
)
def test_an_order_that_the_engine_reads_is_legal(order: str) -> None:
    """In its own spelling; one that it cannot read is none, and ends no game."""
    table = playing.SevenPlayers(None, dict.fromkeys(playing.OTHERS), {})  # type: ignore[arg-type]
    legal = {one for some in table.game.get_all_possible_orders().values() for one in some}
    read = table._carried_out("AUSTRIA", [order], legal)
    assert read == (["A VIE - GAL"] if order.lower().endswith(("gal", "galicia")) else [])


def test_a_convoyed_move_needs_no_via() -> None:
    """The list has it with VIA alone."""
    table = playing.SevenPlayers(None, dict.fromkeys(playing.OTHERS), {})  # type: ignore[arg-type]
    table.game.set_units("ITALY", ["A APU", "F ION"])
    legal = {one for some in table.game.get_all_possible_orders().values() for one in some}
    assert table._carried_out("ITALY", ["A APU - TUN"], legal) == ["A APU - TUN VIA"]


@pytest.mark.parametrize("text", ["I shall think about it.", '{"orders": "A VIE H"}', '{"ord'])
def test_a_reply_that_cannot_be_read_counts_and_the_game_goes_on(
    bench: Bench, text: str
) -> None:  # fmt: skip
    """Prose, no list, and what is cut off: the units hold."""

    def orders(power: str, phase: str, legal: dict[str, list[str]]) -> str:
        return text if power == "TURKEY" else _holds(power, phase, legal)

    document, _ = _run(bench, _powers(orders), "--max-years", "1")
    detail = _score(bench, document)["detail"]
    assert detail["unread"]["TURKEY"] >= 2
    assert detail["phases"][0]["orders"]["TURKEY"] == []
    assert document["items"]["scored"] == 1


def test_the_same_command_again_asks_nothing(bench: Bench) -> None:
    """A game that was played comes from the journal."""
    reply = _powers(_holds)
    with LoopbackServer(reply) as server:
        url = server.base_url
        command = (
            *("run", "diplobench", "--model", "openai/m", "--base-url", url, "--limit", "1"),
            *("--role", "opponents=openai/x", "--role-base-url", f"opponents={url}"),
            *("--role", "france=openai/f", "--role-base-url", f"france={url}"),
            *("--rounds", "0", "--max-years", "1", "--json"),
        )
        first = bench(*command).json
        asked = len(server.requests)
        again = bench(*command).json
        assert len(server.requests) == asked
        models = {request.model for request in server.requests}
    assert models == {"m", "x", "f"}, "a single seat has a player of its own"
    assert again["metrics"] == first["metrics"]


def test_a_page_has_centres_and_a_map(bench: Bench) -> None:
    """The drawing is let through as it is, and the letters are in the transcript."""
    document, _ = _run(bench, _powers(_holds), "--max-years", "1")
    bench("report", document["run_id"], "-o", "report.html")
    page = Path("report.html").read_text("utf-8")
    assert "The map at the end of first" in page
    assert "Centres at the end of each year" in page or "stalemate after 1 years" in page
    assert "S1901M: AUSTRIA to ITALY" in bench("show", document["run_id"], "first").out


def test_a_run_is_not_rescored_without_the_engine(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says how to get the engine, and the stored result stays."""
    document, _ = _run(bench, _powers(_holds), "--max-years", "1")
    monkeypatch.setitem(__import__("sys").modules, "diplomacy", None)
    one, every = bench("rescore", document["run_id"]), bench("rescore", "--all")
    for done in (one, every):
        assert "pip install 'eibench[diplobench]'" in " ".join((done.out + done.err).split())
    assert (one.code, "left as it is" in every.out) == (2, True)
    assert bench("show", document["run_id"], "--json").json["metrics"] == document["metrics"]


async def test_a_game_says_year_and_phase_while_it_is_played() -> None:
    """Each phase, with the centres that Austria holds."""
    unread = ["nothing"] * 40
    model, others = ScriptedModel(*unread), {p: ScriptedModel(*unread) for p in playing.OTHERS}
    await playing.SevenPlayers(model, others, {}).play(rounds=0, years=1)
    assert model.stages == [
        "year 1 of at most 1, S1901M, 3 centres",
        "year 1 of at most 1, F1901M, 3 centres",
    ]


async def test_a_game_that_nobody_wins_ends_after_the_years_that_the_page_says() -> None:
    """Nobody moves."""
    page = Path(eibench.__file__).resolve().parents[2] / "docs" / "diplobench.md"
    (years,) = re.findall(r"after `--max-years` \((\d+);", page.read_text(encoding="utf-8"))
    item = BENCHMARK.read_pack(find_pack(BENCHMARK, "bundled", OPTIONS), OPTIONS).items[0]
    unread = ["nothing"] * 200
    others = {role.name: ScriptedModel(*unread) for role in BENCHMARK.roles}
    model = ScriptedModel(*unread, roles=others)
    record = await BENCHMARK.generate(item, model, {**OPTIONS, "rounds": 0})
    assert (record.outcome, record.years) == ("stalemate", int(years))


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("run diplobench --dry-run", 2),
        ("run diplobench", 2),
        ("doctor diplobench --no-call", 3),
    ],
)
def test_nothing_is_planned_without_the_engine(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, command: str, code: int
) -> None:
    """It is said before anything is asked, and no plan has a price of nothing."""
    monkeypatch.setitem(__import__("sys").modules, "diplomacy", None)
    done = bench(*command.split())
    assert done.code == code
    assert "pip install 'eibench[diplobench]'" in " ".join((done.out + done.err).split())
    assert "tokens in" not in done.err


def test_the_engine_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With how to get it."""
    monkeypatch.setitem(__import__("sys").modules, "diplomacy", None)
    with pytest.raises(eibench.UsageError, match=r"pip install 'eibench\[diplobench\]'"):
        playing.new_game()


def test_published_scores_follow_from_outcomes_and_turns() -> None:
    """All rows of diplobench.js @073f223d (tests/data/diplobench.csv)."""
    path = Path(__file__).parents[2] / "data" / "diplobench.csv"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    outcomes = {"W": "win", "L": "loss", "S": "stalemate"}
    rows = list(csv.DictReader(lines))
    assert len(rows) >= 6
    for row in rows:
        games = [(outcomes[game[0]], int(game[1:] or 0)) for game in row["results"].split("|")]
        scores = [score_of(outcome, turns) for outcome, turns in games]
        assert fmean(scores) == pytest.approx(float(row["score"]), abs=0.06), row


def test_a_reply_is_read_strictly() -> None:
    """A list under its key, in an object; anything else says why not."""
    assert read_reply(ChatResponse('{"orders": ["A VIE H"], "journal": "j"}'), "orders") == (
        ["A VIE H"], "j", None,
    )  # fmt: skip
    assert "no list" in str(read_reply(ChatResponse('{"orders": 1}'), "orders")[2])
    assert read_reply(ChatResponse(""), "orders")[2] == "the reply is empty"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('ENGLAND = "host"', 'ENGLAND = "nobody"', "ENGLAND = 'nobody' is no id"),
        ("[[game]]", "[[match]]", "has no \\[\\[game\\]\\]"),
        ('text = "You write', 'words = "You write', "needs an id and a text"),
    ],
)
def test_a_broken_pack_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    """With the file and which game or character it is."""
    text = (eibench.folder("diplobench") / "bundled" / "games.toml").read_text("utf-8")
    file = tmp_path / "games.toml"
    file.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(DataError, match=message):
        BENCHMARK.read_pack(find_pack(BENCHMARK, str(file), OPTIONS), OPTIONS)
