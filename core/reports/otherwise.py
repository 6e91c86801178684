"""What was asked otherwise than meant, told of a model, its judges and who plays roles.

The journal says of each party how it was asked (`types.otherwise`). What changes what a judge says
counts as part of who judges: verdicts that were asked for otherwise stand on another board.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple

from ..benchmark.model import JUDGE, MODEL, role_in
from ..journal import PartyAsking
from ..parties.graders import Judge, Panel
from ..parties.party import Party
from ..sample.progress import COMPARE
from ..text import by_player
from ..types.otherwise import FORMS, NOT_SENT, ROOM, SCHEMA
from ..types.result_document import ResultDocument
from .suggestions import bench

_VERDICTS = (JUDGE, COMPARE)
_THE_JUDGE = "the judge "
_MODEL, _JUDGE, _ROLE = "model", "judge ", "role "
"""How results call who was asked; behind the last two stands a name."""
_PARTLY = "partly "
_TOLD_ONLY = frozenset({ROOM, SCHEMA})
"""Decides whether a reply can be read, and not what it says."""
_REPEATS = frozenset({"seed"})
_FORM_WORDS: Mapping[str, str] = dict(zip(FORMS, ("system text", "turns"), strict=True))


class Departure(NamedTuple):
    """That a field was sent otherwise than meant, and how."""

    field: str
    how: str

    @property
    def draws(self) -> bool:
        """Whether it changes what a reply says."""
        return self.field not in _TOLD_ONLY

    @property
    def counts(self) -> bool:
        """Whether who was asked so is another judge, or player; a seed only repeats replies."""
        return self.draws and self.field not in _REPEATS

    def __str__(self) -> str:
        """Such as ``temperature not sent``."""
        return f"{_FORM_WORDS.get(self.field, self.field)} {self.how}"

    @property
    def behind(self) -> str:
        """The same as it stands behind who was asked: ``without temperature``."""
        partly = _PARTLY if self.how.startswith(_PARTLY) else ""
        how = self.how.removeprefix(_PARTLY)
        if how == NOT_SENT:
            return f"{partly}without {self.field}"
        return f"{partly}with {self._replace(how=how)}"


Departures = tuple[Departure, ...]
JudgeDepartures = tuple[tuple[Party, Departures], ...]
"""Of a judge, or of those judges of a panel that were asked otherwise; sorted."""
RoleDepartures = tuple[tuple[str, Departures], ...]
"""Of the roles, by name, whose players were; sorted."""


def behind(changes: Iterable[Departure]) -> str:
    """How somebody was asked, in words that stand behind a name; empty for as meant."""
    return " and ".join(change.behind for change in changes)


def named(name: str, changes: Iterable[Departure]) -> str:
    """Somebody's name with how it was asked, where that was otherwise than meant."""
    return " ".join(filter(None, (name, behind(changes))))


def judge_name(judge: Judge | None, changes: JudgeDepartures, name: str | None = None) -> str:
    """What a judge is called with how it was asked; of a panel, judge by judge; "" for none.

    Its name is its label, if no other is given.
    """
    if judge is None:
        return ""
    name = judge.label if name is None else name
    if not isinstance(judge, Panel):
        return named(name, (change for _, of_it in changes for change in of_it))
    each = "; ".join(named(one.short, of_it) for one, of_it in changes)
    return f"{name} ({each})" if each else name


def told_otherwise(by_party: Mapping[str, Mapping[str, str]], *, draws: bool | None = None) -> str:
    """What a result has as ``asked_otherwise``, on one line; empty for nothing.

    Of it only what changes a reply, or what changes none, where `draws` says which.
    """
    each = {who: tuple(starmap(Departure, changes.items())) for who, changes in by_party.items()}
    kept = {who: [c for c in of if draws in (None, c.draws)] for who, of in each.items()}
    return "; ".join(f"{who}: {', '.join(map(str, of))}" for who, of in kept.items() if of)


def changes_of(askings: Iterable[PartyAsking]) -> Departures:
    """How a party was asked, field by field, over all ways in which it was.

    What was so in a part of the calls alone is ``partly`` so.
    """
    ways = [asking.otherwise for asking in askings]
    fields = sorted({name for way in ways for name in way})
    return tuple(Departure(name, _how([way.get(name) for way in ways])) for name in fields)


def _how(ways: Sequence[str | None]) -> str:
    """How a field was sent; ``None`` stands for as meant."""
    different = sorted({way for way in ways if way is not None})
    partly = _PARTLY if None in ways or len(different) > 1 else ""
    return partly + " and ".join(different)


