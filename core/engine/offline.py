"""Grading without asking anyone: answers given in a file, or kept in the journal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..benchmark import Pack
from ..clients.thinking import split_thinking
from ..datasets import read_jsonl
from ..errors import DataError, MissingCall
from ..reports.document import Evidence, Selection, build_document
from ..types import ChatRequest, ChatResponse, Item, SampleScore, Score
from .config import RunConfig
from .handles import Handle, given_replies
from .samples import Sample

Responses = Mapping[tuple[str, int], str]
"""Replies by item id and iteration."""


def read_responses(path: Path, pack: Pack) -> dict[tuple[str, int], str]:
    """The replies in a file of lines ``{"item_id", "response"[, "iteration"]}``.

    Raises:
        DataError: A line is not of that form, names an item that the pack does not have, or
            answers a sample a second time.
    """
    known = {item.id for item in pack.items}
    replies: dict[tuple[str, int], str] = {}
    for number, row in read_jsonl(path):
        place = f"line {number}"
        key, text = _response(path, place, row)
        if key[0] not in known:
            raise DataError(path, f"the pack has no item {key[0]!r}", place)
        if key in replies:
            raise DataError(path, f"item {key[0]!r} is answered twice in iteration {key[1]}", place)
        replies[key] = text
    if not replies:
        raise DataError(path, "holds no responses")
    return replies


def _response(path: Path, place: str, row: Any) -> tuple[tuple[str, int], str]:
    if not isinstance(row, dict):
        raise DataError(path, "not a JSON object", place)
    item_id, text, iteration = row.get("item_id"), row.get("response"), row.get("iteration", 1)
    if isinstance(item_id, int) and not isinstance(item_id, bool):
        item_id = str(item_id)
    if not isinstance(item_id, str):
        raise DataError(path, 'needs "item_id", a text', place)
    if not isinstance(text, str):
        raise DataError(path, 'needs "response", a text', place)
    if not isinstance(iteration, int) or isinstance(iteration, bool) or iteration < 1:
        raise DataError(path, '"iteration" must be a whole number from 1', place)
    return (item_id, iteration), text


async def score_responses(
    config: RunConfig, pack: Pack, items: Sequence[Item], replies: Responses
) -> dict[str, Any]:
    """The result document of given replies, with a row per sample under ``scores``.

    Iterations go up to the highest one in the file; a sample without a reply is unscored.
    """
    iterations = max(iteration for _, iteration in replies)
    scores: list[SampleScore] = []
    rows: dict[str, list[dict[str, Any] | None]] = {}
    for item in items:
        made = [await _score(config, Sample(item, n + 1), replies) for n in range(iterations)]
        scores += [
            SampleScore(item.id, item.cluster, n, score) for n, score in enumerate(made, start=1)
        ]
        if any((item.id, n + 1) in replies for n in range(iterations)):
            rows[item.id] = [row(score) for score in made]
    selection = Selection(items, iterations)
    document = build_document(None, config, pack, selection, Evidence(scores))
    return {**document, "scores": rows}


def row(score: Score) -> dict[str, Any]:
    """A sample's score as one row of a document."""
    return {**score.values, "flags": list(score.flags), "reason": score.reason}


async def _score(config: RunConfig, sample: Sample, replies: Responses) -> Score:
    item, iteration = sample
    text = replies.get((item.id, iteration))
    if text is None:
        return Score.unscored("no response was given")
    answer, thinking = split_thinking(text)
    model = _handle(config, [ChatResponse(answer, thinking)])
    try:
        transcript = await config.benchmark.generate(item, model, config.options)
        return await config.benchmark.grade(item, transcript, None, config.options)
    except MissingCall as error:
        return Score.unscored(str(error))


def _handle(config: RunConfig, replies: Sequence[ChatResponse]) -> Handle:
    return Handle(
        given_replies(replies),
        phase="generate",
        asked=str(config.model.spec),
        sampling=config.effective_sampling,
        system=config.system,
    )


async def first_request(config: RunConfig, item: Item, iteration: int) -> ChatRequest:
    """The request that a sample begins with, exactly as a run would send it."""
    asked: list[ChatRequest] = []

    async def note(request: ChatRequest, key: object) -> ChatResponse:
        asked.append(request)
        raise MissingCall("only the request is wanted")

    model = Handle(
        note,
        phase="generate",
        asked=str(config.model.spec),
        sampling=config.effective_sampling,
        system=config.system,
        iteration=iteration,
    )
    try:
        await config.benchmark.generate(item, model, config.options)
    except MissingCall:
        if asked:
            return asked[0]
    return asked[0]
