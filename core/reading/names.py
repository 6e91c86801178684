"""Names that are none of those there are: refused, with the nearest one."""

from collections.abc import Collection, Iterable
from difflib import SequenceMatcher, get_close_matches

from ..errors import UsageError
from ..text import listed

_LISTED = 12
_AS_NEAR = 4


def nearest_of(name: str, names: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """The names that are nearest to one that is none of them: several that are alike near."""
    near = get_close_matches(name, list(names), n=_AS_NEAR, cutoff=cutoff)
    likeness = {one: SequenceMatcher(None, name, one).ratio() for one in near}
    return sorted(one for one in near if likeness[one] == max(likeness.values()))


def nearest(name: str, names: Iterable[str]) -> str:
    """``; did you mean ...?`` for a name that is none of these; empty when none is near."""
    near = nearest_of(name, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def check_name(name: str, names: Collection[str], message: str, label: str) -> None:
    """Refuse a name that is none of these by `UsageError`, which tells the nearest one.

    The `message` says what was wrong, `label` what to call the names.
    """
    if name in names:
        return
    by_case = {known.lower(): known for known in names}
    near = nearest(name.lower(), by_case)
    for lower, known in by_case.items():
        near = near.replace(f" {lower}?", f" {known}?").replace(f" {lower} or ", f" {known} or ")
    raise UsageError(f"{message}{near} ({label}: {listed(list(names), _LISTED) or 'none'})")


def check_without(without: Iterable[str], names: Collection[str]) -> None:
    """Refuse, by `UsageError`, a model of ``--without`` that is none of these."""
    for model in without:
        check_name(model, names, f"--without {model}: no such model", "there are")


def left_out_of(
    names: Collection[str], without: Iterable[str] = (), models: Iterable[str] = ()
) -> frozenset[str]:
    """Those of some names that ``--without`` and ``--model`` leave out.

    Raises:
        UsageError: One that is given is not there.
    """
    check_without(without, names)
    for model in models:
        check_name(model, names, f"--model {model}: no such model", "there are")
    return frozenset(without) | (frozenset(names) - frozenset(models) if models else frozenset())