def role_changes(askings: Sequence[PartyAsking]) -> RoleDepartures:
    """How the players of roles were asked, those that were asked as meant left out."""
    phases = sorted({a.phase for a in askings if role_in(a.phase)})
    each = ((phase, changes_of(a for a in askings if a.phase == phase)) for phase in phases)
    return tuple((str(role_in(phase)), changes) for phase, changes in each if changes)


class AskedOtherwise(NamedTuple):
    """What was asked otherwise than meant: by the model, each judge, and each role."""

    model: Departures = ()
    judges: JudgeDepartures = ()
    roles: RoleDepartures = ()

    @classmethod
    def of(
        cls, askings: Sequence[PartyAsking], judge: Judge | None, not_sent: Iterable[str] = ()
    ) -> "AskedOtherwise":
        """What the journal says of the parties of a run; of its model, also what was not sent."""
        model = changes_of(a for a in askings if a.phase == MODEL)
        known = {change.field for change in model}
        model += tuple(Departure(name, NOT_SENT) for name in not_sent if name not in known)
        parties = judge.judges if judge else ()
        verdicts = [a for a in askings if a.phase in _VERDICTS]
        of_judges = ((j, changes_of(a for a in verdicts if a.party == j)) for j in parties)
        return cls(model, tuple(pair for pair in of_judges if pair[1]), role_changes(askings))

    @classmethod
    def read(cls, document: ResultDocument, judge: Judge | None) -> "AskedOtherwise":
        """What a result says, which is by that judge."""
        by_party = {
            who: tuple(starmap(Departure, changes.items()))
            for who, changes in document.get("asked_otherwise", {}).items()
        }
        judges = ((one, by_party.get(name, ())) for one, name in _keys(judge).items())
        roles = (
            (who.removeprefix(_ROLE), changes)
            for who, changes in by_party.items()
            if who.startswith(_ROLE)
        )
        return cls(
            by_party.get(_MODEL, ()), tuple(pair for pair in judges if pair[1]), tuple(roles)
        )

    def as_json(self, judge: Judge | None) -> dict[str, dict[str, str]]:
        """The same for a result by that judge: how, by who was asked and by field."""
        keys = _keys(judge)
        by_party = {
            _MODEL: self.model,
            **{keys[one]: changes for one, changes in self.judges},
            **{f"{_ROLE}{name}": changes for name, changes in self.roles},
        }
        return {who: dict(changes) for who, changes in by_party.items() if changes}

    @property
    def grading(self) -> JudgeDepartures:
        """What of it makes verdicts those of another grader."""
        each = ((one, _kept(changes)) for one, changes in self.judges)
        return tuple(pair for pair in each if pair[1])

    @property
    def playing(self) -> RoleDepartures:
        """What of it makes roles those of other players."""
        each = ((name, _kept(changes)) for name, changes in self.roles)
        return tuple(pair for pair in each if pair[1])

    def warnings(self) -> list[str]:
        """What to know before a result is trusted, one line for who was asked otherwise."""
        lines = _warned("the server", "replies were", self.model)
        for who, changes in self.by_name():
            drawn = "verdicts were" if who.startswith(_THE_JUDGE) else "its replies were"
            lines += _warned(who, drawn, changes)
        return lines

    def by_name(self) -> Iterator[tuple[str, Departures]]:
        """How judges and players were asked, by what sentences call them."""
        for judge, changes in self.judges:
            yield f"{_THE_JUDGE}{judge.short}", changes
        for name, changes in by_player(dict(self.roles)).items():
            yield f"who plays {name}", changes


AS_MEANT = AskedOtherwise()


def _kept(changes: Departures) -> Departures:
    return tuple(change for change in changes if change.counts)


def _keys(judge: Judge | None) -> dict[Party, str]:
    """What results call judges: by spec, with the host where two are of one spec."""
    judges = judge.judges if judge else ()
    several = Counter(one.short for one in judges)
    return {one: f"{_JUDGE}{one.short if several[one.short] == 1 else one.label}" for one in judges}


def _warned(who: str, drawn: str, changes: Iterable[Departure]) -> list[str]:
    """A line of who was asked otherwise; none of what changes no reply."""
    drawing = [change for change in changes if change.draws]
    refused = [change.field for change in drawing if change.how == NOT_SENT]
    lines = [f"{who} does not take {', '.join(refused)}: {drawn} drawn without"] if refused else []
    if rest := behind(change for change in drawing if change.how != NOT_SENT):
        lines.append(f"{who} was asked otherwise than meant: {drawn} drawn {rest}")
    see = bench("show", "RUN", "ITEM")
    return [f"{line}; {see} has what was sent" for line in lines]
