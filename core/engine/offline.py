"""Grading without asking anyone: answers given in a file, or kept in the journal."""

import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..benchmark import Pack
from ..clients.thinking import split_thinking
from ..errors import MissingCall, PluginError
from ..reports.document import build_document
from ..reports.evidence import Evidence, Selection
from ..types import NO_RESPONSE, ChatRequest, ChatResponse, Item, SampleScore, Score
from .config import RunConfig
from .handles import Handle, given_replies
from .workshop import Sample

Responses = Mapping[tuple[str, int], str]
"""Replies by item id and iteration."""


async def score_responses(
    config: RunConfig, pack: Pack, items: Sequence[Item], replies: Responses
) -> dict[str, Any]:
    """The result document of given replies, with a row per sample under ``scores``.

    Iterations go up to the highest one in the file; a sample without a reply is unscored.
    """
    iterations = max(iteration for _, iteration in replies)
    scores = [
        SampleScore(item.id, item.cluster, n, await _score(config, Sample(item, n), replies))
        for item in items
        for n in range(1, iterations + 1)
    ]
    selection = Selection(items, iterations)
    document = build_document(None, config, pack, selection, Evidence(scores))
    return {**document, "scores": _rows(scores, {item_id for item_id, _ in replies})}


def _rows(scores: Sequence[SampleScore], answered: Collection[str]) -> dict[str, Any]:
    """A row per iteration of each answered item; all rows have the same values, or null."""
    names = {name: None for s in scores for name in s.score.values}
    rows: dict[str, list[dict[str, Any]]] = {s.item_id: [] for s in scores if s.item_id in answered}
    for item_id, _, _, score in scores:
        if item_id in rows:
            graded = {**names, **score.values}
            row = {**graded, "flags": list(score.flags), "reason": score.reason}
            rows[item_id].append(row)
    return rows


async def _score(config: RunConfig, sample: Sample, replies: Responses) -> Score:
    item, iteration = sample
    text = replies.get((item.id, iteration))
    if text is None:
        return Score.unscored(NO_RESPONSE)
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
    with contextlib.suppress(MissingCall):
        await config.benchmark.generate(item, model, config.options)
    if not asked:
        raise PluginError(f"{config.benchmark.name} asks nothing about item {item.id!r}")
    return asked[0]
