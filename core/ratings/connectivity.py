"""Which models are connected by comparisons: only those share a scale."""

import numpy as np

from .comparisons import Ints, present


def components(n_models: int, a: Ints, b: Ints) -> Ints:
    """Number of each model's component, shape (n_models,), from 0 by its smallest member.

    Args:
        n_models: How many models there are; one without comparisons is its own component.
        a: One end of each comparison, shape (n,).
        b: The other end.
    """
    edges = present(a * n_models + b, n_models * n_models)
    one, other = edges // max(n_models, 1), edges % max(n_models, 1)
    label = np.arange(n_models)
    while True:
        smaller = label.copy()
        np.minimum.at(smaller, one, label[other])
        np.minimum.at(smaller, other, label[one])
        smaller = smaller[smaller]
        if np.array_equal(smaller, label):
            return np.unique(label, return_inverse=True)[1].astype(np.int64)
        label = smaller
