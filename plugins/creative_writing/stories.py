"""Packs of Longform Writing in upstream's layout, and the stories that are written to them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eibench import ChatResponse, DataError, Item, PackSource, read_json, read_text
from eibench.judges import Template, fill

from .grading import PublishedRubric, WritingRubric
from .packs import SCALE, read_judge, read_rubric, require_files
from .prompts import no_text, read_prompts

CHAPTERS, TURNS = 8, 5
"""Of a story, and turns of planning before it."""
LEAST, ATTEMPTS = 500, 5
"""Characters of a turn, and how often one is asked for, as in the published code."""
_PLAN, _PROFILES = 3, 4
"""The turns that settle the plan and describe the characters."""
_NAME = "longform_creative_writing"
PROMPTS, WEIGHTS = f"{_NAME}_prompts_minimalist.json", "criteria_weights.json"
CRITERIA, NEGATIVE = f"{_NAME}_criteria_%s.txt", "longform_negative_criteria_%s.txt"
JUDGE = f"{_NAME}_judging_prompt_%s.txt"
PLANNING = tuple(f"prompt{number}.txt" for number in range(1, TURNS + 1))
FIRST, MIDDLE, LAST = (f"prompt_chapter_{name}.txt" for name in ("first", "intermediate", "last"))
_BENT, _POWER = "forced poetry or metaphor", 1.7
"""The criterion whose points, once turned, are raised to a power of their share of the scale."""


class StoryRubric(WritingRubric):
    """A rubric that bends one criterion, so that a middling grade of it costs more."""

    def total(self, grades: Mapping[str, float]) -> float:
        """The mean of the criteria by weight, from 0 to 100."""
        shares = {name: self.share(name, grade) for name, grade in grades.items()}
        weights = {name: self.weights.get(name, 1) for name in shares}
        return 100 * sum(weights[n] * shares[n] for n in shares) / sum(weights.values())

    def share(self, name: str, grade: float) -> float:
        """What a grade is worth, from 0 to 1."""
        name, less = name.casefold(), map(str.casefold, self.lower_is_better)
        share = (self.scale - grade if name in less else grade) / self.scale
        return share**_POWER if name == _BENT else share


class PublishedStoryRubric(StoryRubric, PublishedRubric):
    """The same as published pages have it: read as by the published code, all counted alike."""

    def grades_in(self, text: str) -> dict[str, float]:
        """The first number of each line among the scores by the name before it, on the scale."""
        read = [match for line in _score_lines(text) if (match := _NUMBER.search(line))]
        grades = {match[1].strip(): float(match[2]) for match in read}
        return {
            name: min(max(grade, 0), self.scale)
            for name, grade in grades.items()
            if name.lower() not in _NO_CRITERIA
        }


_NUMBER = re.compile(r"(?<![^:])([^:]+):\s*\[?(-?\d+(?:\.\d+)?)")
_BEGIN, _END = ("[Scores]", "--- Scores ---"), ("---", "[End Scores]")
_NO_CRITERIA = ("overall assessment", "summary", "reasoning", "critique", "feedback", "notes")
"""What the published code takes for no criterion."""


def _score_lines(text: str) -> Iterator[str]:
    """The lines of a verdict's part with the scores; all where no such part is marked."""
    marked = any(mark in text for mark in _BEGIN)
    inside = not marked
    for line in text.splitlines():
        begins = any(mark in line for mark in _BEGIN)
        if begins or (marked and any(mark in line for mark in _END)):
            inside = begins
        elif inside:
            yield line.strip()


class StoryProtocol(NamedTuple):
    """How stories of a pack are asked for and judged.

    Attributes:
        turns: What the model is sent, with places for the prompt and numbers.
        chapter, whole: What the judge grades a chapter and the whole by.
        judge_chapter, judge_whole: Its prompts.
    """

    turns: tuple[str, ...]
    chapter: StoryRubric
    judge_chapter: Template
    whole: StoryRubric
    judge_whole: Template


class StoryItem(NamedTuple):
    """What an item of Longform Writing holds."""

    prompt: str
    protocol: StoryProtocol

    @property
    def turns(self) -> list[str]:
        """What the model is sent, turn by turn."""
        texts = {"writing_prompt": self.prompt, "n_chapters": str(CHAPTERS)}
        return [
            fill(text, {**texts, "chapter_number": str(number)})
            for number, text in enumerate(self.protocol.turns, 1 - TURNS)
        ]


