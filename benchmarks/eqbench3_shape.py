"""A plugin with the calls of EQ-Bench 3 and none of its texts, to load the journal.

45 scenarios: 26 that talk for several turns and end with a debrief (73 turns,
so that all have 92), 19 of one prompt; each transcript is judged once. That is
163 calls an iteration. Replies are 2 to 12 thousand characters of words drawn
anew for each, judge prompts hold the whole transcript.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from eibench import (
    Benchmark,
    ChatRequest,
    Item,
    Message,
    Metric,
    Model,
    Options,
    Pack,
    PackSource,
    SampleScore,
    Score,
    Summary,
    hookimpl,
)

TALKS, SINGLE, TURNS = 26, 19, 92
CALLS = TURNS + TALKS + TALKS + SINGLE
PROMPT, RUBRIC = 1_500, 6_000
REPLY = 2_000, 12_000
_WORDS = Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=12_000)
_WORDS = ["".join(_WORDS[i : i + 2 + i % 7]) for i in range(0, len(_WORDS), 3)]


def words(characters: int, rng: Random) -> str:
    """Text of about so many characters."""
    return " ".join(rng.choices(_WORDS, k=characters // 6))


class EQBench3Shape(Benchmark):
    """Asks as much as EQ-Bench 3 and scores nothing."""

    name = "eqbench3-shape"
    version = "1"
    title = "the calls of EQ-Bench 3 with random words, for measuring"
    judged = True
    single_turn = False

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """45 scenarios; the file of the pack is not read."""
        items = [Item(str(n), turns) for n, turns in enumerate(_turns())]
        return Pack(source, items, "comparable with nothing")

    async def generate(self, item: Item, model: Model, options: Options) -> Sequence[Message]:
        """The conversation, each request with all that went before."""
        talk: list[Message] = []
        for turn in range(item.content + (item.content > 1)):  # one more for the debrief
            talk.append(Message("user", words(PROMPT, Random(f"{item.id} {turn}"))))
            reply = await model.chat(talk)
            talk.append(Message("assistant", reply.text))
        return talk

    async def grade(
        self, item: Item, transcript: Sequence[Message], judge: Model | None, options: Options
    ) -> Score:
        """A judge reads rubric and transcript."""
        assert judge is not None
        text = "\n\n".join(m.content for m in transcript)
        reply = await judge.chat(f"{words(RUBRIC, Random(1))}\n\n{text}")
        return Score({"length": float(len(reply.text))})

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """How many verdicts there are."""
        return Summary({"verdicts": Metric(float(len(scores)), n=len(scores))})

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """Likewise, of the judge."""
        return self.demo_reply(item, request, 1.0, rng)

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Words."""
        return words(rng.randint(*REPLY), rng)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """Its turns, a debrief after a talk, a verdict."""
        return {"model": item.content + (item.content > 1), "judge": 1}


def _turns() -> Iterator[int]:
    in_talks = TURNS - SINGLE
    for n in range(TALKS):
        yield in_talks // TALKS + (n < in_talks % TALKS)
    yield from [1] * SINGLE


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """The one benchmark."""
    register(EQBench3Shape())
