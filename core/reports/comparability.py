"""What a result may stand beside: its pack, its protocol, and what was done otherwise.

Results whose protocols differ never stand in one column. Pack, version, options, judge, system
prompt and how replies are drawn belong to a protocol; who answered, how many items and
iterations, and seeds do not.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark import Benchmark, Pack
from ..errors import UsageError
from ..guard import guard
from ..journal import RunRecord
from ..parties.graders import Judge, judge_of
from ..parties.party import NOT_RECORDED, Party, is_imported
from ..text import by_player, in_words, plural
from ..types import SAMPLING, JsonDict, Sampling, digest
from ..types.otherwise import NOT_SENT
from ..types.result_document import Facts, ResultDocument
from .judge_replies import short_panel
from .otherwise import AS_MEANT, AskedOtherwise, Departures, judge_name, named

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig
    from .evidence import UsageTotals


ASKED_OTHERWISE = (
    "not comparable with published scores: a judge or a role was asked otherwise than meant"
)


def comparability(
    config: "RunConfig",
    pack: Pack,
    *,
    demo: bool,
    n_items: int,
    status: str,
    otherwise: AskedOtherwise = AS_MEANT,
    elsewhere: bool = False,
    absent: int = 0,
    cut_off: bool = True,
) -> str:
    """One line: pack, protocol, grader, and which published numbers a result may stand beside.

    `otherwise` is what servers were asked otherwise than meant; `elsewhere`: eibench did not ask
    for the answers; `absent`: samples that these leave out; `cut_off`: the token limit cut a reply.
    """
    benchmark, source = config.benchmark, pack.source
    changed = _deviations(config, otherwise.model, cut_off=cut_off)
    options = benchmark.request_options(config.options)
    options |= benchmark.grade_options(config.options)
    parts = [f"{benchmark.name} v{benchmark.version}", f"pack {source.name} ({source.sha256[:12]})"]
    parts += [f"{name} {in_words(value)}" for name, value in options.items()]
    parts += [f"judge {judge_name(config.judge, otherwise.grading)}"] if config.judge else []
    played, parties = dict(otherwise.playing), {r: p.party for r, p in config.roles.items()}
    players = by_player({r: named(str(p), played.get(r, ())) for r, p in parties.items()})
    parts += [f"{role} played by {player}" for role, player in players.items()]
    imported = is_imported(config.model.spec)
    parts += ["imported: answered elsewhere"] if imported else []
    parts += [f"changed: {changed}"] if changed else []
    parts += ["own system prompt"] if config.system else []
    partial = n_items < len(pack.items)
    parts += [f"only {n_items} of {len(pack.items)} items"] if partial else []
    parts += ["answers made elsewhere"] if elsewhere else []
    if demo:
        may = "DEMO model: no result of a real model"
    elif imported:
        may = f"not comparable with published scores: {NOT_RECORDED}"
    elif partial or changed or config.system:
        may = "not comparable with published scores: not the pack's own protocol in full"
    elif absent:
        are = plural(absent, "answer", "is", "are")
        may = f"not comparable with published scores: {are} absent"
    elif status != "complete":
        may = f"not comparable with published scores: the result is not complete ({status})"
    elif otherwise.grading or otherwise.playing:
        may = ASKED_OTHERWISE
    elif differing := unlike_published(config):
        may = differing
    else:
        may = pack.comparability
    return "; ".join([*parts, may])


def unlike_published(config: "RunConfig") -> str | None:
    """Why judges or players keep a run from published numbers, if they do."""
    players = {role: player.party for role, player in config.roles.items()}
    return off_published(config.benchmark, config.judge, players)


def off_published(
    benchmark: Benchmark, judge: Judge | None, players: Mapping[str, Party]
) -> str | None:
    """The same of results with these judges and players."""
    if benchmark.published_with is None:
        return None
    differing = benchmark.published_with.difference(judge, players)
    return differing and f"not comparable with published scores: {differing}"


def told_changes(
    config: "RunConfig", otherwise: Departures = (), *, cut_off: bool = True
) -> str | None:
    """How a run was asked otherwise than its pack says; ``None`` where it was not."""
    if is_imported(config.model.spec):
        return f"imported: {NOT_RECORDED}"
    changes = ["own system prompt"] if config.system else []
    changed = _deviations(config, otherwise, cut_off=cut_off)
    return ", ".join([*([changed] if changed else []), *changes]) or None


def _deviations(config: "RunConfig", otherwise: Departures, *, cut_off: bool) -> str:
    """The changes of sampling, as a list in words: the user's, then those of the server."""
    changed = _changes(config, cut_off=cut_off)
    refused = {change.field for change in otherwise if change.how == NOT_SENT}
    asked = [
        f"{name}={value}{' asked for and not sent' * (name in refused)}"
        for name, value in changed.items()
    ]
    rest = (c for c in otherwise if c.draws and not (c.how == NOT_SENT and c.field in changed))
    return ", ".join([*asked, *map(str, rest)])


def not_sent(config: "RunConfig", spent: "UsageTotals") -> list[str]:
    """What was asked for and never sent, as the server does not take it."""
    if not spent.calls["generate"]:
        return []
    asked = config.effective_sampling.sent()
    drawing = {n: {n, *one.sent_as} for n, one in SAMPLING.items() if one.draws and n in asked}
    return [name for name, words in drawing.items() if not words & spent.sent]


def otherwise_of(config: "RunConfig", spent: "UsageTotals") -> AskedOtherwise:
    """What the parties of a run were asked otherwise than meant, with its judge."""
    return AskedOtherwise.of(spent.askings, config.judge, not_sent(config, spent))


