"""What the judge is sent on the official packs, against prompts put together from their files."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
pytestmark = pytest.mark.skipif(not OFFICIAL, reason="EIBENCH_OFFICIAL_DATA is unset")
KEY = {"OPENAI_API_KEY": "sk-fake"}
WRITTEN = "\n\n  It was dry. " + "So they dug, and found nothing. " * 200 + "\n"


def sent(bench: Bench, name: str, models: tuple[str, ...], *options: str) -> list[ReceivedRequest]:
    """What is asked about the first item of an official pack, of models that write much."""

    def respond(request: ReceivedRequest) -> str:
        if "writer" in request.model:
            return f" {request.model}, {len(request.messages) // 2 + 1}: {WRITTEN}"
        return "OK"

    with LoopbackServer(respond) as server:
        urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        data = ("--dataset", Path(OFFICIAL or "", name), "--limit", "1")
        for model in models:
            parties = ("--model", f"openai/{model}", "--judge", "openai/judge")
            bench("run", name, *parties, *urls, *data, *options, env=KEY)
        return [request for request in server.requests if not request.is_trial]


def read(name: str, file: str) -> str:
    """A file of an official pack."""
    return Path(OFFICIAL or "", name, file).read_text("utf-8")


def filled(text: str, criteria: str, negative: str, **texts: str) -> str:
    """A judge's prompt as the published code fills it in."""
    texts["creative_writing_criteria"] = "\n".join(f"- {name}" for name in criteria.splitlines())
    texts["lower_is_better_criteria"] = ", ".join(negative.splitlines())
    for place, value in texts.items():
        text = text.replace(f"{{{place}}}", value)
    return text


def first_prompt(file: str) -> str:
    """The prompt of the first item."""
    rows = json.loads(file)
    return str(next(iter(rows.values()))["writing_prompt"])


def test_pieces_are_graded_and_compared_by_the_published_prompts(bench: Bench) -> None:
    """With `<SEED>` as it stands in the file; but for the writers' codes, to the character."""
    name = "creative-writing-v3"
    asked = sent(bench, name, ("writer-a", "writer-b"), "--iterations", "1")
    task = first_prompt(read(name, "creative_writing_prompts_v3.json"))
    assert "<SEED>" in task
    shared = {"writing_prompt": task}
    criteria = (read(name, "creative_writing_criteria.txt"), read(name, "negative_criteria.txt"))
    texts = {one: f"{one}, 1: {WRITTEN}".strip() for one in ("writer-a", "writer-b")}
    judge = read(name, "creative_writing_judging_prompt.txt")
    expected = {filled(judge, *criteria, **shared, test_model_response=t) for t in texts.values()}
    a, b = (text[:4000] for text in texts.values())
    pair = read(name, "pairwise_prompt.txt")
    expected |= {
        filled(pair, *criteria, **shared, model_a_analysis=one, model_b_analysis=other)
        for one, other in ((a, b), (b, a))
    }
    prompts = set()
    for request in asked:
        codes = re.findall(r"^\[WRITER (A\d+)\]$", request.prompt, re.MULTILINE)
        prompt = request.prompt
        for code, published in zip(codes, ("A0493", "A0488"), strict=False):
            prompt = prompt.replace(code, published)
        prompts |= {prompt} if request.model == "judge" else set()
    assert {prompt for prompt in prompts if "could not be used" not in prompt} == expected


def test_stories_are_graded_by_the_published_prompts(bench: Bench) -> None:
    """Each chapter, and the whole with headings and rules; the talk is as published too."""
    name, start = "longform-writing", "longform_creative_writing"
    asked = sent(bench, name, ("writer",))
    task = first_prompt(read(name, f"{start}_prompts_minimalist.json"))
    replies = {n: f"writer, {n}: {WRITTEN}".strip() for n in range(1, 14)}
    profile = {"final_plan": replies[4], "character_profiles": replies[5], "writing_prompt": task}
    chapters = [replies[n] for n in range(6, 14)]
    expected = [
        filled(
            read(name, f"{start}_judging_prompt_chapter.txt"),
            read(name, f"{start}_criteria_chapter.txt"),
            read(name, "longform_negative_criteria_chapter.txt"),
            **profile, chapter_text=chapter, chapter_number=str(n),
        )
        for n, chapter in enumerate(chapters, start=1)
    ]  # fmt: skip
    parts = [f"# Chapter {n}\n\n{chapter}" for n, chapter in enumerate(chapters, start=1)]
    expected.append(
        filled(
            read(name, f"{start}_judging_prompt_final.txt"),
            read(name, f"{start}_criteria_final.txt"),
            read(name, "longform_negative_criteria_final.txt"),
            writing_prompt=task, full_story="\n\n---\n\n".join(parts),
        )
    )  # fmt: skip
    judged = [request.prompt for request in asked if request.model == "judge"]
    assert {one for one in judged if "could not be used" not in one} == set(expected)
    talk = max((r.messages for r in asked if r.model == "writer"), key=len)
    said = [message["content"] for message in talk if message["role"] == "assistant"]
    assert said == [replies[n] for n in range(1, 13)]
