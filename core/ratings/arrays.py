"""Arrays of numbers, and what is counted over their indices."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Small = npt.NDArray[np.int8]


def present(index: Ints, n: int) -> Ints:
    """The numbers below n that an index holds, sorted."""
    return np.flatnonzero(np.bincount(index, minlength=n))


def sum_by(index: Ints, values: Floats, n: int) -> Floats:
    """Sum of the values of each index, shape (n,)."""
    return np.asarray(np.bincount(index, values, n), dtype=np.float64)
