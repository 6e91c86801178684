"""What a judge is sent is known: from its prompts, from the pack, or from the transcript.

A grade names its grader by a digest of the judge's prompts, and a run its pack by one of the items,
so that a change to either never mixes with what was graded before.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Self

import pytest

from eibench import Benchmark, ChatResponse, Message, Sampling, find_pack
from eibench.core.plugins import installed
from eibench.data import folder

REPLY = "You did not sleep, and nobody asked you why."
FIELD = re.compile(r"\{\w+\}")
KEY = re.compile(r'^"\w+": ')
AGAIN = "An earlier reply to this could not be used"


class Sees:
    """Anybody who is asked: replies alike, and keeps what was said."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.sampling = Sampling()
        self.iteration = 1
        self.noted: dict[str, object] = {}

    def role(self, name: str, number: int = 0) -> Self:
        """The same for every part."""
        return self

    def draw(self, name: str) -> Random:
        """Always the same."""
        return Random(name)

    def mark(self, response: ChatResponse, problem: str | None = None) -> None:
        """Nobody asks."""

    def note(self, **facts: object) -> None:
        """Nobody asks."""

    def stage(self, text: str) -> None:
        """Nobody asks."""

    async def kept(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse | None:
        """Nothing."""
        return None

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """The one reply."""
        several = [Message("user", messages)] if isinstance(messages, str) else messages
        self.seen += [message.content for message in several]
        return ChatResponse(REPLY)


def known(benchmark: Benchmark[Any, Any], options: dict[str, Any]) -> Iterator[re.Pattern[str]]:
    """Each line of the judge's prompts, with anything in the place of a field."""
    for text in benchmark.judge_prompts(options).values():
        for line in filter(None, map(str.strip, text.splitlines())):
            parts = FIELD.split(line.replace("{{", "{").replace("}}", "}"))
            if any(re.search(r"\w{3}", part) for part in parts):
                yield re.compile(".*".join(map(re.escape, parts)))


def is_known(line: str, patterns: Sequence[re.Pattern[str]], pack: str) -> bool:
    """Whether a line comes from the prompts, the pack or the reply."""
    text = KEY.sub("", line.removeprefix("> ")).strip('",')
    few = len(re.findall(r"\w+", text)) < 4
    return few or text in pack or text in REPLY or any(p.fullmatch(line) for p in patterns)


@pytest.mark.parametrize(
    "name",
    [
        "buzzbench",
        "confidant",
        "emotionqueen",
        "eqbench3",
        "humanebench",
        "longform-writing",
        "mediation-live",
    ],
)
async def test_all_that_a_judge_is_sent_is_known(name: str) -> None:
    """No line of it but from prompts with a digest, the pack and the transcript."""
    benchmark = installed().benchmark(name)
    options = {option.name: option.default for option in benchmark.options}
    source = find_pack(benchmark, "bundled", options)
    judge = Sees()
    for item in benchmark.read_pack(source, options).items:
        transcript = await benchmark.generate(item, Sees(), options)
        await benchmark.grade(item, transcript, judge, options)
    files = folder(name.replace("-", "_")).joinpath("bundled").iterdir()
    pack = "\n".join(path.read_text(encoding="utf-8") for path in files).replace('\\"', '"')
    patterns = list(known(benchmark, options))
    first = [text for text in judge.seen if AGAIN not in text and "Two earlier" not in text]
    lines = {line.strip() for text in first for line in text.splitlines()}
    assert [line for line in sorted(lines) if not is_known(line, patterns, pack)] == []
