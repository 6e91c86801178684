"""The plans of a command's runs: each as a sentence, several as one table and one total."""

from collections.abc import Iterator, Sequence

import click

from .. import console
from ..benchmark import Benchmark
from ..benchmark.generators import DataMaker
from ..benchmark.model import JUDGE, MODEL, role_in
from ..errors import UsageError
from ..reports.columns import FitColumn, FitTable
from ..run.plan import PartyPlan, Plan, Total
from ..sample.progress import COMPARE, TRIAL
from ..spending.prices import Range, format_range
from ..text import by_player, line, listed, plural
from ..types import JsonDict
from .session import PlannedRun, on_terminal, tell

_NAMED = 2
"""Models that a row names; of more it says how many they are."""


def plan_as_json(run: PlannedRun) -> JsonDict:
    """A plan as plain values."""
    config, plan, source = run.config, run.plan, run.task.pack.source
    budget, (tokens_in, tokens_out) = run.session.pricing.budget, plan.tokens
    judged = (party.calls for party in plan.parties if party.phase in (JUDGE, COMPARE))
    calls = {"model": plan.parties[0].calls, "judge": sum(judged)}
    calls |= {role: party.calls for party in plan.parties if (role := role_in(party.phase))}
    panel = config.panel.label if config.panel else None
    roles = {name: player.label for name, player in config.roles.items()}
    return {
        "benchmark": config.benchmark.name,
        "model": config.model.label,
        "name": config.display_name,
        "judge": panel or next((judge.label for judge in config.judges), None),
        "dataset": {"name": source.name, "sha256": source.sha256},
        "iterations": config.iterations,
        "samples": {"total": plan.total, "left": plan.left},
        "calls": calls,
        "comparisons": {
            name: getattr(plan.comparisons, name) for name in ("most", "about", "half_width")
        },
        "tries_judge": any(party.phase == TRIAL for party in plan.parties),
        **({"roles": roles} if roles else {}),
        "tokens": {"input": _pair(tokens_in), "output": _pair(tokens_out)},
        "cost_usd": None if plan.cost is None else [plan.cost.low, plan.cost.high],
        "max_cost_usd": budget.limit if budget else None,
        **({"shows_difference": plan.shows} if plan.shows else {}),
    }


def _pair(tokens: Range) -> list[int]:
    return [round(tokens.low), round(tokens.high)]


def describe_plan(run: PlannedRun) -> str:
    """A plan as one line."""
    plan, benchmark, pack = run.plan, run.config.benchmark, run.task.pack.source.name
    name = f" {run.config.name}" if run.config.name else ""
    message = f"{benchmark.name}{name}: {plural(plan.total, 'sample')} of the {pack} pack"
    if plan.left < plan.total:
        message += f", {plan.total - plan.left} of them done"
    calls = [*_asked(plan, benchmark)]
    if not calls:
        return f"{message}; nothing to ask that the journal does not hold"
    more = ", and more where an answer cannot be read" if _asks_more(benchmark) else ""
    message += f"; {' and '.join(calls)}{more}"
    message += f"; {_tokens(plan.tokens)}"
    shows = f"; it can show a difference of {plan.shows:.3g} (80 %)" if plan.shows else ""
    return f"{message}; {_cost(plan)}{shows}"


def _asks_more(benchmark: Benchmark) -> bool:
    """Whether there may be more calls than are counted, to a judge or where no most is known."""
    return benchmark.asks_again and (benchmark.judged or benchmark.most_attempts == 1)


def _asked(plan: Plan, benchmark: Benchmark) -> Iterator[str]:
    """What each party is asked that is asked at all: the model, roles, then judges."""
    parties = [party for party in plan.parties if party.calls]
    players = {role: p for p in parties if (role := role_in(p.phase))}
    others = [party for party in parties if party not in players.values()]
    yield from (_calls_to(p, plan, benchmark) for p in others if p.phase == MODEL)
    alike = by_player({role: (p.endpoint.label, p.calls) for role, p in players.items()})
    for role, (label, calls) in alike.items():
        each = " each" if role not in players else ""
        yield f"at most {plural(calls, 'call')}{each} to {label} as {role}"
    yield from (_calls_to(p, plan, benchmark) for p in others if p.phase != MODEL)


