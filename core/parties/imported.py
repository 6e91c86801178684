"""Runs that another program made: how they are told from our own, everywhere.

Their model and their judge have specs of a provider of their own, ``imported/NAME``, which
nobody can ask: so no command goes on with such a run, and no verdict of another program's is
taken for one that we asked for. What that program did not write down is not made up.
"""

from collections.abc import Mapping

from ..types import JsonObject

PROVIDER = "imported"
MARK = " (imported)"
"""What the name of every such model ends in."""
NOT_RECORDED = "sampling and system prompt are not recorded"


def is_imported(spec: object) -> bool:
    """Whether a model or a judge, by its spec or label, is one that another program asked."""
    return str(spec).startswith(f"{PROVIDER}/")


def origin_of(model: str, settings: JsonObject) -> Mapping[str, str] | None:
    """Where a run was imported from, as its settings say; ``None`` where it is our own."""
    origin = settings.get("imported")
    known = {k: str(v) for k, v in origin.items()} if isinstance(origin, dict) else {}
    return known if is_imported(model) else None


def plain_name(name: str) -> str:
    """A model's name without the mark."""
    return name.removesuffix(MARK)
