"""A run of another program, graded as `bench import` grades it, and kept nowhere."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..benchmark.foreign import ForeignRun
from ..datasets import find_pack
from ..guard import guard
from ..plugins import installed
from ..types import Metric, SampleScore, Score
from .translate import Source, begin, conversations_of


class ReplayedRun(NamedTuple):
    """What a run came to.

    Attributes:
        scores: By item and iteration, those of conversations that are the pack's.
        metrics: Of these, by name.
        left_out: Why others are missing, and how many.
    """

    scores: Mapping[tuple[str, int], Score]
    metrics: Mapping[str, Metric]
    left_out: Mapping[str, int]


def replayed(benchmark: str, run: ForeignRun, dataset: str) -> ReplayedRun:
    """The scores and metrics of a run that another program made; nothing is asked or stored.

    Args:
        benchmark: Its name.
        run: What was asked and answered, and the verdicts word for word.
        dataset: The data, as `--dataset` takes it.

    Raises:
        DataError: The data is not there, or broken.
        PluginError: The benchmark failed.
    """
    plugin = installed().benchmark(benchmark)
    options = {option.name: option.default for option in plugin.options} | dict(run.options)
    pack = guard(plugin).read_pack(find_pack(plugin, dataset, options), options)
    each = begin(Source(Path(run.key), "", plugin, pack, dataset), run)
    items, scores = {item.id: item for item in pack.items}, dict[tuple[str, int], Score]()
    with asyncio.Runner() as runner:
        for sample, conversation in conversations_of(each, pack, runner):
            if conversation.score is not None:
                scores[sample.item_id, sample.iteration] = conversation.score
    samples = [SampleScore(id, items[id].cluster, n, score) for (id, n), score in scores.items()]
    summary = guard(plugin).summarise(pack, samples, each.config.options)
    return ReplayedRun(scores, summary.metrics, each.left_out)
