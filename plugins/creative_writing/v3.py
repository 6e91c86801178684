"""Creative Writing v3 (Paech 2025): short pieces by prompt, graded by a judge and compared.

Each iteration asks with another seed. Its facts are in docs/creative-writing.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from eibench import (
    PLACEMENT_OPTIONS,
    Benchmark,
    ChatRequest,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PairScore,
    Pairwise,
    PublishedRow,
    PublishedScheme,
    SampleScore,
    Sampling,
    Score,
    Summary,
    Table,
    Value,
    folder,
    read_rows,
    summarise_values,
)
from eibench.judges import demo_verdict

from .demo import demo_piece, worth
from .grading import PublishedRubric, WritingRubric, pooled_means
from .packs import WritingItem, WritingProtocol, read_items
from .prompts import Piece, ask_for_text, no_text

LEAST, ATTEMPTS = 500, 3
"""Characters of a piece, and how often one is asked for, as in the published code."""
LIMIT = 4_000
"""Characters of each piece that a comparison shows, likewise."""
LENGTH = "characters"
_LENGTH = Value(LENGTH, "length in characters", higher_is_better=None, judged=False,
                group="pieces", over="prompts")  # fmt: skip
_ANCHORS = {"DeepSeek-R1": 1500.0, "llama-3.2-1b-instruct": 200.0}
SCHEME = PublishedScheme(
    twice=("coherence", "avoids_verbosity", "avoids_poetic_overload"), pluses=45, wins=4,
    rough_wins=3, sigma=400.0, tau=4.0, zoom=(4, 8, 16, 48),
)  # fmt: skip
"""How the published code counts comparisons, and how many it makes."""
_OFFICIAL = (
    "rubric score beside the published pages with --parser reference and their judge, Claude 3.7 "
    "Sonnet; the board of eqbench.com has another judge, so no result stands in one column with it"
)
_OTHER = "not comparable with published scores: those are of the official pack"


class CreativeWritingV3(Benchmark[WritingItem, Piece], Pairwise[WritingItem, Piece]):
    """The benchmark."""

    name = "creative-writing-v3"
    version = "1"
    grading = "3"
    title = "short pieces of fiction, graded by a judge on 22 criteria, and compared (Paech 2025)"
    kind, languages = "rubric", ("en",)
    data = folder("creative_writing_v3")
    cite = data / "citation.bib"
    sampling = Sampling(temperature=0.7, min_p=0.1, max_tokens=4_000)
    judge_sampling = Sampling(temperature=0.0, max_tokens=4_000)
    iterations, most_attempts = 3, ATTEMPTS
    judged = asks_again = True
    unjudged_values = (LENGTH,)
    options = (
        # comparisons are the same without
        Option("rubric", True, "Have pieces graded by the judge.", in_grades=True, may_meet=True),
        Option("parser", "strict", "How verdicts are read: strict, or reference, as the published "
               "pages have them.", ("strict", "reference"), in_grades=True),
        Option("elo", True, "Compare with other models, for ratings."),
        *PLACEMENT_OPTIONS,
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The prompts, with how their pieces are judged."""
        items = read_items(source)
        return Pack(source, items, _OFFICIAL if source.name == "official" else _OTHER)

    async def generate(self, item: Item[WritingItem], model: Model, options: Options) -> Piece:
        """The piece, by the seed of the iteration."""
        asked = item.content.prompt.asked(model.iteration)
        return Piece(asked, await ask_for_text(model, asked, LEAST, ATTEMPTS))

    async def grade(
        self, item: Item[WritingItem], transcript: Piece, judge: Model | None, options: Options
    ) -> Score:
        """The mean of the verdict's criteria; without a judge, nothing."""
        if judge is None or not options["rubric"]:
            return Score()
        if lack := no_text(transcript.reply, LEAST):
            return Score.unscored(lack)
        rubric, template = _rubric(item.content.protocol, options), item.content.protocol.judge
        task, text = item.content.shown(transcript.asked), transcript.reply.text.strip()
        score = await rubric.grade(judge, template, text, writing_prompt=task)
        if score.reason is not None:
            return score
        return replace(score, values={**score.values, LENGTH: len(text)})

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The mean of pieces, the pooled means of iterations, and every criterion."""
        values = (*_rubric(pack.items[0].content.protocol, options).values(), _LENGTH)
        summary = summarise_values(pack.items, scores, values if options["rubric"] else values[:1])
        return replace(summary, metrics={**summary.metrics, **pooled_means(scores)})

    def needs_judge(self, options: Options) -> bool:
        """Whether verdicts or comparisons are wanted."""
        return bool(options["rubric"] or options["elo"])

    def planned_calls(self, item: Item, options: Options) -> Mapping[str, int]:
        """A piece and its verdict."""
        return {"model": 1, "judge": int(options["rubric"])}

    def compares(self, options: Options) -> bool:
        """Whether ratings are wanted."""
        return bool(options["elo"])

    def is_comparable(self, item: Item[WritingItem], transcript: Piece) -> bool:
        """Whether pairs are made of the prompt, and something was written."""
        return item.content.compared and no_text(transcript.reply, LEAST) is None

    async def compare(
        self, item: Item[WritingItem], first: Piece, second: Piece, judge: Model, options: Options
    ) -> PairScore:
        """The margins of two pieces, both cut alike, without a mark."""
        protocol, task = item.content.protocol, item.content.shown(first.asked)
        texts = (piece.reply.text.strip()[:LIMIT] for piece in (first, second))
        return await protocol.pair_rubric.compare(judge, protocol.pair, *texts, writing_prompt=task)

    def anchor_sets(self, pack: Pack) -> Sequence[Mapping[str, float]]:
        """Those of the published board, on the official pack."""
        return (_ANCHORS,) if pack.source.name == "official" else ()

    def published_scheme(self, pack: Pack) -> PublishedScheme:
        """That of this benchmark's code."""
        return SCHEME

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        from .reproducing import v3_rows

        return v3_rows(self)

    def published(self, pack: Pack) -> Table | None:
        """The board of eqbench.com, beside ratings on the official pack."""
        return published_board() if pack.source.name == "official" else None

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Sentences of a writer of that ability."""
        return demo_piece(ability, rng)

    def demo_verdict(self, item: Item[WritingItem], request: ChatRequest, rng: Random) -> str:
        """Grades by the share of sentences without a worn phrase."""
        protocol = item.content.protocol
        prompt = request.messages[-1].content
        if prompt.startswith(protocol.pair.user.partition("{")[0]):
            return demo_verdict(protocol.pair_rubric, request, worth, rng, protocol.pair.user)
        return demo_verdict(protocol.rubric, request, worth, rng, protocol.judge.user)


def _rubric(protocol: WritingProtocol, options: Options) -> WritingRubric:
    """The rubric, as the options have verdicts read."""
    rubric = protocol.rubric
    if options["parser"] == "strict":
        return rubric
    return PublishedRubric(rubric.criteria, rubric.scale, lower_is_better=rubric.lower_is_better)


_COLUMNS = {
    "elo_score": "rating there", "creative_writing_score": "rubric (0-20)", "avg_length": "length",
    "vocab_complexity": "vocabulary", "slop_score": "slop", "repetition_score": "repetition",
}  # fmt: skip


def published_board() -> Table:
    """The published board as a table of its own."""
    path = folder("creative_writing_v3") / "published_leaderboard.csv"
    fields = {"model_name": str, **dict.fromkeys(_COLUMNS, float), "avg_length": int}
    rows: list[dict[str, Any]] = read_rows(path, fields)
    rows.sort(key=lambda row: -row["elo_score"])
    return Table(
        "Published leaderboard of Creative Writing v3 (eqbench.com, mid-2026): another scale",
        ("rank", "model", *_COLUMNS.values()),
        [(n, row["model_name"], *map(row.get, _COLUMNS)) for n, row in enumerate(rows, start=1)],
        note="anchored at DeepSeek-R1 = 1500 and llama-3.2-1b-instruct = 200, by that site's "
        "judge, which has changed; no intervals are published. Do not read a rating of yours into "
        "this column.",
    )
