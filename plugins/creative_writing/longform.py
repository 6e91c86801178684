"""Longform Writing (Paech 2025): a story planned in five turns and written in eight chapters.

A judge grades every chapter and the whole. Its facts are in docs/creative-writing.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any

from eibench import (
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
    Message,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    Plot,
    PublishedRow,
    ResultDocument,
    SampleScore,
    Sampling,
    Score,
    Series,
    Summary,
    Table,
    Value,
    folder,
    summarise_values,
)
from eibench.judges import Template, demo_verdict, fill, neutralise

from .demo import demo_piece, worth
from .grading import RUBRIC_SCORE
from .longform_board import decline, published_board
from .packs import SCALE
from .prompts import ask_for_text, no_text
from .stories import (
    ATTEMPTS,
    CHAPTERS,
    LEAST,
    TURNS,
    PublishedStoryRubric,
    StoryItem,
    StoryRubric,
    WrittenStory,
    published,
    read_stories,
)

MEAN, WHOLE, DECLINE, LENGTH = "chapters", "whole", "decline", "characters"
BY_CHAPTER = tuple(f"chapter_{number}" for number in range(1, CHAPTERS + 1))
_OVER = "stories"
_TIRING = 0.05
"""What a demo writer loses of its ability from one chapter to the next."""
_OFFICIAL = (
    "chapters and wholes beside the published pages with --parser reference and their judge; the "
    "board of eqbench.com has another judge, and its overall score does not follow from its columns"
)
_OTHER = "not comparable with published scores: those are of the official pack"


class LongformWriting(Benchmark[StoryItem, WrittenStory]):
    """The benchmark."""

    name = "longform-writing"
    version, grading = "2", "2"
    title = "stories in eight chapters, each graded by a judge, and the whole (Paech 2025)"
    kind, languages = "rubric", ("en",)
    data = folder("longform_writing")
    cite = data / "citation.bib"
    sampling = Sampling(temperature=0.7, min_p=0.1, max_tokens=4_000)
    judge_sampling = Sampling(temperature=0.0, max_tokens=16_000)
    most_attempts = ATTEMPTS
    judged = asks_again = True
    single_turn = False
    unjudged_values = (LENGTH,)
    options = (
        Option("parser", "strict", "How verdicts are read and weighed: strict, with the published "
               "code's weights, or reference, as the published pages have them.",
               ("strict", "reference"), in_grades=True),
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The prompts, with how stories are asked for and judged."""
        items = read_stories(source)
        return Pack(source, items, _OFFICIAL if source.name == "official" else _OTHER)

    async def generate(self, item: Item[StoryItem], model: Model, options: Options) -> WrittenStory:
        """The planning turns and the chapters in one conversation, up to one that is no text."""
        talk, replies, turns = list[Message](), list[ChatResponse](), item.content.turns
        for number, text in enumerate(turns, start=1):
            talk.append(Message("user", text))
            shared = len(talk) if number < len(turns) else 0
            reply = await ask_for_text(model, talk, LEAST, ATTEMPTS, cache_prefix=shared)
            replies.append(reply)
            if no_text(reply, LEAST):
                break
            talk.append(Message("assistant", reply.text.strip()))
        return WrittenStory(tuple(replies))

    async def grade(
        self, item: Item[StoryItem], transcript: WrittenStory, judge: Model | None, options: Options
    ) -> Score:
        """The mean of nine verdicts: one on each chapter and one on the whole."""
        if transcript.broken_off:
            return Score.unscored(transcript.broken_off)
        (prompt, protocol), rubrics = item.content, _rubrics(item.content, options)
        markers = (*protocol.judge_chapter.markers, *protocol.judge_whole.markers)
        replies = (transcript.plan, transcript.profiles, transcript.text, *transcript.chapters)
        plan, profiles, story, *chapters = (neutralise(text, markers) for text in replies)
        texts = {"writing_prompt": prompt, "final_plan": plan, "character_profiles": profiles}
        scores = []
        for number, chapter in enumerate(chapters, start=1):
            numbered = {"chapter_number": str(number)}
            template = Template(fill(protocol.judge_chapter.user, numbered))
            scores.append(await rubrics[0].grade(judge, template, chapter, **texts))
        template = protocol.judge_whole
        whole = await rubrics[1].grade(judge, template, story, writing_prompt=prompt)
        return _score_of(scores, whole, rubrics, sum(map(len, transcript.chapters)))

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The score, chapter by chapter, the decline, and every criterion."""
        values = list(_values(_rubrics(pack.items[0].content, options)))
        return summarise_values(pack.items, scores, values)

    def planned_calls(self, item: Item[StoryItem], options: Options) -> Mapping[str, int]:
        """Every turn, a verdict on each chapter and one on the whole."""
        return {"model": TURNS + CHAPTERS, "judge": CHAPTERS + 1}

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        from .reproducing import longform_rows

        return longform_rows()

    def published(self, pack: Pack) -> Table | None:
        """The board of eqbench.com, beside results on the official pack."""
        return published_board() if pack.source.name == "official" else None

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Sentences of a writer of that ability, who tires."""
        asked = sum(message.role == "user" for message in request.messages)
        return demo_piece(ability * (1 - _TIRING * max(0, asked - TURNS - 1)), rng)

    def demo_verdict(self, item: Item[StoryItem], request: ChatRequest, rng: Random) -> str:
        """Grades by the share of sentences without a worn phrase."""
        protocol, prompt = item.content.protocol, request.messages[-1].content
        if protocol.whole.described in prompt:
            return demo_verdict(protocol.whole, request, worth, rng, protocol.judge_whole.user)
        return demo_verdict(protocol.chapter, request, worth, rng, protocol.judge_chapter.user)


