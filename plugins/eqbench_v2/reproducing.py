"""Published numbers of EQ-Bench v2, computed again."""

from collections.abc import Iterator

import eibench
from eibench import Item, PublishedData, PublishedNumber, PublishedRow
from eibench.emotion_ratings import rating_numbers, read_answers, stored_row

_NAME = "eqbench-v2"


def _items(data: PublishedData) -> list[Item]:
    benchmark, options = eibench.benchmarks()[_NAME], {"lang": "en", "parser": "reference"}
    source = eibench.find_pack(benchmark, data.datasets[_NAME], options)
    return list(benchmark.read_pack(source, {**options, "revise": True}).items)


def _scores(data: PublishedData) -> Iterator[PublishedNumber]:
    ids = {item.id: item.id for item in _items(data)}
    for answers in map(read_answers, data.files):
        metrics = eibench.replayed(_NAME, answers.run(ids), data.datasets[_NAME]).metrics
        yield PublishedNumber(answers.model, answers.score, metrics["score"].value)


def _ratings(data: PublishedData) -> Iterator[PublishedNumber]:
    items = _items(data)
    ids = {item.id: item.id for item in items}
    for answers in map(read_answers, data.files):
        run = eibench.replayed(_NAME, answers.run(ids), data.datasets[_NAME])
        n = run.metrics["score"].n
        yield PublishedNumber(f"{answers.model}, answers read", answers.readable, n)
        yield from rating_numbers(answers, items, ids, run.scores)


def rows() -> list[PublishedRow]:
    """The scores of stored answers, and what was read in them."""
    return [
        stored_row(
            "a model's score, from its stored answers",
            _scores,
            (_NAME,),
            within=0.025,
            rounding="printed to .01; with a weight of .74785 in place of the published code's "
            ".7477 it would be .006, so the scores seem to be of earlier code",
        ),
        stored_row(
            "each rating in the answers, and how many answers were read", _ratings, (_NAME,)
        ),
    ]
