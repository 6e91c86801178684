"""The places of a balanced set: which kind of statement stands where, and what it must be."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from .statements import LIFE_SCENARIOS, TASKS

ROUND = len(TASKS) * len(LIFE_SCENARIOS)
_POSITIVE = (0, 3, 6)
"""Three rounds in ten: of each ten statements of a pair three are positive."""
_STEP = 3
"""By so many rounds one pair's positive rounds differ from the next one's: six in each round."""


class Slot(NamedTuple):
    """A statement to be written, by its position in the set from 0 on, in about `length` words."""

    position: int
    task: str
    life_scenario: str
    polarity: str
    writer: str
    length: int

    @property
    def id(self) -> str:
        """The statement's id; never that of a bundled one."""
        number = self.position // ROUND + 1
        return f"generated-{self.task}-{self.life_scenario}-{number:02}"


def slots(count: int) -> Iterator[Slot]:
    """The first places, dealt like the bundled set.

    Every twenty from the first on hold each pair once, and six positive ones; every two hundred
    hold three positive and seven negative ones of each pair.
    """
    for position in range(count):
        lap, pair = divmod(position, ROUND)
        shift, task = divmod(pair, len(TASKS))
        life_scenario = LIFE_SCENARIOS[(shift + task) % len(LIFE_SCENARIOS)]
        polarity = "positive" if (lap - _STEP * pair) % 10 in _POSITIVE else "negative"
        rng = Random(f"place {position}")
        writer, length = _writer(rng), rng.choice(_LENGTHS)
        yield Slot(position, TASKS[task], life_scenario, polarity, writer, length)


def _writer(rng: Random) -> str:
    return f"{rng.choice(_AGES)}, {rng.choice(_LIVES)}, who writes {rng.choice(_MANNERS)}"


_LENGTHS = (15, 20, 25, 30, 35, 40, 45, 55)
_AGES = (
    "somebody of thirteen",
    "somebody of seventeen",
    "somebody in their twenties",
    "somebody of about thirty-five",
    "somebody in their fifties",
    "somebody close to seventy",
    "somebody past eighty",
)
_LIVES = (
    "on a farm",
    "in a city of millions",
    "new in the country",
    "working nights",
    "working with their hands",
    "bringing up children",
    "caring for somebody",
    "studying or learning a trade",
    "out of work",
    "running a small business",
    "long retired from an office",
    "in a small town where everyone knows everyone",
)
_MANNERS = (
    "hastily, in lower case",
    "carefully and a little formally",
    "as they talk",
    "in short sentences",
    "drily",
    "in one long breath",
    "in English learned late",
    "with more exclamation marks than needed",
)

#: What a statement of a task must be.
TASK_RULES: Mapping[str, str] = {
    "key-event": "it tells of two events, one that matters to the person and one that is routine. "
    "The one that matters is not always first, nor told in the stronger words.",
    "mixed-event": "it tells of two events that weigh about the same. In a positive statement both "
    "are good; in a negative one at least one is hard.",
    "implicit-emotion": "it lets a feeling be sensed that no word of it names. What was done, or "
    "noticed, gives the feeling away.",
    "intention": "the person is after something practical, and asks for it indirectly or not at "
    "all.",
}
#: What the note for the judge must say.
NOTE_RULES: Mapping[str, str] = {
    "key-event": "which event matters and which is routine",
    "mixed-event": "what the two events are",
    "implicit-emotion": "which feeling goes unnamed and what gives it away",
    "intention": "what the person is after and what kind of concrete suggestion would serve",
}
LIFE_SCENARIO_RULES: Mapping[str, str] = {
    "achievements": "achievements: success, recognition, failure or defeat at what one strives for",
    "family-and-friends": "family and friends",
    "health": "health of body or mind, one's own or that of somebody close",
    "economic-status": "money, work and what one can afford",
    "accidents": "accidents: mishaps, near misses, chance finds, and what comes of them",
}
POLARITY_RULES: Mapping[str, str] = {
    "positive": "positive: the person has reason to be glad, without a shadow over it",
    "negative": "negative: something weighs on the person",
}
