"""Of a file's comparisons those that may stand in one rating: demo models and real ones apart."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..errors import UsageError
from ..reading.names import left_out_of, told_left_out
from ..text import plural
from .comparisons import Comparisons


def part(
    comparisons: Comparisons,
    *,
    mixed: bool = False,
    without: Collection[str] = (),
    models: Collection[str] = (),
) -> Comparisons:
    """The comparisons between real models, or between demo models where there are no others.

    A file knows a demo model by its name alone.

    Args:
        comparisons: At least one.
        mixed: Take both kinds, and what is between them.
        without: Names of models that are left out.
        models: The only ones that are not; all where none is named.

    Raises:
        UsageError: One of them is not there, or nothing is left.
    """
    left_out = left_out_of(comparisons.models, without, models)
    out = np.array([name in left_out for name in comparisons.models])
    kept = comparisons.only(~(out[comparisons.a] | out[comparisons.b]))
    if not len(kept):
        raise UsageError(f"{'--without' if without else '--model'} leaves no comparison")
    return (kept if mixed else _of_one_kind(kept)).compact()


def has_demo(comparisons: Comparisons) -> bool:
    """Whether a demo model is among them, or the demo judge has judged."""
    return any(name.startswith("demo/") for name in (*comparisons.models, comparisons.judge))


def _of_one_kind(comparisons: Comparisons) -> Comparisons:
    demo = np.array([name.startswith("demo/") for name in comparisons.models])
    a, b = demo[comparisons.a], demo[comparisons.b]
    if not (a | b).any() or (a & b).all():
        return comparisons
    real = ~(a | b)
    kept = comparisons.only(real if real.any() else a & b)
    if not len(kept):
        are = plural(len(comparisons), "comparison", "is", "are")
        raise UsageError(
            f"{are} between a demo and a real model, and there is no other; add --demo"
        )
    left_out = told_left_out(len(comparisons) - len(kept), demo=bool(real.any()))
    return replace(kept, warnings=(*kept.warnings, left_out))
