"""What a result was made with. Results that differ in it never stand in one column.

Pack, version, options, judge, system prompt and how replies are drawn belong to it. Who
answered, how many items and iterations, and seeds do not.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..errors import UsageError
from ..guard import guard
from ..hints import bench
from ..imported import is_imported
from ..journal import RunRecord
from ..journal.shapes import shape_of
from ..result_document import Facts, ResultDocument
from ..types import digest


class RunResult(NamedTuple):
    """A run with its last result document."""

    run: RunRecord
    document: ResultDocument


def what_is_missing(document: ResultDocument) -> str | None:
    """What a result lacks to be put beside others; None when it lacks nothing."""
    wrong = shape_of(ResultDocument)(document)
    return f"its result {wrong}; {bench('rescore', 'RUN')} makes another" if wrong else None


def protocol_of(outcome: RunResult, benchmark: Benchmark | None) -> dict[str, str]:
    """What a result was made with, as texts by name.

    Args:
        outcome: Whose.
        benchmark: That of the result; None when it is no longer installed, then every option
            counts, also one that changes nothing.
    """
    run, document = outcome
    dataset, system = document["dataset"], run.settings.get("system")
    facts = {
        "version": str(document["benchmark_version"]),
        "pack": f"{dataset['name']} ({dataset['sha256'][:12]})",
        "judge": judge_label(document) or "none",
        "system prompt": digest(system) if system else "none",
    }
    facts |= {f"role {name}": p["model"] for name, p in run.settings.get("roles", {}).items()}
    facts |= {f"option {k}": str(v) for k, v in _options(document, benchmark).items()}
    if is_imported(run.model):
        return facts | {"system prompt": "not recorded", "sampling": "not recorded"}
    return facts | {k: str(v) for k, v in _sampling(document, benchmark).items()}


def judge_label(document: ResultDocument) -> str | None:
    """A result's judge, with its host where that is not the provider's own."""
    return labelled(document["judge"], document.get("judge_endpoint"))


def labelled(judge: str | None, host: str | None) -> str | None:
    """A judge by its spec, with its host where that is not the provider's own."""
    return f"{judge} at {host}" if judge and host else judge


def _options(document: ResultDocument, benchmark: Benchmark | None) -> Facts:
    """The options that change what was asked, or how it was graded."""
    options = document["options"]
    if benchmark is None:
        return dict(options)
    counts = {o.name for o in benchmark.options if o.in_requests or o.in_grades}
    return {name: value for name, value in options.items() if name in counts}


def _sampling(document: ResultDocument, benchmark: Benchmark | None) -> Facts:
    """How replies were drawn; a seed and more room than is needed change nothing."""
    used = {name: value for name, value in document["sampling"].items() if name != "seed"}
    room = guard(benchmark).sampling_for(document["options"]).max_tokens if benchmark else None
    given = used.get("max_tokens")
    if room is not None and isinstance(given, int) and given >= room:
        used["max_tokens"] = room
    return used


def refuse_mixture(
    outcomes: Sequence[RunResult], benchmarks: Mapping[str, Benchmark], hint: str
) -> None:
    """Refuse results of one benchmark that never mix.

    Args:
        outcomes: All of one benchmark.
        benchmarks: Those that are installed, by name.
        hint: What to do about it.

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
        raise UsageError(f"results of {name} that never mix: {message}; {hint}")


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
    """Whether samples are missing, or were never asked for."""
    counts, whole = document["items"], document["dataset"]["n_items"] * document["iterations"]
    return bool(counts["failed"] or counts["pending"] or counts["total"] < whole)
