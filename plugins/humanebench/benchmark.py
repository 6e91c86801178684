"""HumaneBench (Building Humane Technology 2025): does a reply treat the person well?

A judge rates each reply by the one principle of eight that its prompt is about, in four steps.
What is upstream's and what is ours is in docs/humanebench.md.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import eibench as eb
from eibench.judges import Rubric, Template, demo_verdict

RUBRIC = Rubric({"rating": "how far the reply keeps to the principle"}, steps=(-1, -0.5, 0.5, 1))
TAG, OVER = ("principle",), "prompts"
PERSONAS = ("baseline", "good", "bad")
PUBLISHED = eb.folder("humanebench") / "published_scores.csv"
JUDGES = ("claude-sonnet-4-5", "gpt-5.1", "gemini-2.5-pro")
NOTE = f"Of 2025, with upstream's wording, by {', '.join(JUDGES)}; no intervals were published."
GOOD = "Here is what speaks for each, and the decision is yours."
BAD = "I love that you told me! Stay a little, shall we go on?"
Row = dict[str, Any]
TEXTS = eb.read_toml(eb.folder("humanebench") / "prompts.toml")
"""The personas, the judge's prompt, and by principle its steps."""


class HumaneBench(eb.Benchmark[Row, eb.ChatResponse]):
    """The score is the mean over eight principles of the mean rating of each."""

    name = "humanebench"
    version = "1"
    title = "replies rated by eight humane principles, under three personas"
    kind = "rubric"
    languages = ("en",)
    data = eb.folder("humanebench")
    cite = data / "citation.bib"
    comparability = (
        "beside, and not comparable with, published scores: personas and rubric are in our words"
    )
    published_with = eb.PublishedWith(JUDGES, "mean", quorum=3)
    limit_over = "principle"
    sampling = eb.Sampling(max_tokens=4000)
    judged = asks_again = True
    options = (
        eb.Option("persona", PERSONAS[0], "The system message, none for baseline.", PERSONAS, True),
    )
    values = (
        eb.Value(
            "humane", "humane score (-1 to 1)", "number", (-1, 1), by=TAG, macro=TAG[0], over=OVER
        ),
        eb.Value("negative", "verdicts below 0", "share", higher_is_better=False, over=OVER),
    )

    def read_pack(self, source: eb.PackSource, options: eb.Options) -> eb.Pack:
        """The prompts, without those that upstream's own scores leave out."""
        path, items = next(iter(source.files.values())), list[eb.Item[Row]]()
        rows: list[Row] = eb.read_rows(path, {"id": str, "input": str, "metadata": dict})
        for row in rows:
            principle = str(row["metadata"].get("principle"))
            if principle not in TEXTS["principles"]:
                raise eb.DataError(path, f"no principle is called {principle!r}", row["id"])
            if not row["metadata"].get("excluded_from_analysis"):
                family = str(row["metadata"].get("input_id", ""))  # of replies that people rated
                items.append(eb.Item(row["id"], row, family, {"principle": principle}))
        n = len(rows) - len(items)
        warnings = (f"{n} prompts are left out, as in the published scores",) if n else ()
        return eb.Pack(source, items, self.comparability, warnings)

    def prompts(self, options: eb.Options) -> Mapping[str, str]:
        """The persona's system message."""
        return {
            name: text for name, text in TEXTS["personas"].items() if name == options["persona"]
        }

    def judge_prompts(self, options: eb.Options) -> Mapping[str, str]:
        """The judge's template, and the steps of each principle."""
        steps = {name: "\n".join(of.values()) for name, of in TEXTS["principles"].items()}
        return {**RUBRIC.judge_prompts(Template(**TEXTS["judge"])), **steps}

    async def generate(
        self, item: eb.Item[Row], model: eb.Model, options: eb.Options
    ) -> eb.ChatResponse:
        """The reply, under the persona."""
        system = [eb.Message("system", text) for text in self.prompts(options).values()]
        return await model.chat([*system, eb.Message("user", item.content["input"])])

    async def grade(
        self,
        item: eb.Item[Row],
        transcript: eb.ChatResponse,
        judge: eb.Model | None,
        options: eb.Options,
    ) -> eb.Score:
        """The rating by the principle of the prompt."""
        principle = item.tags["principle"]
        places = {"principle": principle.replace("-", " "), "message": item.content["input"]}
        places |= TEXTS["principles"][principle]
        score = await RUBRIC.grade(judge, Template(**TEXTS["judge"]), transcript, **places)
        rating = score.values.get("rating")
        if rating is None:
            return score
        return replace(score, values={"humane": rating, "negative": float(rating < 0)})

    def published(self, pack: eb.Pack) -> eb.Table | None:
        """The published overall scores under each persona, beside results on the official pack."""
        if pack.source.name != "official":
            return None
        rows: list[Row] = eb.read_rows(
            PUBLISHED, {"persona": PERSONAS, "model": str, "overall": float}
        )
        overall = {(row["model"], row["persona"]): row["overall"] for row in rows}
        models = sorted({m for m, _ in overall}, key=lambda m: -overall[m, PERSONAS[0]])
        cells = [(m, *(overall[m, persona] for persona in PERSONAS)) for m in models]
        return eb.Table("published scores of HumaneBench", ("model", *PERSONAS), cells, note=NOTE)

    def human_ratings(self, pack: eb.Pack) -> list[eb.HumanRatedReply]:
        """What people gave the replies that are in upstream's golden questions."""
        replies = []
        for item in pack.items:
            if "human_rating_values" in (of := item.content["metadata"]):
                values = map(float, of["human_rating_values"].split(", "))
                humane = dict(zip(of["human_rater_names"].split(", "), values, strict=True))
                ratings = {"humane": humane}
                source = f"{of['ai_model']}, {of['ai_persona']}"
                replies.append(eb.HumanRatedReply(item.id, of["ai_output"], source, ratings))
        return replies

    def demo_reply(
        self, item: eb.Item[Row], request: eb.ChatRequest, ability: float, rng: Random
    ) -> str:
        """Four sentences, each as good as the ability says."""
        return " ".join(GOOD if rng.random() < ability else BAD for _ in range(4))

    def demo_verdict(self, item: eb.Item[Row], request: eb.ChatRequest, rng: Random) -> str:
        """By the share of good sentences."""
        return demo_verdict(RUBRIC, request, lambda text: text.count(GOOD) / 4, rng)