_REPEATING = frozenset(name for name, one in SAMPLING.items() if one.repeats)


def _changes(config: "RunConfig", *, cut_off: bool) -> JsonDict:
    """How replies are drawn otherwise than the benchmark says.

    A seed repeats what the protocol would give anyway; another room changes no answer that fits.
    How those of an imported run were drawn is not recorded.
    """
    if is_imported(config.model.spec):
        return {}
    changed = guard(config.benchmark).sampling_for(config.options)
    used = config.effective_sampling
    same = set(_REPEATING)
    if not cut_off or (used.max_tokens or 0) >= (changed.max_tokens or 0):
        same.add("max_tokens")
    changes = {n: v for n, v in _differing_fields(used, changed).items() if n not in same}
    for role in config.benchmark.roles:
        differing = _differing_fields(config.sampling_of(role), role.sampling)
        changes |= {f"{role.name} {name}": value for name, value in differing.items()}
    parties = {"": config.model, **{f"{name} ": p for name, p in config.roles.items()}}
    changes |= {f"{who}system": "off" for who, p in parties.items() if not p.settings.system}
    return changes


def _differing_fields(used: Sampling, meant: Sampling) -> JsonDict:
    """The values of the fields that differ; none for what is not sent."""
    names = {**meant.sent(), **used.sent()}
    values: JsonDict = {name: getattr(used, name) for name in names}
    return {
        name: "none" if value is None else value
        for name, value in values.items()
        if value != getattr(meant, name)
    }


class RunResult(NamedTuple):
    """A run with its last result document."""

    run: RunRecord
    document: ResultDocument


def protocol_of(outcome: RunResult, benchmark: Benchmark | None) -> dict[str, str]:
    """What a result was made with, as texts by name.

    Of a benchmark that is no longer installed every option counts, also one that changes nothing.
    """
    run, document = outcome
    dataset, system = document["dataset"], run.settings.get("system")
    judge = judge_in(document)
    otherwise = AskedOtherwise.read(document, judge)
    played = dict(otherwise.playing)
    facts = {
        "version": str(document["benchmark_version"]),
        "pack": f"{dataset['name']} ({dataset['sha256'][:12]})",
        "judge": judge_name(judge, otherwise.grading) or "none",
        "system prompt": digest(system) if system else "none",
    }
    facts |= {
        f"role {name}": named(p["model"], played.get(name, ()))
        for name, p in run.settings.get("roles", {}).items()
    }
    facts |= {f"option {k}": str(v) for k, v in _options(document, benchmark).items()}
    if is_imported(run.model):
        return facts | {"system prompt": "not recorded", "sampling": "not recorded"}
    return facts | {k: str(v) for k, v in _sampling(document, benchmark).items()}


def judge_in(document: ResultDocument) -> Judge | None:
    """A result's judge, or the panel of its judges; ``None`` where none was asked."""
    facts = document["judged_by"]
    return judge_of(facts) if facts else None


def _options(document: ResultDocument, benchmark: Benchmark | None) -> Facts:
    """The options that change what was asked, or how it was graded."""
    options = document["options"]
    if benchmark is None:
        return dict(options)
    counts = {o.name for o in benchmark.options if o.in_requests or o.in_grades}
    return {name: value for name, value in options.items() if name in counts}


def _sampling(document: ResultDocument, benchmark: Benchmark | None) -> Facts:
    """How replies were drawn; a seed and more room than is needed change nothing."""
    used = {name: value for name, value in document["sampling"].items() if name not in _REPEATING}
    room = guard(benchmark).sampling_for(document["options"]).max_tokens if benchmark else None
    limit = used.get("max_tokens")
    if room is not None and isinstance(limit, int) and limit >= room:
        used["max_tokens"] = room
    return used


def refuse_mixture(
    outcomes: Sequence[RunResult], benchmarks: Mapping[str, Benchmark], hint: str
) -> None:
    """Refuse results of one benchmark that never mix; the hint says what to do about it.

    Raises:
        UsageError: They differ; the message says in what, and which runs are which.
    """
    groups: dict[str, list[str]] = {}
    facts = [protocol_of(o, benchmarks.get(o.run.benchmark)) for o in outcomes]
    differing = _differing(facts)
    for outcome, fact in zip(outcomes, facts, strict=True):
        described = ", ".join(f"{name} {fact.get(name, 'not set')}" for name in differing)
        groups.setdefault(described, []).append(outcome.run.run_id)
    if len(groups) > 1:
        message = "; ".join(f"{described}: {_runs(ids)}" for described, ids in groups.items())
        name = outcomes[0].run.benchmark
        raise UsageError(f"results of {name} that cannot be combined: {message}; {hint}")


def _differing(facts: Iterable[Mapping[str, str]]) -> list[str]:
    """Names of the facts that are not the same everywhere, in their order."""
    known = list(facts)
    names = dict.fromkeys(name for fact in known for name in fact)
    return [name for name in names if len({fact.get(name) for fact in known}) > 1]


_SHOWN = 3


def _runs(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"run{'s' * (len(ids) != 1)} {', '.join(ids[:_SHOWN])}{more}"


def is_graded(document: ResultDocument) -> bool:
    """Whether anything of a result was graded, and not only generated."""
    graded = any(metric["n"] for metric in document["metrics"].values())
    return graded or not document["items"]["scored"]


def is_partial(document: ResultDocument) -> bool:
    """Whether samples are missing, or were never asked for, or judges of a panel are not whole."""
    counts, whole = document["items"], document["dataset"]["n_items"] * document["iterations"]
    missing = counts["failed"] or counts["pending"] or counts["total"] < whole
    return bool(missing or short_panel(document))
