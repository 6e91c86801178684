"""The plan that is shown before anything is sent, and the question whether to go on."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from ..errors import UsageError
from ..making import DataMaker
from ..roles import MODEL, is_generating, role_in
from ..run.plan import PartyPlan, Plan
from ..run.session import Session
from ..sample.progress import COMPARE, TRIAL
from ..settings.run_config import RunConfig
from ..spending.estimate import Range, format_range
from ..text import line, plural
from ..types import JsonDict


def as_json(config: RunConfig, session: Session, plan: Plan, source: Any) -> JsonDict:
    """A plan as plain values."""
    tokens_in, tokens_out = plan.tokens
    judging = [party for party in plan.parties if not is_generating(party.phase)]
    judged = [party for party in judging if party.phase != TRIAL]
    calls = {"model": plan.parties[0].calls, "judge": sum(party.calls for party in judged)}
    calls |= {role: p.calls for p in plan.parties if (role := role_in(p.phase))}
    panel = config.panel.label if config.panel else None
    roles = {name: player.label for name, player in config.roles.items()}
    return {
        "benchmark": config.benchmark.name,
        "model": config.model.label,
        "judge": config.judge.label if config.judge and not config.panel else panel,
        "dataset": {"name": source.name, "sha256": source.sha256},
        "iterations": config.iterations,
        "samples": {"total": plan.total, "left": plan.left},
        "calls": calls,
        "comparisons": plan.comparisons._asdict(),
        "tries_judge": len(judged) < len(judging),
        **({"roles": roles} if roles else {}),
        "tokens": {"input": _pair(tokens_in), "output": _pair(tokens_out)},
        "cost_usd": None if plan.cost is None else [plan.cost.low, plan.cost.high],
        "max_cost_usd": session.money.budget.limit if session.money.budget else None,
    }


def _pair(tokens: Range) -> list[int]:
    return [round(tokens.low), round(tokens.high)]


def describe(config: RunConfig, plan: Plan, pack_name: str) -> str:
    """A plan as one line."""
    message = f"{config.benchmark.name}: {plural(plan.total, 'sample')} of the {pack_name} pack"
    if plan.left < plan.total:
        message += f", {plan.total - plan.left} of them done"
    if not any(party.calls for party in plan.parties):
        return f"{message}; nothing to ask that the journal does not hold"
    fewest = isinstance(config.benchmark, DataMaker)
    asked = [_asked(party, plan, fewest=fewest) for party in plan.parties if party.calls]
    tokens_in, tokens_out = plan.tokens
    again = ", and more where an answer cannot be read" if config.benchmark.asks_again else ""
    message += f"; {' and '.join(asked)}{again}"
    message += f"; about {tokens_in.low:,.0f} tokens in, up to {tokens_out.high:,.0f} out"
    return f"{message}; {_cost(plan)}"


def _asked(party: PartyPlan, plan: Plan, *, fewest: bool) -> str:
    if party.phase == COMPARE:
        return f"{_comparisons(plan)} by {party.endpoint.label}"
    if party.phase == TRIAL:
        return f"1 call to see that {party.endpoint.label} answers"
    talks = any(role_in(other.phase) for other in plan.parties)
    least = "at least " if fewest else "at most " if talks and party.phase == MODEL else ""
    if role := role_in(party.phase):
        return f"at most {plural(party.calls, 'call')} to {party.endpoint.label} as {role}"
    return f"{least}{plural(party.calls, 'call')} to {party.endpoint.label}"


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
    if not plan.costs_money:
        return "free"
    return _unknown(plan) if plan.cost is None else format_range(plan.cost)


def _unknown(plan: Plan) -> str:
    """Whose price is not known, and how to give it."""
    without = [party for party in plan.parties if party.calls and party.price is None]
    specs = list(dict.fromkeys(str(party.endpoint.spec) for party in without))
    message = "--price IN,OUT in dollars per million tokens or " * any(
        party.phase == "generate" for party in without
    )
    prices = " and ".join(f'[prices."{spec}"]' for spec in specs)
    return (
        f"an unknown price (give {message}{prices} in bench.toml)" if specs else "an unknown price"
    )


def ask(plans: Sequence[Plan], *, sure: bool) -> None:
    """Ask on a terminal before money is spent; elsewhere the plan itself has to do.

    Args:
        plans: Of all runs of the command.
        sure: The user has said so already, with ``--yes`` or ``--max-cost``.

    Raises:
        click.Abort: The user does not want to.
    """
    costly = [plan for plan in plans if plan.costs_money]
    if not costly or sure or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    costs = [plan.cost for plan in costly]
    known = [cost for cost in costs if cost is not None]
    more = " and more, at an unknown price" if known and len(known) < len(costs) else ""
    total = format_range(sum(known, Range(0.0, 0.0))) if known else "an amount that is not known"
    if not click.confirm(f"Spend {line(total)}{more}?", default=False, err=True):
        raise UsageError("nothing was sent; --max-cost USD sets a limit, --dry-run only plans")
