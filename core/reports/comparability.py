"""What a result may stand beside: its pack, its protocol, and what was done otherwise."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..benchmark import Pack
from ..guard import guard
from ..hints import bench
from ..imported import NOT_RECORDED, is_imported
from ..text import plural
from ..types import JsonDict
from .evidence import Spent

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig


def comparability(
    config: "RunConfig",
    pack: Pack,
    *,
    demo: bool,
    n_items: int,
    status: str,
    kept_back: Sequence[str] = (),
    given: bool = False,
    absent: int = 0,
    cut_off: bool = True,
) -> str:
    """One line: pack, protocol, grader, and which published numbers a result may stand beside.

    Args:
        config: How it was asked for.
        pack: Its data.
        demo: A demo model replied.
        n_items: How many items it is about.
        status: Of the result.
        kept_back: Parameters that the server does not take.
        given: The answers were made elsewhere.
        absent: How many samples they leave out.
        cut_off: The token limit cut a reply.
    """
    benchmark, source = config.benchmark, pack.source
    changed = _deviations(config, kept_back, cut_off=cut_off)
    options = benchmark.request_options(config.options)
    options |= benchmark.grade_options(config.options)
    parts = [f"{benchmark.name} v{benchmark.version}", f"pack {source.name} ({source.sha256[:12]})"]
    parts += [f"{name} {_plain(value)}" for name, value in options.items()]
    parts += [f"judge {config.judge.stored_label}"] if config.judge else []
    parts += [f"{role} played by {player.stored_label}" for role, player in config.roles.items()]
    imported = is_imported(config.model.spec)
    parts += ["imported from another program"] if imported else []
    parts += [f"changed: {changed}"] if changed else []
    parts += ["own system prompt"] if config.system else []
    partial = n_items < len(pack.items)
    parts += [f"only {n_items} of {len(pack.items)} items"] if partial else []
    parts += ["answers made elsewhere"] if given else []
    if demo:
        may = "DEMO model: no result of a real model"
    elif imported:
        may = f"beside no published score: {NOT_RECORDED}"
    elif partial or changed or config.system:
        may = "beside no published score: not the pack's own protocol in full"
    elif absent:
        are = plural(absent, "answer", "is", "are")
        may = f"beside no published score: {are} absent"
    elif status != "complete":
        may = f"beside no published score: the result is not complete ({status})"
    else:
        may = pack.comparability
    return "; ".join([*parts, may])


def told_changes(
    config: "RunConfig", kept_back: Sequence[str] = (), *, cut_off: bool = True
) -> str | None:
    """How a run was asked otherwise than its pack says; ``None`` where it was not.

    Args:
        config: How it was asked for.
        kept_back: Parameters that the server does not take.
        cut_off: The token limit cut a reply.
    """
    if is_imported(config.model.spec):
        return f"imported: {NOT_RECORDED}"
    own = ["own system prompt"] if config.system else []
    changed = _deviations(config, kept_back, cut_off=cut_off)
    return ", ".join([*([changed] if changed else []), *own]) or None


def _deviations(config: "RunConfig", kept_back: Sequence[str], *, cut_off: bool) -> str:
    """The changes of sampling, as a list in words."""
    changes = [f"{name}={value}" for name, value in _changes(config, cut_off=cut_off).items()]
    return ", ".join([*changes, *(f"{name} not sent" for name in kept_back)])


_TAKEN_AS = {
    "temperature": {"temperature"},
    "top_p": {"top_p"},
    "min_p": {"min_p"},
    "seed": {"seed"},
    "reasoning_effort": {"reasoning_effort", "thinking", "output_config"},
}
"""What decides how replies are drawn, and what providers call it."""


def not_sent(config: "RunConfig", spent: Spent) -> list[str]:
    """What was asked for and never sent, as the server does not take it."""
    if not spent.calls["generate"]:
        return []
    asked = config.effective_sampling.sent()
    return [name for name, words in _TAKEN_AS.items() if name in asked and not words & spent.sent]


def not_taken(names: Sequence[str]) -> list[str]:
    """A warning about what was not sent, if anything was."""
    if not names:
        return []
    return [
        f"the server does not take {', '.join(names)}: replies were drawn without; "
        f"{bench('show', 'RUN', 'ITEM')} has what was sent"
    ]


def _changes(config: "RunConfig", *, cut_off: bool) -> JsonDict:
    """How replies are drawn otherwise than the benchmark says.

    A seed repeats what the protocol would give anyway; another room changes no answer that fits.
    """
    own = guard(config.benchmark).sampling_for(config.options)
    used = config.effective_sampling
    same = {"seed"}
    if not cut_off or (used.max_tokens or 0) >= (own.max_tokens or 0):
        same.add("max_tokens")
    sent = used.sent().items()
    return {n: v for n, v in sent if n not in same and v != getattr(own, n)}


def _plain(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