def total_of(runs: Sequence[PlannedRun]) -> Total:
    """All plans together."""
    return Total.of([run.plan for run in runs])


def tell_plans(runs: Sequence[PlannedRun]) -> None:
    """Say what several runs will do: a row for those that are alike, then the total."""
    groups = dict[object, list[PlannedRun]]()
    for run in runs:
        groups.setdefault(_alike(run), []).append(run)
    console.output.tell_table(console.fitted.Fitted(_table(list(groups.values()))))
    for text in dict.fromkeys(text for run in runs for text in _notes(run)):
        tell(text)
    tell(describe_total(total_of(runs)))


def _alike(run: PlannedRun) -> object:
    """What runs have in common that are planned in one row: all but their comparisons."""
    plan, benchmark = run.plan, run.config.benchmark.name
    asked = (
        (p.phase, p.calls, p.price, p.phase == MODEL or p.endpoint.label)
        for p in plan.parties
        if p.phase not in (COMPARE, TRIAL)
    )
    return benchmark, plan.total, plan.left, run.task.pack.source.name, tuple(asked)


def _table(groups: Sequence[Sequence[PlannedRun]]) -> FitTable:
    totals = list(map(total_of, groups))
    packs = [group[0].task.pack.source.name for group in groups]
    names = [[run.config.display_name for run in group] for group in groups]
    return FitTable(
        plural(sum(map(len, groups)), "run"),
        [
            FitColumn("benchmark", [group[0].config.benchmark.name for group in groups]),
            FitColumn("pack", packs, 2),
            FitColumn(
                "model",
                [listed(n, 9) if len(n) <= _NAMED else plural(len(n), "model") for n in names],
            ),
            FitColumn("samples", [_samples(group) for group in groups], 3),
            FitColumn("calls to models", [_span(t.models) or "–" for t in totals]),
            FitColumn("verdicts", [_span(t.verdicts) or "–" for t in totals], 4),
            FitColumn("comparisons", [_compared(t) for t in totals]),
            FitColumn("tokens in", [f"{t.tokens[0].low:,.0f}" for t in totals], 1),
            FitColumn("tokens out", [f"≤ {t.tokens[1].high:,.0f}" for t in totals], 1),
            FitColumn("cost", [_price(t) for t in totals]),
        ],
    )


def _samples(group: Sequence[PlannedRun]) -> str:
    left, total = (sum(getattr(run.plan, name) for run in group) for name in ("left", "total"))
    return f"{total:,}" if left == total else f"{left:,} of {total:,} left"


def _compared(total: Total) -> str:
    """How many comparisons: all, at most so many, or about so many of them."""
    calls, expected = total.comparisons, total.expected
    if calls.low == calls.high:
        return f"{calls.high:,.0f}" if calls.high else "–"
    most = f"≤ {calls.high:,.0f}"
    return f"about {expected:,} ({most})" if expected else most


def _notes(run: PlannedRun) -> Iterator[str]:
    """What a row has no room for, without the model's name."""
    benchmark, plan = run.config.benchmark, run.plan
    judging = (p for p in plan.parties if p.phase in (JUDGE, COMPARE) and p.calls)
    if judges := dict.fromkeys(p.endpoint.label for p in judging):
        yield f"{benchmark.name}: judged by {' and '.join(judges)}"
    for party in plan.parties:
        if party.phase == TRIAL:
            yield _calls_to(party, plan, benchmark)
    players = {
        role: p.endpoint.label for p in plan.parties if (role := role_in(p.phase)) and p.calls
    }
    for role, label in by_player(players).items():
        yield f"{benchmark.name}: {label} as {role}"
    if plan.left and _asks_more(benchmark):
        yield f"{benchmark.name}: more calls where an answer cannot be read"
    if plan.shows:
        yield f"{benchmark.name} can show a difference of {plan.shows:.3g} (80 %)"
    if plan.costs_money and plan.cost is None:
        yield _cost(plan)


def describe_total(total: Total) -> str:
    """Several plans together as one line: the sums of the least and of the most of each."""
    message = f"in all {plural(total.runs, 'run')}"
    if not (total.models.high or total.judges.high):
        return f"{message}; nothing to ask that the journal does not hold"
    message += f"; {_span(total.models, 'call')} to models"
    message += f" and {_span(total.judges)} to judges" if total.judges.high else ""
    if total.comparisons.high:
        message += f" ({_compared(total)} of them comparisons)"
    return f"{message}; {_tokens(total.tokens)}; {_price(total)}"


