"""SECEU (Wang et al. 2023): ten points among four emotions of the person in a story.

The distance of an answer to the mean answer of people is the score; on the scale of a norm
it is an EQ with mean 100 and standard deviation 15. `graded` makes a score of a reply.
"""

from collections.abc import Mapping, Sequence
from random import Random

from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PeopleQuestion,
    PublishedRow,
    SampleScore,
    Sampling,
    Score,
    Summary,
    Table,
    folder,
    no_answer,
)

from .answers import PointsReading, ordered, read_answer
from .demo import demo_answer
from .norms import Norm
from .published import published_board
from .reading import MAY, NormedPack, read
from .stories import POINT_NAMES, POINTS, AskedStory, distance, prepared
from .wording import PROMPTINGS, WORDING

DIRECT = Sampling(temperature=0.1, top_p=1.0, max_tokens=512)
PROMPTED = Sampling(temperature=0.0, top_p=0.9, max_tokens=2048)
"""Both as in the paper: "The SECEU test for LLMs" and "Prompt engineering"."""


class Seceu(Benchmark):
    """The benchmark; its facts are in docs/seceu.md."""

    name = "seceu"
    version = "1"
    title = "share out ten points among four emotions; distance to people's mean (Wang et al. 2023)"
    kind = "ratings"
    data = folder("seceu")
    cite = data / "citation.bib"
    sampling = DIRECT
    options = (
        Option(
            "prompting",
            "direct",
            "How a story is asked; all but direct are sampled otherwise too.",
            choices=PROMPTINGS,
            in_requests=True,
        ),
        Option("lang", "en", "Language of the stories.", choices=("en", "zh"), in_requests=True),
        Option(
            "shuffle_options",
            False,
            "Show the four emotions in another order, drawn for each story.",
            in_requests=True,
        ),
    )

    def sampling_for(self, options: Options) -> Sampling:
        """The paper's settings of the prompting."""
        return DIRECT if options["prompting"] == "direct" else PROMPTED

    def read_pack(self, source: PackSource, options: Options) -> NormedPack:
        """The stories with their prompts, and the norm."""
        return read(source, options)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """Our own wording; what a pack brings is known by the pack."""
        return {"prompt": WORDING[options["lang"]][options["prompting"]]}

    async def generate(self, item: Item, model: Model, options: Options) -> ChatResponse:
        """The model's reply, asked for once."""
        asked: AskedStory = item.content
        return await model.chat(asked.prompt)

    async def grade(
        self, item: Item, transcript: ChatResponse, judge: Model | None, options: Options
    ) -> Score:
        """The distance of the answer to the reference; no judge is asked."""
        return graded(item.content, transcript)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """EQ and SECEU score, and all that qualifies them."""
        from .summary import summarise

        return summarise(pack.items, _norm(pack), scores)

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """The distance of each sample, or the EQ that it is in the pack's norm."""
        norm, distances = _norm(pack), (s.score.values.get("distance") for s in scores)
        return [d if d is None or norm is None else norm.eq(d) for d in distances]

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random, uniform and the best constant answer, exactly."""
        from .baselines import baselines

        return baselines(pack.items, _norm(pack))

    def without_reading(self, pack: Pack) -> Table:
        """What rules get that never read a story."""
        from .baselines import rules

        title = f"{self.name}, pack {pack.source.name}, {len(pack.items)} stories"
        return rules(pack.items, title)

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        from .reproducing import rows

        return rows()

    def published(self, pack: Pack) -> Table | None:
        """Table 1 of the paper, where results on the pack may stand beside it."""
        return published_board() if pack.comparability.startswith(MAY) else None

    def beside_reference(self, item: Item, score: Score) -> Table:
        """The points of the answer beside the reference."""
        asked: AskedStory = item.content
        rows: list[list[str | float | None]] = [["reference", *asked.reference]]
        if all(score.values[name] is not None for name in POINT_NAMES):
            rows.append(["answer", *(score.values[name] for name in POINT_NAMES)])
        return Table("Answer and reference", ("", *asked.options), rows)

    def people_question(self, item: Item) -> PeopleQuestion:
        """The story, and ten points to share out."""
        asked: AskedStory = item.content
        return PeopleQuestion(asked.story, asked.options, 0, POINTS, POINTS)

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Points around the reference, the further off the lower the ability."""
        return demo_answer(item.content, ability, rng)


def _norm(pack: Pack) -> Norm | None:
    return pack.norm if isinstance(pack, NormedPack) else None


_NONE = dict.fromkeys(("distance", *POINT_NAMES))


def graded(asked: AskedStory, response: ChatResponse) -> Score:
    """The distance of a reply to the reference, or why there is none."""
    reading = read_answer(response.text, asked.shown)
    flags = {"cut_off"} if response.truncated else set()
    why = no_answer(response) or reading.reason
    if why is not None or reading.values is None:
        return Score(_NONE, why, ordered(flags))
    answer = prepared(reading.values)
    if answer is None:
        message = f"all four numbers are {reading.values[0]:g}, which has no direction"
        return Score(_NONE, message, ordered(flags | set(reading.flags)))
    return _scored(asked, reading, answer, flags | set(reading.flags))


def _scored(
    asked: AskedStory, reading: PointsReading, answer: tuple[float, ...], flags: set[str]
) -> Score:
    assert reading.values is not None
    placed = asked.in_pack_order(answer)
    points = dict(zip(POINT_NAMES, placed, strict=True))
    written = asked.in_pack_order(reading.values)
    return Score(
        {"distance": distance(placed, asked.reference), **points},
        None,
        ordered(flags),
        {"options": list(asked.options), "written": list(written), "sum": sum(written)},
    )
