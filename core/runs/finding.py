"""Which run a configuration means, and what two runs are not asked alike."""

from collections.abc import Mapping

from ..benchmark import Pack
from ..journal import Journal, RunRecord
from ..settings.run_config import RunConfig, identity
from ..types import JsonObject, digest

MODEL, JUDGE = "model", "judge"


def find_run(journal: Journal, config: RunConfig, pack: Pack) -> RunRecord | None:
    """The run that a configuration means; ``None`` where there is none, or a fresh one is meant."""
    return None if config.fresh else journal.newest_run(digest(identity(config, pack)))


_ASKED = ("benchmark", "version", "pack", "prompts", "options")


def asked_unlike(one: JsonObject, other: JsonObject) -> list[str]:
    """What of these two do not ask alike, in words; the model is none of it."""
    names = [name for name in _ASKED[:-1] if one.get(name) != other.get(name)]
    first, second = _object(one, "options"), _object(other, "options")
    options = [n for n in {**first, **second} if first.get(n) != second.get(n)]
    names += [f"--{name.replace('_', '-')}" for name in options]
    return names + ["roles"] * (_object(one, "roles") != _object(other, "roles"))


def _object(owner: JsonObject, name: str) -> JsonObject:
    value = owner.get(name)
    return value if isinstance(value, Mapping) else {}
