"""In what runs differ: what was asked, of whom, and how, as far as it is not the same in all."""

from collections.abc import Mapping, Sequence

from ..journal import Journal, RunRecord
from ..parties.party import LOCAL
from ..reports.comparing import Both
from ..reports.otherwise import AskedOtherwise, behind
from ..settings.run_config import stored_roles
from ..text import line
from ..types import JsonDict, canonical, digest
from .finding import MODEL

_SYSTEM = 30
"""Characters of a system prompt that are shown."""


def differences(runs: Sequence[RunRecord]) -> list[str]:
    """For each run what sets it apart from others of its benchmark, in words; empty for nothing.

    How replies are drawn is compared between runs with the same options, which decide it too.
    """
    asked = _apart([run.benchmark for run in runs], list(map(_asked, runs)))
    alike = [canonical([run.benchmark, _plain(run.settings.get("options"))]) for run in runs]
    drawn = _apart(alike, [_plain(run.settings.get("sampling")) for run in runs])
    return [", ".join(filter(None, both)) for both in zip(asked, drawn, strict=True)]


def changed(journal: Journal, one: RunRecord, two: RunRecord) -> Both:
    """What is known to differ between two runs beside what was sent: the values of both by name.

    What servers say of the weights that they have, where they are, and notes.
    """
    first, second = (recorded(journal, run) for run in (one, two))
    names = dict.fromkeys([*first, *second])
    return {n: [first.get(n), second.get(n)] for n in names if first.get(n) != second.get(n)}


def recorded(journal: Journal, run: RunRecord) -> JsonDict:
    """What is recorded of a run beside what its model was sent: server, weights, notes."""
    return {**_model(journal, run), **_asked_otherwise(journal, run), **_notes(run)}


def _asked_otherwise(journal: Journal, run: RunRecord) -> JsonDict:
    """How its model was asked otherwise than meant, in what changes a reply."""
    model = AskedOtherwise.of(journal.askings_of(run), None).model
    departures = behind(change for change in model if change.draws)
    return {"model asked": departures} if departures else {}


def _notes(run: RunRecord) -> JsonDict:
    return {f"note {name}": text for name, text in run.settings.get("notes", {}).items()}


def _model(journal: Journal, run: RunRecord) -> JsonDict:
    """Where a run's model is, and what its server said of it when it was asked first."""
    asked = next(iter(journal.asked(run, MODEL)), None)
    entry = (asked and asked.entry) or {}
    weights = {f"weights {n}": v for n, v in entry.items() if n != "id" and v != entry.get("id")}
    near = asked.addresses[-1:] if asked and run.endpoint == LOCAL else ()
    return {"server": next(iter(near), run.endpoint), **weights}


def _apart(groups: Sequence[str], known: Sequence[Mapping[str, object]]) -> list[str]:
    """For each run the facts that are not the same in all runs of its group."""
    words = []
    for group, facts_here in zip(groups, known, strict=True):
        alongside = [facts for of, facts in zip(groups, known, strict=True) if of == group]
        names = dict.fromkeys(name for facts in alongside for name in facts)
        differing = [n for n in names if len({str(facts.get(n)) for facts in alongside}) > 1]
        words.append(", ".join(f"{n} {facts_here.get(n, 'as usual')}" for n in differing))
    return words


def _asked(run: RunRecord) -> Mapping[str, object]:
    settings = run.settings
    facts: dict[str, object] = {"version": run.benchmark_version, "data": run.pack_sha256[:12]}
    facts |= {"at": run.endpoint} if run.endpoint else {}
    facts |= _plain(settings.get("options"))
    facts |= {role: player.label for role, player in stored_roles(settings).items()}
    if system := settings.get("system"):
        facts["system prompt"] = f"{line(str(system))[:_SYSTEM]}… {digest(system)[:6]}"
    return facts


def _plain(value: object) -> dict[str, object]:
    options = value if isinstance(value, Mapping) else {}
    words = {True: "on", False: "off"}
    return {n: words[v] if isinstance(v, bool) else v for n, v in options.items() if v is not None}
