"""How ranks change when one family of items, or one opponent, had not been there.

Ranks are within models that comparisons connect, with and without what is left out; a model
that is left out is taken from both orders before they are compared. A move is positive where a
model falls.
"""

from typing import NamedTuple

import numpy as np

from eibench import Strengths

from .arrays import Bools, Floats, Ints

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

    The latter is ``None`` where it is not known.
    """

    model: str
    rank: int
    families: tuple[int, int]
    opponents: tuple[int, int] | None


class Stability(NamedTuple):
    """Rank changes without one family, and without one model each, the largest first.

    Models stand by rank. `reason` is why there are no opponents.
    """

    families: tuple[Without, ...]
    opponents: tuple[Without, ...] | None
    models: tuple[Moves, ...]
    reason: str | None = None


def leave_one_out(strengths: Strengths) -> Stability:
    """Rank changes without each family and without each opponent."""
    comparisons, n = strengths.comparisons, len(strengths.comparisons.models)
    alone, reason = len(comparisons.families) < 2, _no_opponents(n)
    everyone, others = np.ones(n, dtype=np.bool_), ~np.eye(n, dtype=np.bool_)
    by_family = [] if alone else [
        _moves(strengths, *one, everyone) for one in strengths.without_families()
    ]  # fmt: skip
    by_model = [] if reason else [
        _moves(strengths, *one, present)
        for one, present in zip(strengths.without_models(), others, strict=True)
    ]  # fmt: skip
    rank = _ranks(strengths.theta, strengths.component, everyone)
    order = np.lexsort((np.arange(n), rank, strengths.component))
    return Stability(
        families=() if alone else _without_each(comparisons.families, by_family, strengths),
        opponents=None if reason else _without_each(comparisons.models, by_model, strengths),
        models=tuple(
            Moves(comparisons.models[i], int(rank[i]), _ends(by_family, i), against)
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
    left_out: tuple[str, ...], changes: list[_Change], strengths: Strengths
) -> tuple[Without, ...]:
    main = int(np.bincount(strengths.component).argmax())
    inside = strengths.component == main
    pairs = zip(left_out, changes, strict=True)
    models = strengths.comparisons.models
    rows = [_without(name, change, models, inside) for name, change in pairs]
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
