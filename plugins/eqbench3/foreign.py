"""Files that the published code of EQ-Bench 3 writes: runs, and comparisons out of its results.

Its file of ratings (``elo_results*.json``) holds every comparison with what the judge said, under
``__metadata__``. What the judge said is read again, as strictly as a reply of our own; the
numbers that the file derives from it are not used. What is of the wrong type is refused with its
place, and what cannot be read for certain is left out, counted with the reason.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from eibench import (
    ChatResponse,
    DataError,
    ForeignPart,
    ForeignResults,
    ForeignRun,
    folder,
    read_toml,
)
from eibench.judges import Codes, read_margins

from .foreign_calls import JudgedPair, UnreadableComparison, read_calls
from .foreign_runs import is_run, read_run
from .foreign_values import placed

if TYPE_CHECKING:
    from eibench import Comparison

FORM = "eqbench3"
LIST = ("__metadata__", "global_pairwise_comparisons")
"""The keys that lead to the comparisons."""


class _Facts(NamedTuple):
    """What the published code's data files say of scenarios."""

    codes: Codes
    kinds: Mapping[str, str]
    criteria: Mapping[str, Sequence[str]]
    families: Mapping[str, str]

    def criteria_of(self, scenario: str) -> Sequence[str]:
        """What the judge was asked for."""
        return self.criteria[self.kinds.get(scenario, "role-play")]


def read_file(parts: Iterable[ForeignPart], origin: Path, judge: str) -> ForeignResults:
    """The runs and comparisons of a file; `judge` is who judged where it does not say.

    Raises:
        DataError: It is another file, or a part of it is of the wrong type.
    """
    runs: list[ForeignRun] = []
    other: ForeignPart | None = None
    reader = _Reader(_read_facts())
    listed: object = None
    for part in parts:
        match part.path:
            case (*keys, int(n)) if tuple(keys) == LIST:
                listed = True
                with placed(origin, f"comparison {n + 1}"):
                    reader.add(part.value, judge)
            case keys if keys == LIST:
                listed = part.value
            case (str(key),) if is_run(part.value) and not key.startswith("__"):
                runs.append(read_run(key, part.value, origin, judge))
            case (str(key),) if not key.startswith("__"):
                other = other or part
    if runs and other:  # among runs a thing that is none is a broken one
        read_run(str(other.path[0]), other.value, origin, judge)
    if not runs or listed:
        _check_listed(listed, origin)
    return replace(reader.results(), runs=runs)


def _check_listed(listed: object, origin: Path) -> None:
    """Raise `DataError` for a file that holds neither runs nor comparisons."""
    if listed == []:
        raise DataError(origin, "holds no comparisons", f'"{LIST[1]}"')
    if listed is not True:
        message = (
            'is no file of EQ-Bench 3: it has no run with "scenario_tasks", and no list '
            f'"{LIST[1]}" in "{LIST[0]}"'
        )
        raise DataError(origin, message)


def _read_facts() -> _Facts:
    raw = read_toml(folder("eqbench3") / "official_protocol.toml")
    kinds: Mapping[str, Any] = raw["kinds"]
    groups = raw["families"]["groups"]
    return _Facts(
        codes=Codes(*raw["codes"]),
        kinds={id: name for name, kind in kinds.items() for id in kind.get("ids", ())},
        criteria={name: kind["pairwise_criteria"] for name, kind in kinds.items()},
        families={id: f"{group[0]} and kin" for group in groups for id in group},
    )


class _Reader:
    """Reads comparisons one by one and counts what it leaves out."""

    def __init__(self, facts: _Facts) -> None:
        self._facts = facts
        self._read: dict[tuple[object, ...], tuple[JudgedPair, dict[str, int]]] = {}
        self._left_out = Counter[str]()
        self._contradicted = 0

    def add(self, row: object, judge: str) -> None:
        """Take in a comparison: all judges' replies in it."""
        try:
            for call in read_calls(row, judge):
                self._add(call)
        except UnreadableComparison as error:
            self._left_out[str(error)] += 1

    def _add(self, call: JudgedPair) -> None:
        criteria = self._facts.criteria_of(call.scenario)
        reading = read_margins(ChatResponse(call.reply), criteria, self._facts.codes)
        if reading.value is None:
            self._left_out[f"what the judge said is unread: {reading.reason}"] += 1
            return
        margins = dict(reading.value.margins)
        first, second = (call.test, call.other)[:: 1 if call.first == "a" else -1]
        key = (call.scenario, call.iteration, first, second, call.judge)
        # The words were read: of a hundred thousand they would fill the memory.
        _, before = self._read.setdefault(key, (call._replace(reply=""), margins))
        if before is not margins:
            same = before == margins
            self._left_out["there already" if same else "there already, with another reply"] += 1
            return
        self._contradicted += _contradicts(call, sum(margins.values()))

    def results(self) -> ForeignResults:
        """All that was read."""
        from_zero = any(call.iteration == 0 for call, _ in self._read.values())
        start = 1 if from_zero else 0  # iterations of the file form begin at 1
        rows = [self._comparison(*pair, start) for pair in self._read.values()]
        return ForeignResults(rows, dict(self._left_out.most_common()), tuple(self._notes()))

    def _comparison(self, call: JudgedPair, margins: Mapping[str, int], start: int) -> "Comparison":
        from eibench import Comparison

        sign = 1 if call.first == "a" else -1
        return Comparison(
            item=call.scenario,
            iteration=call.iteration + start,
            a=call.test,
            b=call.other,
            first=call.first,
            margins={name: sign * margin for name, margin in margins.items()},
            judge=call.judge,
            len_a=call.len_test,
            len_b=call.len_other,
            family=self._facts.families.get(call.scenario, ""),
        )

    def _notes(self) -> Iterator[str]:
        if any(not call.judge for call, _ in self._read.values()):
            yield "the file does not say who judged: name the judge with --judge if you know"
        if self._contradicted:
            yield (
                f"of {self._contradicted} comparisons the file names another winner than the "
                "judge's words in it do; the words count"
            )


def _contradicts(call: JudgedPair, total: int) -> bool:
    """Whether the file says that another model won than the judge's pluses do."""
    if call.outcome not in (0, 0.5, 1) or isinstance(call.outcome, bool):
        return False
    for_test = total if call.first == "a" else -total
    return call.outcome != (1 if for_test > 0 else 0 if for_test < 0 else 0.5)