def _tokens(tokens: tuple[Range, Range]) -> str:
    inputs, output = tokens
    return f"about {inputs.low:,.0f} tokens in, up to {output.high:,.0f} out"


def _price(total: Total) -> str:
    if not total.costly:
        return "free"
    more = " and an unknown price" * (total.priced < total.costly)
    return f"{format_range(total.cost)}{more}"


def _span(calls: Range, noun: str = "") -> str:
    """From the least to the most; nothing where a bare number would be 0."""
    if not (noun or calls.high):
        return ""
    most = plural(round(calls.high), noun) if noun else f"{calls.high:,.0f}"
    return most if calls.low == calls.high else f"{calls.low:,.0f} to {most}"


def total_as_json(runs: Sequence[PlannedRun]) -> JsonDict:
    """All plans together as plain values; of calls the least and the most."""
    total = total_of(runs)
    tokens_in, tokens_out = total.tokens
    known = total.priced == total.costly
    calls = {"models": total.models, "judges": total.judges, "comparisons": total.comparisons}
    return {
        "runs": total.runs,
        "calls": {name: _pair(each) for name, each in calls.items()},
        "tokens": {"input": _pair(tokens_in), "output": _pair(tokens_out)},
        "cost_usd": [total.cost.low, total.cost.high] if known else None,
    }


def _calls_to(party: PartyPlan, plan: Plan, benchmark: Benchmark) -> str:
    """What a party is asked; where the model may be asked again, how often at most."""
    label, calls, most = party.endpoint.label, plural(party.calls, "call"), benchmark.most_attempts
    if more := party.endpoint.more:
        label += f" and {plural(len(more), 'more server')}"
    if party.phase == COMPARE:
        return f"{_comparisons(plan)} by {label}"
    if party.phase == TRIAL:
        return f"1 call to see that {label} answers"
    if party.phase == MODEL and most > 1:
        return f"{party.calls:,} to {plural(party.calls * most, 'call')} to {label}"
    talks = plan.talks and party.phase == MODEL
    bound = "at least " if isinstance(benchmark, DataMaker) else "at most " if talks else ""
    return f"{bound}{calls} to {label}"


def _comparisons(plan: Plan) -> str:
    """How many, as far as it can be told, and what interval they are expected to give."""
    left = plan.comparisons
    if left.about is None:
        return f"at most {plural(left.most, 'comparison')}"
    message = f"at most {left.most:,}"
    if left.half_width is not None:
        message += f"; half-width of the rating's interval about {left.half_width:.0f} points"
    return f"about {plural(left.about, 'comparison')} ({message})"


def _cost(plan: Plan) -> str:
    """What a plan costs; where a price is not known, whose, and how to give it."""
    if not plan.costs_money:
        return "free"
    if plan.cost is not None:
        return format_range(plan.cost)
    without = [party for party in plan.parties if party.calls and party.price is None]
    specs = dict.fromkeys(str(party.endpoint.spec) for party in without)
    if not specs:
        return "an unknown price"
    option = "--price IN,OUT in dollars per million tokens or "
    option *= any(party.phase == MODEL for party in without)
    prices = " and ".join(f'[prices."{spec}"]' for spec in specs)
    return f"an unknown price (give {option}{prices} in bench.toml)"


def ask_to_spend(runs: Sequence[PlannedRun], *, sure: bool, more: str = "") -> None:
    """Ask on a terminal before money is spent, unless the user is `sure` already.

    `more` is what else may be asked for than these runs.

    Raises:
        UsageError: The user does not want to.
    """
    total = total_of(runs)
    if not total.costly or sure or not on_terminal():
        return
    amount = format_range(total.cost) if total.priced else "an amount that is not known"
    unknown = " and more, at an unknown price" * (0 < total.priced < total.costly)
    if not click.confirm(f"Spend {line(amount)}{unknown}{more}?", default=False, err=True):
        raise UsageError("nothing was sent; --max-cost USD sets a limit, --dry-run only plans")
