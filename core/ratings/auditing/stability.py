"""How ranks change when one family of items, or one opponent, had not been there.

Ranks are within models that comparisons connect, with and without what is left out; a model
that is left out is taken from both orders before they are compared. A move is positive where a
model falls.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..comparisons import Comparisons
from ..fractional_logit import grouped, maximise
from .scenarios import Strengths

MOST_MODELS = 200
"""With more, opponents are not left out: each costs a solution of its own."""
_EQUAL = 1e-9


class Without(NamedTuple):
    """What leaving out a family or a model does.

    How many models change rank, the largest change and whose it is, and the new leader of the
    largest group, where it is another.
    """

    left_out: str
    moved: int
    largest: int
    model: str | None
    new_first: str | None


class Moves(NamedTuple):
    """One model's rank, and how far up and down it moves without a family or an opponent.

    The latter is ``None`` where it is not known. `demo`: whether a demo model is among those
    compared.
    """

    model: str
    rank: int
    families: tuple[int, int]
    opponents: tuple[int, int] | None
    demo: bool


class Stability(NamedTuple):
    """Rank changes without one family, and without one model each, the largest first.

    Models stand by rank. `reason` is why there are no opponents.
    """

    families: tuple[Without, ...]
    opponents: tuple[Without, ...] | None
    models: tuple[Moves, ...]
    reason: str | None = None


def leave_one_out(comparisons: Comparisons, strengths: Strengths, demo: bool = False) -> Stability:
    """Rank changes without each family and without each opponent."""
    names, n = comparisons.models, len(comparisons.models)
    everyone = np.ones(n, dtype=np.bool_)
    alone = len(comparisons.families) < 2
    by_family = (
        []
        if alone
        else [_moves(strengths, *one, everyone) for one in _families(comparisons, strengths)]
    )
    reason = _no_opponents(n)
    by_model = [] if reason else [_moves(strengths, *one) for one in _opponents(strengths)]
    rank = _ranks(strengths.theta, strengths.calls.component, everyone)
    order = np.lexsort((np.arange(n), rank, strengths.calls.component))
    return Stability(
        families=() if alone else _without_each(comparisons.families, by_family, strengths, names),
        opponents=None if reason else _without_each(names, by_model, strengths, names),
        models=tuple(
            Moves(names[i], int(rank[i]), _ends(by_family, i), against, demo)
            for i in order
            for against in [None if reason else _ends(by_model, i)]
        ),
        reason=reason,
    )


def _no_opponents(n: int) -> str | None:
    if n < 3:
        return "without one of two models there is nothing to rank"
    return f"more than {MOST_MODELS} models" if n > MOST_MODELS else None


class _Change(NamedTuple):
    """Moves of all models, 0 for one that is left out, and the ranks after."""

    move: Ints
    rank: Ints
    component: Ints


def _families(comparisons: Comparisons, strengths: Strengths) -> Iterator[tuple[Floats, Ints]]:
    """Strengths without each family, and which models comparisons still connect."""
    for family in range(len(comparisons.families)):
        left = strengths.calls.only(comparisons.family != family)
        yield strengths.replicates[family], left.component


def _opponents(strengths: Strengths) -> Iterator[tuple[Floats, Ints, Bools]]:
    """Strengths without each model, which are still connected, and who is left."""
    calls = grouped(strengths.calls)
    for model in range(calls.n_models):
        left = calls.only((calls.first != model) & (calls.second != model))
        present = np.arange(calls.n_models) != model
        yield maximise(left).theta, left.component, present


def _moves(strengths: Strengths, theta: Floats, component: Ints, present: Bools) -> _Change:
    before = _ranks(strengths.theta, component, present)
    after = _ranks(theta, component, present)
    return _Change(np.where(present, after - before, 0), np.where(present, after, 0), component)


def _ranks(theta: Floats, component: Ints, present: Bools) -> Ints:
    """1 for the best of its component; equals share a rank."""
    better = theta[None, :] - theta[:, None] > _EQUAL
    same = (component[:, None] == component[None, :]) & present[None, :]
    return np.asarray(1 + (better & same).sum(axis=1))


def _without_each(
    left_out: tuple[str, ...], changes: list[_Change], strengths: Strengths, names: tuple[str, ...]
) -> tuple[Without, ...]:
    main = int(np.bincount(strengths.calls.component).argmax())
    inside = strengths.calls.component == main
    pairs = zip(left_out, changes, strict=True)
    rows = [_without(name, change, names, inside) for name, change in pairs]
    return tuple(sorted(rows, key=lambda w: (-w.largest, -w.moved, w.left_out)))


def _without(name: str, change: _Change, names: tuple[str, ...], inside: Bools) -> Without:
    size = np.abs(change.move)
    furthest = int(size.argmax())
    # Who leads with a rank of 1 now and did not before has come from further down.
    leads = inside & (change.rank == 1) & (change.move < 0)
    return Without(
        left_out=name,
        moved=int((size > 0).sum()),
        largest=int(size[furthest]),
        model=names[furthest] if size[furthest] else None,
        new_first=names[int(leads.argmax())] if leads.any() else None,
    )


def _ends(changes: list[_Change], model: int) -> tuple[int, int]:
    moves = [0, *(int(change.move[model]) for change in changes)]
    return min(moves), max(moves)
