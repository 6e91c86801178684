"""From runs, or from a benchmark's items, to a set of questions for people."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite
from random import Random
from typing import NamedTuple

from eibench import Benchmark, PeopleQuestion, StoredRun, UsageError, Value

from .drawing import Drawn, Key, draw
from .sets import PAIR, Entry, LabelSet, new_id
from .showing import ShownTurn, blinded, digest, turns_of

_STEPS = (3, 10)
"""A scale of so many whole numbers is taken as it is; others get eleven steps."""


class DrawingPlan(NamedTuple):
    """How a set is drawn.

    Attributes:
        number: Of items.
        strata: By score; 0 or 1 for none.
        repeats: How many questions are shown twice.
        seed: Of the drawing; ``None`` for a new one.
        recruited: How people were found.
    """

    number: int
    strata: int
    repeats: int
    seed: int | None
    recruited: str


class BlindedSet(NamedTuple):
    """A set, and what its entries show."""

    labels: LabelSet
    shown: Mapping[str, Sequence[Sequence[ShownTurn]]]


def scale_of(value: Value | None, name: str, steps: Sequence[float]) -> tuple[float, ...]:
    """What can be answered, ascending: what was asked for, or the value's own range.

    Raises:
        UsageError: The value has no range, or the steps are no scale.
    """
    if steps:
        if len(steps) < 2 or list(steps) != sorted(set(steps)):
            raise UsageError("--scale takes two numbers or more, in rising order")
        return tuple(steps)
    low, high = value.ends if value else (-float("inf"), float("inf"))
    if not (isfinite(low) and isfinite(high)):
        raise UsageError(f"{name} has no range of its own; say what people can answer: --scale 0,1")
    if value and value.kind == "share":
        return (0.0, 1.0)
    whole = low == int(low) and high == int(high) and _STEPS[0] <= high - low <= _STEPS[1]
    n = int(high - low) if whole else 10
    return tuple(round(low + (high - low) * k / n, 10) for k in range(n + 1))


def common_samples(runs: Sequence[StoredRun]) -> list[Key]:
    """Samples of which every run has an answer.

    Raises:
        UsageError: There is none.
    """
    answered = [
        run.samples_begun - {(f.item_id, f.iteration) for f in run.failures} for run in runs
    ]
    if not (common := sorted(frozenset.intersection(*map(frozenset, answered)))):
        raise UsageError("these runs have no sample in common that all have answered")
    return common


def label_set(
    benchmark: Benchmark,
    runs: Sequence[StoredRun],
    value: str,
    scale: tuple[float, ...],
    plan: DrawingPlan,
    scores: Mapping[Key, float] | None = None,
) -> BlindedSet:
    """A set of single transcripts; or of pairs, where `value` is `PAIR`.

    Every run has its transcript of each drawn item in it, so that models can be told apart on the
    same items; of pairs, each two runs.
    """
    seed = secrets.randbits(32) if plan.seed is None else plan.seed
    rng, keys = Random(seed), common_samples(runs)
    drawn = draw(keys, plan.number, rng, scores, plan.strata)
    names = [name for run in runs for name in (run.name, run.model)]
    questions = _pairs if value == PAIR else _singles
    rows = list(questions(runs, drawn, rng, _reader(names)))
    rng.shuffle(rows)
    kind = "pair" if value == PAIR else "single"
    return _numbered(benchmark, kind, value, scale, None, seed, plan, len(keys), rows, rng)


_Row = tuple[Entry, Sequence[Sequence[ShownTurn]]]
_Reader = Callable[[StoredRun, Key], list[ShownTurn]]


def _reader(names: Sequence[str]) -> _Reader:
    def read(run: StoredRun, key: Key) -> list[ShownTurn]:
        return blinded(turns_of(run, *key), names)

    return read


def shown_of(run: StoredRun, key: Key, runs: Sequence[StoredRun]) -> str:
    """The digest of a transcript as a set of these runs shows it."""
    names = [name for one in runs for name in (one.name, one.model)]
    return digest(blinded(turns_of(run, *key), names))


def _singles(
    runs: Sequence[StoredRun], drawn: Sequence[Drawn], rng: Random, read: _Reader
) -> Iterator[_Row]:
    for (item_id, n), probability, stratum in drawn:
        for run in runs:
            turns = read(run, (item_id, n))
            entry = Entry(item_id, n, probability, stratum, run.id, transcript=digest(turns))
            yield entry, [turns]


def _pairs(
    runs: Sequence[StoredRun], drawn: Sequence[Drawn], rng: Random, read: _Reader
) -> Iterator[_Row]:
    for (item_id, n), probability, stratum in drawn:
        for pair in combinations(runs, 2):
            left, right = pair if rng.random() < 0.5 else pair[::-1]
            texts = [read(run, (item_id, n)) for run in (left, right)]
            one, two = map(digest, texts)
            ids = left.id, right.id
            yield Entry(item_id, n, probability, stratum, *ids, one, two), texts


def test_set(
    benchmark: Benchmark,
    questions: Mapping[str, PeopleQuestion],
    number: int | None,
    plan: DrawingPlan,
) -> BlindedSet:
    """A set of a benchmark's items that people answer: all, or so many drawn at random."""
    seed = secrets.randbits(32) if plan.seed is None else plan.seed
    rng, keys = Random(seed), [(item_id, 1) for item_id in questions]
    drawn = draw(keys, number or len(keys), rng, None, 0)
    first = next(iter(questions.values()))
    rows: list[_Row] = []
    for (item_id, n), probability, _ in drawn:
        question = questions[item_id]
        entry = Entry(item_id, n, probability, options=question.options)
        rows.append((entry, [[ShownTurn("", question.text)]]))
    ends, plan = (first.low, first.high), plan._replace(repeats=0, number=len(drawn))
    return _numbered(benchmark, "take", "", ends, first.total, seed, plan, len(keys), rows, rng)


def _numbered(
    benchmark: Benchmark,
    kind: str,
    value: str,
    scale: tuple[float, ...],
    total: float | None,
    seed: int,
    plan: DrawingPlan,
    population: int,
    rows: Sequence[_Row],
    rng: Random,
) -> BlindedSet:
    entries, shown = list[Entry](), dict[str, Sequence[Sequence[ShownTurn]]]()
    again = rng.sample(range(len(rows)), min(plan.repeats, len(rows)))
    digits = len(str(len(rows) + len(again)))
    for n, position in enumerate([*range(len(rows)), *again]):
        entry, texts = rows[position]
        if n >= len(rows) and kind == "pair":  # the other way round, to tell habit from judgement
            entry, texts = _flipped(entry), texts[::-1]
        entry_id = f"q{n + 1:0{digits}}"
        repeats = entries[position].id if n >= len(rows) else ""
        of_entry = digest([texts, entry.options])
        entries.append(replace(entry, id=entry_id, repeats=repeats, shown=of_entry))
        shown[entry_id] = texts
    labels = LabelSet(
        id=new_id(),
        benchmark=benchmark.name,
        kind=kind,
        value=value,
        scale=scale,
        total=total,
        seed=seed,
        drawn=plan.number,
        population=population,
        recruited=plan.recruited,
        salt=secrets.token_hex(16),
        entries=tuple(entries),
    )
    return BlindedSet(labels, shown)


def _flipped(entry: Entry) -> Entry:
    """A pair with left and right changed round."""
    return replace(
        entry,
        run=entry.run_b,
        run_b=entry.run,
        transcript=entry.transcript_b,
        transcript_b=entry.transcript,
    )