class WrittenStory(NamedTuple):
    """What a model replied, turn by turn; nothing after a reply that is no text."""

    replies: tuple[ChatResponse, ...]

    @property
    def plan(self) -> str:
        """The plan that it settled on."""
        return self.replies[_PLAN].text.strip()

    @property
    def profiles(self) -> str:
        """Its characters."""
        return self.replies[_PROFILES].text.strip()

    @property
    def chapters(self) -> list[str]:
        """The chapters in order."""
        return [reply.text.strip() for reply in self.replies[TURNS:]]

    @property
    def text(self) -> str:
        """The whole as its judge is shown it."""
        numbered = enumerate(self.chapters, start=1)
        return "\n\n---\n\n".join(f"# Chapter {n}\n\n{chapter}" for n, chapter in numbered)

    @property
    def broken_off(self) -> str | None:
        """Where and why the story stops early; ``None`` for a whole one."""
        number = len(self.replies)
        if (reason := no_text(self.replies[-1], LEAST)) is None:
            return None
        where = f"chapter {number - TURNS}" if number > TURNS else f"planning turn {number}"
        return f"{where}: {reason}"


def read_stories(source: PackSource) -> list[Item[StoryItem]]:
    """The items of a pack in its order.

    Raises:
        DataError: A file is missing or not of its form.
    """
    judged = [name % part for name in (CRITERIA, NEGATIVE, JUDGE) for part in ("chapter", "final")]
    require_files(source, PROMPTS, WEIGHTS, *judged, *PLANNING, FIRST, MIDDLE, LAST)
    weights = _weights(source.files[WEIGHTS])
    chapter, whole = (_rubric(source.files, part, weights) for part in ("chapter", "final"))
    known = {name.casefold() for name in (*chapter.names, *whole.names)}
    if unknown := [name for name in weights if name not in known]:
        raise DataError(source.files[WEIGHTS], "weighs what is no criterion", unknown[0])
    slots = ("final_plan", "character_profiles", "chapter_number")
    protocol = StoryProtocol(
        _turns(source.files),
        chapter,
        read_judge(source.files[JUDGE % "chapter"], chapter, {"{chapter_text}": "reply"}, *slots),
        whole,
        read_judge(source.files[JUDGE % "final"], whole, {"{full_story}": "reply"}),
    )
    prompts = read_prompts(source.files[PROMPTS], seeded=False)
    return [Item(id, StoryItem(prompt.text, protocol)) for id, prompt, _ in prompts]


def _turns(files: Mapping[str, Path]) -> tuple[str, ...]:
    """What the model is sent; its place for the prompt, and for a number, is there."""
    texts = {name: read_text(files[name]).strip() for name in (*PLANNING, FIRST, MIDDLE, LAST)}
    needed = {PLANNING[0]: "{writing_prompt}", MIDDLE: "{chapter_number}"}
    for name, text in texts.items():
        if not text:
            raise DataError(files[name], "is empty")
        if (slot := needed.get(name, "")) not in text:
            raise DataError(files[name], f"lacks {slot}")
    return tuple(texts[name] for name in (*PLANNING, FIRST, *[MIDDLE] * (CHAPTERS - 2), LAST))


def _rubric(files: Mapping[str, Path], part: str, weights: Mapping[str, float]) -> StoryRubric:
    """The rubric of chapters or of the whole, with its weights."""
    plain = read_rubric(files[CRITERIA % part], files[NEGATIVE % part])
    by_name = {n: weights[n.casefold()] for n in plain.names if n.casefold() in weights}
    settings: dict[str, Any] = {"form": plain.form, "optional": plain.optional, "weights": by_name}
    return StoryRubric(plain.criteria, SCALE, lower_is_better=plain.lower_is_better, **settings)


def published(rubric: StoryRubric) -> PublishedStoryRubric:
    """A rubric as published pages have it."""
    return PublishedStoryRubric(rubric.criteria, SCALE, lower_is_better=rubric.lower_is_better)


def _weights(path: Path) -> dict[str, float]:
    """What criteria count, by their names in small letters."""
    rows = read_json(path)
    for name, weight in rows.items() if isinstance(rows, dict) else [("", None)]:
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
            raise DataError(path, "must be an object of numbers above 0 by criterion", name)
    return {name.casefold(): float(weight) for name, weight in rows.items()}
