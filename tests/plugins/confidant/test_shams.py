"""confidant: models by hand-written rules come in the order that the leading number has to give."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from statistics import fmean, variance

import pytest

from eibench import ChatRequest, ChatResponse, Item, Message, Sampling, find_pack
from eibench.plugins.confidant.benchmark import Confidant
from eibench.plugins.confidant.cards import ConfidantCard
from eibench.plugins.confidant.demo import SHAMS
from eibench.statistics import pearson

BENCHMARK = Confidant()
OPTIONS = {option.name: option.default for option in BENCHMARK.options}
PACK = BENCHMARK.read_pack(find_pack(BENCHMARK, "bundled", OPTIONS), OPTIONS)


Rule = Callable[[ChatRequest], str]


class Party:
    """A model, actor or judge whose words a rule makes."""

    def __init__(self, rule: Rule, role: Rule | None = None) -> None:
        self.sampling, self.iteration = Sampling(), 1
        self.noted: dict[str, object] = {}
        self._rule, self._role = rule, role

    def role(self, name: str, number: int = 0) -> "Party":
        """The person."""
        assert self._role is not None
        return Party(self._role)

    def draw(self, name: str) -> Random:
        """The same for all."""
        return Random(name)

    def mark(self, response: ChatResponse, problem: str | None = None) -> None:
        """Nothing."""

    async def kept(self, *_: object, **__: object) -> None:
        """Nothing."""

    def note(self, **facts: object) -> None:
        """Nothing."""

    def stage(self, text: str) -> None:
        """Nothing."""

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """What the rule makes of it."""
        asked = (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
        return ChatResponse(self._rule(ChatRequest(asked, Sampling())))


def voiced(sham: str, item: Item[ConfidantCard], seed: int) -> float:
    """The leading number of one talk."""
    rng = Random(f"{item.id} {seed}")  # the same draw of the actor for each of them
    model = Party(lambda r: SHAMS[sham](r, rng),
                  lambda r: BENCHMARK.demo_role("person", item, r, rng))  # fmt: skip
    judge = Party(lambda r: BENCHMARK.demo_verdict(item, r, rng))

    async def whole() -> float:
        talk = await BENCHMARK.generate(item, model, OPTIONS)
        score = await BENCHMARK.grade(item, talk, judge, OPTIONS)
        assert score.reason is None, score.reason
        value = score.values["voiced"]
        assert value is not None
        return value

    return asyncio.run(whole())


@cache
def table(seed: int) -> Mapping[str, Mapping[str, float]]:
    """The number of each sham on each card."""
    return {sham: {i.id: voiced(sham, i, seed) for i in PACK.items} for sham in SHAMS}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shams_come_in_their_order(seed: int) -> None:
    """Silent, parrot, lecturer, flatterer, interrogator, good listener."""
    means = [fmean(table(seed)[sham].values()) for sham in SHAMS]
    assert all(one < other for one, other in pairwise(means)), means


def test_any_twelve_cards_give_that_order() -> None:
    """In at least 95 % of 400 draws."""
    rng, ids, kept = Random(7), [item.id for item in PACK.items], 0
    for _ in range(400):
        drawn = rng.sample(ids, 12)
        means = [fmean(table(1)[sham][id] for id in drawn) for sham in SHAMS]
        kept += all(one < other for one, other in pairwise(means))
    assert kept >= 380, kept


def test_planted_difficulties_come_out() -> None:
    """Cards made harder by a planted amount, at the noise of measured reruns: r is .8 at least."""
    runs = [table(seed) for seed in (1, 2, 3)]
    ids = [item.id for item in PACK.items]
    noise = fmean(variance([run["listener"][i] for run in runs]) for i in ids) ** 0.5
    rng = Random(11)
    planted = {i: rng.gauss(0, 15) for i in ids}
    shams = ("lecturer", "flatterer", "interrogator", "listener")
    seen = {i: fmean(planted[i] + rng.gauss(0, noise) for _ in shams) for i in ids}
    r = pearson([planted[i] for i in ids], [seen[i] for i in ids]).value
    assert r is not None and r >= 0.8
