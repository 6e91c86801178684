"""`demo/NAME`: models of a known ability, in this process, deterministic and free.

The words come from the benchmark (`Benchmark.demo_reply`, and `demo_verdict` for
the judges, `demo_role` for who plays a role), the ability from the name, and so does the
`Leaning` of a judge. Everything that holds a demo model's result says DEMO.
"""

import re
from math import log2
from random import Random
from typing import NamedTuple

from ..errors import UsageError
from ..guard.benchmarks import guard
from ..parties.providers import CallContext, ClientConfig
from ..types import ChatRequest, ChatResponse, Finish, Usage

ABILITIES = {"strong": 0.9, "medium": 0.6, "weak": 0.25, "terse": 0.6}
TERSE = "terse"
"""Medium, but in half of the items it says half: what judges that favour length like less."""
_PROSE = re.compile(r"^[A-Z\"][^\n{}]*[.!?]$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
JUDGE = "judge"


class Leaning(NamedTuple):
    """What a demo judge makes of what a text is worth, from 0 to 1.

    Attributes:
        low, high: What it takes a worthless and a perfect text to be worth.
        noise: The standard deviation of its own error, beside the noise of all demo judges.
        length: How much of its opinion is length, from 0 to 1. 4,096 words are worth 1 there and
            half as many a twelfth less; of two texts, one of twice the length is 0.5 ahead.
    """

    low: float = 0.0
    high: float = 1.0
    noise: float = 0.0
    length: float = 0.0

    def worth(self, worth: float, text: str, rng: Random) -> float:
        """What it takes a text to be worth."""
        mixed = (1 - self.length) * worth + self.length * _doublings(text) / 12
        return self.low + (self.high - self.low) * mixed + rng.gauss(0, self.noise)

    def lead(self, lead: float, first: str, second: str, rng: Random) -> float:
        """By how much it takes the first of two texts to be ahead, from -1 to 1."""
        longer = (_doublings(first) - _doublings(second)) / 2
        mixed = (1 - self.length) * lead + self.length * longer
        return (self.high - self.low) * mixed + rng.gauss(0, self.noise)


def _doublings(text: str) -> float:
    return log2(max(1, len(text.split())))


JUDGES = {
    JUDGE: None,
    "judge-b": Leaning(low=0.2, high=0.7, noise=0.12),
    "judge-length": Leaning(length=0.7),
}
"""The demo judges; the first one takes texts for what they are worth."""


class JudgeRandom(Random):
    """Random numbers of a demo judge, which carry its leaning to who makes its words."""

    leaning: Leaning | None = None


class DemoClient:
    """A demo model, a demo judge, or the demo player of a role."""

    def __init__(self, config: ClientConfig) -> None:
        self._name = config.model.name
        self._role = config.party.role
        group = self._role.rpartition("_")[0]  # whose name the players of a group have
        known = [*filter(None, (self._role, group))] or [*ABILITIES, *JUDGES]
        if self._name not in known:
            options = ", ".join(f"demo/{name}" for name in known)
            raise UsageError(f"unknown demo model demo/{self._name}; there are: {options}")

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The benchmark's words for this call, the same every time."""
        digest = request.as_json()
        rng, plugin = JudgeRandom(call.seed(self._name, digest)), guard(call.benchmark)
        if self._role:
            text = plugin.demo_role(self._role, call.item, request, rng)
        elif self._name in JUDGES:
            rng.leaning = JUDGES[self._name]
            text = plugin.demo_verdict(call.item, request, rng)
        else:
            text = plugin.demo_reply(call.item, request, ABILITIES[self._name], rng)
            if self._name == TERSE and Random(call.item.id).random() < 0.5:
                text = _PROSE.sub(_half, text)
        words = sum(len(m.content.split()) for m in request.messages)
        return ChatResponse(
            text=text,
            finish=Finish.STOP,
            finish_raw="stop",
            model=f"demo/{self._name}",
            usage=Usage(input=words, output=len(text.split())),
            sent=request.sampling.sent(),
            cost_usd=0.0,
            price_source="demo models are free",
        )

    async def close(self) -> None:
        """Nothing to close."""


def _half(line: re.Match[str]) -> str:
    """The first half of a line's sentences, at least one."""
    sentences = _SENTENCE.split(line[0])
    return " ".join(sentences[: (len(sentences) + 1) // 2])
