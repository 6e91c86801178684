"""What a full run of a benchmark takes: all items of its pack, as often as it asks them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..benchmark import Benchmark
from ..benchmark.model import JUDGE, MODEL, phase_of
from ..errors import BenchError
from ..guard import guard
from ..parties.providers import ModelSpec
from ..settings.rules import own_options
from ..settings.run_config import Endpoint, RunConfig
from ..spending.book import PriceBook
from ..spending.prices import Range, cost_range, plan_calls
from .plan_requests import Requests, first_requests
from .task import Task

PRICED_BY = ModelSpec("openai", "gpt-4.1-mini")
"""The model that stands for every party where a full run is priced."""


class FullRun(NamedTuple):
    """What it takes with the benchmark's own options, when nothing is asked again.

    Attributes:
        pack: Its name.
        iterations: How often each item is asked.
        calls: By party, ``model``, ``judge`` or a role; comparisons are not among them, as their
            number depends on the other models.
        compares: Whether models are compared with each other too.
        cost_usd: Dollars for the calls if `PRICED_BY` were every party; ``None`` where the
            requests of a party cannot be made without a model's replies.
    """

    pack: str
    items: int
    iterations: int
    calls: Mapping[str, int]
    compares: bool
    cost_usd: Range | None


def full_run(benchmark: Benchmark) -> FullRun | None:
    """That of a benchmark; ``None`` where its data is not here, or cannot be read.

    The requests of a few items are made, with a demo model's replies; nothing is sent.
    """
    everyone = Endpoint(PRICED_BY)
    plugin, options = guard(benchmark), own_options(benchmark, {})
    try:
        config = RunConfig(
            benchmark,
            everyone,
            options,
            (everyone,) if plugin.needs_judge(options) else (),
            roles={role.name: everyone for role in benchmark.roles},
            iterations=benchmark.iterations,
        )
        task = Task(config)
        calls = Counter[str]()
        for item in task.selection.items:
            for iteration in range(1, config.iterations + 1):
                calls.update(task.planned_calls(item, iteration))
        requests = first_requests(task, lambda message: None)
    except BenchError:
        return None
    by_party = {party: calls[phase] for party, phase in _phases(benchmark) if calls[phase]}
    cost = _cost(benchmark, calls, requests)
    items, often = len(task.selection.items), config.iterations
    return FullRun(task.pack.source.name, items, often, by_party, task.compares, cost)


def _phases(benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """Each party with its phase."""
    yield "model", MODEL
    yield from ((role.name, phase_of(role.name)) for role in benchmark.roles)
    yield "judge", JUDGE


def _cost(benchmark: Benchmark, calls: Mapping[str, int], requests: Requests) -> Range | None:
    price, total = PriceBook().find(PRICED_BY, None), Range(0.0, 0.0)
    for _, phase in _phases(benchmark):
        if not calls[phase]:
            continue
        if price is None or not requests[phase]:
            return None
        total += cost_range([plan_calls(requests[phase], calls[phase])], price)
    return total
