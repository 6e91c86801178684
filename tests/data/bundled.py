"""One test a check of bundled data: it lists all offenders, each with its file and line."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

Check: TypeAlias = Callable[..., None]
"""What is asserted of one row; it takes the row's values."""


def each(
    rows: Mapping[str, tuple[Any, ...]],
) -> Callable[[Check], Callable[[], None]]:
    """One test of all these rows, whose check is called with each row's values.

    Args:
        rows: By where each stands, as `lines_of` has it.
    """

    def of_all(check: Check) -> Callable[[], None]:
        def test() -> None:
            assert rows, "no rows to check"
            offenders = [
                f"{where}: {why}"
                for where, row in rows.items()
                if (why := _offence(check, row)) is not None
            ]
            assert not offenders, "\n".join(["", *offenders])

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return of_all


def _offence(check: Check, row: tuple[Any, ...]) -> str | None:
    try:
        check(*row)
    except Exception as error:  # noqa: BLE001 - a row without a field offends too, hiding no other
        return f"{type(error).__name__}: {error}"
    return None


def lines_of(path: Path, starts: Mapping[str, str]) -> dict[str, str]:
    """Where in a file each row begins, as `file:line`.

    Args:
        path: The file.
        starts: By row, the text of its first line.
    """
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row: f"{path.name}:{lines.index(start) + 1}" for row, start in starts.items()}
