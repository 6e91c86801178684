"""What people see beside a result: behaviour over the talk."""

from collections.abc import Sequence

from eibench import Plot, ResultDocument, Series

from .benchmark import QUARTERS


def section(document: ResultDocument) -> Sequence[Plot] | None:
    """Protective and risky behaviour in each quarter of the talks."""
    metrics = document["metrics"]
    lines = []
    for kind in ("protective", "risky"):
        rows = [(n, metrics.get(f"{kind}_{n}")) for n in range(1, 5)]
        points = [(n, row["value"]) for n, row in rows if row and row["value"] is not None]
        lines += [Series(kind, points)] * bool(points)
    plot = Plot("Behaviour over the talk", lines, "quarter of the talk", QUARTERS)
    return [plot] if lines else None