def _rubrics(content: StoryItem, options: Options) -> tuple[StoryRubric, StoryRubric]:
    """Of a chapter and of the whole, as the options have verdicts read."""
    rubrics = content.protocol.chapter, content.protocol.whole
    as_published = published(rubrics[0]), published(rubrics[1])
    return rubrics if options["parser"] == "strict" else as_published


def _score_of(
    chapters: Sequence[Score], whole: Score, rubrics: tuple[StoryRubric, StoryRubric], length: int
) -> Score:
    """A story's score; unscored where one of the verdicts is unread, with which.

    As published, a part that is unread is left out, unless all are.
    """
    parts = {f"chapter {number}": score for number, score in enumerate(chapters, start=1)}
    parts["the whole story"] = whole
    flags = tuple(dict.fromkeys(flag for score in parts.values() for flag in score.flags))
    totals = [score.values.get(RUBRIC_SCORE) for score in parts.values()]
    read = [total for total in totals if total is not None]
    left_out = isinstance(rubrics[0], PublishedStoryRubric) and bool(read)
    for name, score in parts.items():
        if score.reason is not None and not left_out:
            detail = {"totals": dict(zip(parts, totals, strict=True))}
            return Score.unscored(f"{name}: {score.reason}", flags=flags, detail=detail)
    values = dict(zip((RUBRIC_SCORE, *BY_CHAPTER, WHOLE), (fmean(read), *totals), strict=True))
    declines = None not in totals[:CHAPTERS]
    values |= {DECLINE: decline(read[:CHAPTERS]) if declines else None, LENGTH: length / CHAPTERS}
    for part, rubric, scores in zip((MEAN, WHOLE), rubrics, (chapters, [whole]), strict=True):
        values |= dict(_criteria(part, rubric, scores))
    return Score(values, flags=flags)


def _criteria(
    part: str, rubric: StoryRubric, scores: Sequence[Score]
) -> Iterator[tuple[str, float]]:
    """The mean of each criterion over the verdicts that grade it."""
    for name in rubric.names:
        grades = [g for score in scores if (g := score.values.get(name)) is not None]
        if grades:
            yield f"{part}: {name}", fmean(grades)


def _values(rubrics: tuple[StoryRubric, StoryRubric]) -> Iterator[Value]:
    """What a story's score holds; a weight that is not 1 stands beside its criterion."""
    shared: dict[str, Any] = {"range": (0, 100), "over": _OVER}
    yield Value(RUBRIC_SCORE, "rubric score (0-100)", **shared)
    yield Value(MEAN, "mean of the chapters (0-100)", mean_of=BY_CHAPTER, **shared)
    yield Value(WHOLE, "the whole story (0-100)", **shared)
    yield Value(DECLINE, "points lost from one chapter to the next", range=(-SCALE, SCALE),
                higher_is_better=False, over=_OVER)  # fmt: skip
    for number, name in enumerate(BY_CHAPTER, start=1):
        yield Value(name, f"chapter {number}", group="chapter by chapter (0-100)", **shared)
    for part, rubric in zip((MEAN, WHOLE), rubrics, strict=True):
        weights = {n: f" (weight {w:g})" for n, w in rubric.weights.items() if w != 1}
        _, _, *values, _ = rubric.values(over=_OVER)
        for value in values:
            label, group = value.name + weights.get(value.name, ""), f"{part}: {value.group}"
            yield replace(value, name=f"{part}: {value.name}", label=label, group=group)
    yield Value(LENGTH, "characters of a chapter", higher_is_better=None, judged=False,
                group="stories", over=_OVER)  # fmt: skip


def chapter_plot(document: ResultDocument) -> Plot | None:
    """A line over the chapters between those of its interval; nothing without scores."""
    metrics = document["metrics"]
    lost = metrics[DECLINE]["value"] if DECLINE in metrics else None
    if lost is None:
        return None
    rows = [(float(n), metrics[name]) for n, name in enumerate(BY_CHAPTER, start=1)]
    means = [(n, value) for n, row in rows if (value := row["value"]) is not None]
    series = [Series("mean of stories", means)]
    for index, name in enumerate(("95 % interval, lower end", "95 % interval, upper end")):
        points = [(n, ci[index]) for n, row in rows if (ci := row["ci95"]) is not None]
        series += [Series(name, points)] * bool(points)
    note = f"By a straight line {lost:.2f} points are lost from one chapter to the next."
    return Plot("Chapter by chapter", series, "chapter", "score (0-100)", "lines", note)
