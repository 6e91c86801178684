"""A game: letters, orders and the engine, which is the package `diplomacy`."""

import asyncio
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from eibench import ChatResponse, Message, Model, UsageError, no_answer
from eibench.judges import Template, fill, neutralise, read_object
from eibench.text import plural

from .prompts import CHARACTER, NEGOTIATE, ORDER, RULES

AUSTRIA = "AUSTRIA"
OTHERS = ("ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
POWERS = (AUSTRIA, *OTHERS)
_WAIVE = "WAIVE"
_MARKERS = tuple(dict.fromkeys((*NEGOTIATE.markers, *ORDER.markers)))
TO_WIN, FIRST_YEAR = 18, 1901
LETTERS = 30
"""The latest letters that a power is shown; how many older ones are left out is said."""
EXTRA = "diplobench needs the package diplomacy: pip install 'eibench[diplobench]'"


def new_game() -> Any:
    """A game of the engine.

    Raises:
        UsageError: The engine is not installed; the message says how to get it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves a file of its own open
        try:
            from diplomacy import Game
        except ImportError:
            raise UsageError(EXTRA) from None
        return Game(map_name="standard")


@dataclass
class Record:
    """What happened in one game.

    Attributes:
        phases: By phase, the orders that were carried out and the letters that were written.
        centres: By year, the centres of each power at its end.
        illegal: Orders of the model that were not legal, or not the first of a unit, of `ordered`.
        unread: Replies of each power that could not be read.
        outcome: ``win``, ``loss`` or ``stalemate``; empty while it is played.
        years: How many were played, the last one included.
    """

    phases: list[dict[str, Any]] = field(default_factory=list)
    centres: dict[str, dict[str, int]] = field(default_factory=dict)
    illegal: int = 0
    ordered: int = 0
    unread: dict[str, int] = field(default_factory=dict)
    outcome: str = ""
    years: int = 0


@dataclass
class _Seat:
    """A power's player: how it is asked, and what it remembers."""

    power: str
    model: Model
    system: str
    journal: str = "(empty)"
    letters: list[str] = field(default_factory=list)

    def shown(self) -> str:
        """Its latest letters."""
        older = len(self.letters) - LETTERS
        note = [f"({older} older letters are left out)"] if older > 0 else []
        return "\n".join([*note, *self.letters[-LETTERS:]]) or "(none)"


class SevenPlayers:
    """Seven players and the engine."""

    def __init__(
        self, model: Model, others: Mapping[str, Model], characters: Mapping[str, str]
    ) -> None:
        self.game, self.record, self._board = new_game(), Record(), ""
        self._seats = {
            power: _Seat(power, model if power == AUSTRIA else others[power],
                         _rules(power, characters.get(power, "")))
            for power in POWERS
        }  # fmt: skip

    async def play(self, rounds: int, years: int) -> Record:
        """The game, until it is won, Austria is out, or the years are over."""
        record = self.record
        while not record.outcome:
            phase = self.game.get_current_phase()
            year = int(phase[1:5]) - FIRST_YEAR + 1
            if year > years:
                record.outcome = "stalemate"
                break
            record.years, self._board = year, self._shown_board()
            self._seats[AUSTRIA].model.stage(
                f"year {year} of at most {years}, {phase}, "
                f"{plural(len(self.game.get_centers(AUSTRIA)), 'centre')}"
            )
            entry: dict[str, Any] = {"phase": phase, "letters": [], "orders": {}}
            record.phases.append(entry)
            if phase.endswith("M"):
                for n in range(1, rounds + 1):
                    await self._negotiate(entry, n, rounds, years)
            await self._order(entry, years)
            self.game.process()
            self._look(year)
        return record

    def _look(self, year: int) -> None:
        """Whether the game is over; the centres, which the last phase of a year settles."""
        counts = {power: len(self.game.get_centers(power)) for power in POWERS}
        self.record.centres[str(FIRST_YEAR + year - 1)] = counts
        leader = max(counts, key=lambda power: counts[power])
        if counts[leader] >= TO_WIN:
            self.record.outcome = "win" if leader == AUSTRIA else "loss"
        elif not counts[AUSTRIA] and not self.game.get_units(AUSTRIA):
            self.record.outcome = "loss"
        elif self.game.is_game_done:
            self.record.outcome = "stalemate"

    def _playing(self) -> list[_Seat]:
        game, seats = self.game, self._seats.values()
        return [s for s in seats if game.get_units(s.power) or game.get_centers(s.power)]

    async def _negotiate(self, entry: dict[str, Any], n: int, rounds: int, years: int) -> None:
        """A round of letters, which all write before any is delivered."""
        seats = self._playing()
        more = {"round": str(n), "rounds": str(rounds)}
        asked = (self._ask(seat, NEGOTIATE, "letters", more, years) for seat in seats)
        for seat, written in zip(seats, await asyncio.gather(*asked), strict=True):
            for letter in written:
                one = letter if isinstance(letter, dict) else {}
                to, text = one.get("to"), one.get("text")
                if not (isinstance(to, str) and isinstance(text, str) and text.strip()):
                    continue
                text = neutralise(text.strip(), _MARKERS)
                receivers = [s for s in seats if s is not seat and to.upper() in (s.power, "ALL")]
                for other in receivers:
                    other.letters.append(f"{seat.power} to {to.upper()}: {text}")
                if receivers:
                    seat.letters.append(f"you to {to.upper()}: {text}")
                    entry["letters"].append([seat.power, to.upper(), text])

    async def _order(self, entry: dict[str, Any], years: int) -> None:
        """The orders of all who have some to give; what is not carried out is counted."""
        possible = self.game.get_all_possible_orders()
        seats = [s for s in self._playing() if self.game.get_orderable_locations(s.power)]
        legal = {
            seat.power: {
                at: sorted(possible[at])
                for at in sorted(self.game.get_orderable_locations(seat.power))
            }
            for seat in seats
        }
        lines = {power: "\n".join(f"{at}: {' | '.join(some)}" for at, some in of.items())
                 for power, of in legal.items()}  # fmt: skip
        asked = (self._ask(seat, ORDER, "orders", {"legal": lines[seat.power]}, years)
                 for seat in seats)  # fmt: skip
        for seat, written in zip(seats, await asyncio.gather(*asked), strict=True):
            allowed = {order for some in legal[seat.power].values() for order in some}
            carried_out = self._carried_out(seat.power, written, allowed)
            if seat.power == AUSTRIA:
                self.record.ordered += len(written)
                self.record.illegal += len(written) - len(carried_out)
            self.game.set_orders(seat.power, carried_out)
            entry["orders"][seat.power] = self.game.get_orders(seat.power)

    def _carried_out(
        self, power: str, written: Sequence[Any], allowed: Collection[str]
    ) -> list[str]:
        """Of each unit the first legal order, and as many to build or disband as are due."""
        orders = dict[str, str]()
        for n, one in enumerate(written):
            order = self._read_order(power, str(one).strip().upper(), allowed)
            if order in allowed:
                unit = f"{_WAIVE} {n}" if order == _WAIVE else order.split()[1].partition("/")[0]
                orders.setdefault(unit, order)
        most = None
        if self.game.phase_type == "A":
            most = abs(self.game.get_state()["builds"][power]["count"])
        return list(orders.values())[:most]

    def _read_order(self, power: str, text: str, allowed: Collection[str]) -> str:
        """An order as the list has it, where the engine reads it so: ``A Vienna-Galicia`` too."""
        if text in allowed:
            return text
        with suppress(LookupError, ValueError):  # of what is no order at all
            self.game.set_orders(power, [text])
        orders = self.game.get_orders(power)
        self.game.clear_orders(power)
        order = orders[0] if len(orders) == 1 else text
        return f"{order} VIA" if order not in allowed and f"{order} VIA" in allowed else order

    async def _ask(
        self, seat: _Seat, template: Template, key: str, more: Mapping[str, str], years: int
    ) -> Sequence[Any]:
        """The list that a power's reply holds; nothing where it cannot be read."""
        phase = self.game.get_current_phase()
        values = {
            "phase": phase, "year": str(int(phase[1:5]) - FIRST_YEAR + 1), "years": str(years),
            "board": self._board, "journal": seat.journal,
            "letters": seat.shown(), **more,
        }  # fmt: skip
        user = Message("user", fill(template.user, values))
        response = await seat.model.chat([Message("system", seat.system), user])
        listed, journal, problem = read_reply(response, key)
        if seat.power == AUSTRIA:
            seat.model.mark(response, problem)
        if problem:
            self.record.unread[seat.power] = self.record.unread.get(seat.power, 0) + 1
        seat.journal = neutralise(journal, _MARKERS) or seat.journal
        return listed

    def _shown_board(self) -> str:
        """Units and centres of each power."""
        return "\n".join(
            f"{power}: units {', '.join(self.game.get_units(power)) or 'none'}; centres "
            f"{', '.join(self.game.get_centers(power)) or 'none'}"
            for power in POWERS
        )


def _rules(power: str, character: str) -> str:
    manner = fill(CHARACTER, {"text": character}) if character else ""
    return fill(RULES, {"power": power, "character": manner})


def read_reply(response: ChatResponse, key: str) -> tuple[list[Any], str, str | None]:
    """The list of a reply and the journal, and what is wrong with it, if anything is."""
    if why := no_answer(response):
        return [], "", why
    reading = read_object(response, (key,))
    reply = reading.value or {}
    listed, journal = reply.get(key), reply.get("journal")
    if not isinstance(listed, list):
        return [], "", (reading.reason or f'"{key}" is no list').replace("the judge", "the power")
    return listed, journal if isinstance(journal, str) else "", None


def score_of(outcome: str, years: int) -> float:
    """As published: a win in t turns is 50 + (50 - t), a stalemate 50, a loss at t turns t."""
    return {"win": 100.0 - years, "stalemate": 50.0, "loss": float(years)}[outcome]
