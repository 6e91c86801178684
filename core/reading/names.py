"""Names that are none of those there are: refused, with the nearest one."""

from collections.abc import Collection, Iterable, Mapping
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


def models_called(
    word: str, models: Collection[tuple[str, str]], option: str = ""
) -> list[tuple[str, str]]:
    """The models that a word means: a name, else a spec, else the end of either after a slash.

    Args:
        word: What somebody calls a model.
        models: A name and a spec each.
        option: What it was given with, for the message.

    Returns:
        Those of one name, those of one spec, or the one that ends so; none where there is none.

    Raises:
        UsageError: The names of several end so.
    """
    end = f"/{word}"
    for known in (
        [m for m in models if m[0] == word],
        [m for m in models if m[1] == word],
        [m for m in models if m[0].endswith(end)],
        [m for m in models if m[1].endswith(end)],
    ):
        names = sorted({name for name, _ in known})
        if len(names) > 1 and word not in {spec for _, spec in known}:
            of = f"{option} {word}" if option else repr(word)
            raise UsageError(f"{of} may be any of {listed(names, _AS_NEAR)}; write the whole name")
        if known:
            return known
    return []


def left_out_of(
    names: Collection[str],
    without: Iterable[str] = (),
    models: Iterable[str] = (),
    specs: Mapping[str, str] = {},
) -> frozenset[str]:
    """The names of those models that ``--without`` and ``--model`` leave out.

    Args:
        names: Of all models.
        without: What is left out, as of `models_called`.
        models: What alone is not; all of them where nothing is named.
        specs: By a name its model's spec, where that is known.

    Raises:
        UsageError: One that is given is not there, or could be several.
    """
    known = [(name, specs.get(name, name)) for name in names]
    less = _names_of("--without", without, known)
    some = _names_of("--model", models, known)
    return less | (frozenset(names) - some if some else frozenset())


def _names_of(
    option: str, words: Iterable[str], known: Collection[tuple[str, str]]
) -> frozenset[str]:
    """The names that the words of an option mean."""
    meant = set[str]()
    for word in words:
        check_model(word, known, f"{option} {word}: no such model")
        meant |= {name for name, _ in models_called(word, known, option)}
    return frozenset(meant)


def check_model(word: str, models: Collection[tuple[str, str]], message: str) -> None:
    """Refuse, by `UsageError` with the nearest name, a word that means none of these models."""
    if not models_called(word, models):
        check_name(word, sorted({name for name, _ in models}), message, "there are")
