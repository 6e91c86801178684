"""A small judged benchmark that compares."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from eibench import (
    Benchmark,
    Item,
    Metric,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PairScore,
    Pairwise,
    SampleScore,
    Sampling,
    Score,
    Summary,
    find_pack,
    read_jsonl,
)
from eibench.testing import ReceivedRequest

ASK = "Comfort number {item}, {tone}."
JUDGE = "How warm is this, from 0 to 9? {reply}"
PAIR = "Which is warmer? A: {first} B: {second}"


class Duel(Benchmark, Pairwise):
    """One reply to each item; a judge gives it a digit, and says which of two is better."""

    name = "duel"
    version = "1"
    title = "A benchmark of the tests"
    sampling = Sampling(temperature=0.5)
    options: tuple[Option, ...] = (
        Option("tone", "plainly", "How to ask.", in_requests=True),
        Option("reader", "plain", "How to read.", in_grades=True),
    )
    data = Path(__file__).parent / "duels"
    judged = True
    judge = JUDGE
    pair = PAIR

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """Numbers to comfort."""
        rows = (row for path in source.files.values() for _, row in read_jsonl(path))
        return Pack(source, [Item(row["id"]) for row in rows], "beside nothing")

    def prompts(self, options: Options) -> Mapping[str, str]:
        """What the model is sent."""
        return {"ask": ASK}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """What the judge is sent."""
        return {"judge": self.judge, "pair": self.pair}

    async def generate(self, item: Item, model: Model, options: Options) -> str:
        """The reply."""
        return (await model.chat(ASK.format(item=item.id, tone=options["tone"]))).text

    async def grade(
        self, item: Item, transcript: str, judge: Model | None, options: Options
    ) -> Score:
        """The judge's digit."""
        assert judge is not None
        said = await judge.chat(self.judge.format(reply=transcript))
        return Score({"warmth": float(said.text)})

    def compares(self, options: Options) -> bool:
        """Always."""
        return True

    async def compare(
        self, item: Item, first: str, second: str, judge: Model, options: Options
    ) -> PairScore:
        """Two pluses for the one that is named."""
        said = (await judge.chat(self.pair.format(first=first, second=second))).text
        return PairScore({"warmth": 2 if said == "A" else -2}, replies=(said,))

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The mean."""
        values = [v for s in scores if (v := s.score.values.get("warmth")) is not None]
        mean = sum(values) / len(values) if values else None
        return Summary({"warmth": Metric(mean, n=len(values), higher_is_better=True)})


def duel_pack() -> Pack:
    """Three items."""
    duel = Duel()
    options = {option.name: option.default for option in duel.options}
    return duel.read_pack(find_pack(duel, "bundled", options), options)


def answer(request: ReceivedRequest) -> str:
    """What the server says as whomever is asked: the same to the same, whatever its port."""
    said = hashlib.sha256(f"{request.body['model']} {request.prompt}".encode()).hexdigest()
    if "from 0 to 9" in request.prompt:
        return str(int(said, 16) % 10)
    if "Which is warmer" in request.prompt:
        return "AB"[int(said, 16) % 2]
    return f"{said[:6]} there, there"
