"""Grading without asking anyone: answers given in a file, or kept in the journal."""

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..benchmark import Benchmark, Pack
from ..clients.anthropic import read_message
from ..clients.openai import read_completion
from ..clients.thinking import split_thinking
from ..errors import ErrorKind, MissingCall, PluginError, ProviderError, UsageError
from ..guard import Guarded, at_item, guard
from ..journal import CallKey, Failure
from ..parties.providers import SOMEBODY, ModelSpec
from ..reading.responses import Responses, read_responses
from ..reports.document import build_document
from ..reports.evidence import RunData, Selection, UsageTotals
from ..reports.result import Result, as_result
from ..sample.context import Sample
from ..sample.model import Answer, given_replies, model_of
from ..settings.resolve import make_config
from ..settings.run_config import Endpoint, RunConfig
from ..settings.run_settings import RunSettings
from ..text import plural, readable
from ..types import (
    NO_RESPONSE,
    ChatRequest,
    ChatResponse,
    Item,
    JsonDict,
    JsonObject,
    SampleScore,
    Score,
)
from .checks import check_stored
from .task import read_pack

GivenReply = str | ChatResponse
"""A text of which nothing else is known, or a reply with how it ended."""


def needs_single_turn(benchmark: Benchmark, command: str) -> None:
    """Refuse a benchmark whose requests depend on replies.

    Raises:
        UsageError: It is one.
    """
    if not benchmark.single_turn:
        raise UsageError(
            f"bench {command} is for benchmarks of one turn; in {benchmark.name} a request "
            "depends on the reply before it, so use bench run"
        )


def scoring_config(
    benchmark: Benchmark, settings: RunSettings, responses: Path, *, saved: bool = False
) -> RunConfig:
    """What is known of answers made elsewhere, whose file's name stands for that of the model.

    If `saved`, they become a run, which may be a conversation's, or wait for a judge.

    Raises:
        UsageError: Answers alone are not enough to score this benchmark, or the name is no text.
    """
    if not saved:
        needs_single_turn(benchmark, "score")
    name = settings.name
    if name is None:
        name = readable(responses.stem) or "responses"
    model = Endpoint(ModelSpec("responses", name))
    config = make_config(benchmark, replace(settings, name=name), model)
    if not saved and guard(benchmark).needs_judge(config.options):
        raise UsageError(
            f"{benchmark.name} needs a judge, so bench score cannot score it without --judge SPEC; "
            "--save keeps the answers, for bench rejudge"
        )
    check_stored(config)
    return config


async def score_config(config: RunConfig, responses: Responses) -> Result:
    """The result of answers made elsewhere, with a row per sample under ``scores``.

    The data has to be there. Iterations go up to the highest one in the file; a sample without a
    reply is unscored.

    Raises:
        DataError: The data or the answers are broken.
    """
    pack = read_pack(config)
    replies, failed = read_answers(config, pack, responses)
    iterations = max(iteration for _, iteration in (*replies, *failed))
    plugin = guard(config.benchmark)
    samples = [Sample(item, n) for item in pack.items for n in range(1, iterations + 1)]
    scores = list[SampleScore]()
    for sample in samples:
        item, score = sample.item, await _score(config, plugin, sample, replies)
        scores.append(SampleScore(item.id, item.cluster, sample.iteration, score))
    selection = Selection(list(pack.items), iterations)
    counted = [s for s in scores if (s.item_id, s.iteration) not in failed]
    failures = [failure_of(*key, reason) for key, reason in failed.items()]
    spent = _spent(replies)
    document = build_document(None, config, pack, selection, RunData(counted, failures, spent))
    rows = _rows(scores, {item_id for item_id, _ in (*replies, *failed)})
    return as_result({**document, "scores": rows})


def _spent(replies: Mapping[tuple[str, int], Mapping[int, GivenReply]]) -> UsageTotals:
    """What is known of how answers came about."""
    spent = UsageTotals()
    for key, of_sample in replies.items():
        for one in of_sample.values():
            if isinstance(one, ChatResponse):
                spent.count(one.usage)
                spent.truncated |= {key} if one.truncated else set()
    return spent


def failure_of(item_id: str, iteration: int, reason: str) -> Failure:
    """A sample that was asked elsewhere and not answered."""
    return Failure(item_id, iteration, ErrorKind.SERVER, f"answered elsewhere: {reason}", 1)


def _rows(scores: Sequence[SampleScore], answered: Collection[str]) -> dict[str, list[JsonDict]]:
    """A row per iteration of each answered item; all rows have the same values, or null."""
    names = {name: None for s in scores for name in s.score.values}
    rows: dict[str, list[JsonDict]] = {s.item_id: [] for s in scores if s.item_id in answered}
    for item_id, _, _, score in scores:
        if item_id in rows:
            graded = {**names, **score.values}
            row: JsonDict = {**graded, "flags": list(score.flags), "reason": score.reason}
            rows[item_id].append(row)
    return rows


async def _score(
    config: RunConfig,
    plugin: Guarded,
    sample: Sample,
    replies: Mapping[tuple[str, int], Mapping[int, GivenReply]],
) -> Score:
    item, iteration = sample
    texts = replies.get((item.id, iteration))
    if texts is None:
        return Score.unscored(NO_RESPONSE)
    try:
        model = model_of(config, await answers_of(config, sample, texts), item, iteration)
        transcript = await plugin.generate(item, model, config.options)
        return await plugin.grade(item, transcript, None, config.options)
    except MissingCall as error:
        return Score.unscored(str(error))
    except PluginError as error:
        raise at_item(error, item) from error


async def answers_of(config: RunConfig, sample: Sample, known: Mapping[int, GivenReply]) -> Answer:
    """What answers a sample's calls: by their order, or by the requests where there are several."""
    replies = {
        n: ChatResponse(*split_thinking(reply)) if isinstance(reply, str) else reply
        for n, reply in known.items()
    }
    if calls_of(config, sample.item) == 1:
        return given_replies([replies[n] for n in sorted(replies)])
    asked = await sample_requests(config, sample.item, sample.iteration)
    return _numbered({one.key: n for n, one in enumerate(asked, start=1)}, replies)


def _numbered(numbers: Mapping[CallKey, int], replies: Mapping[int, ChatResponse]) -> Answer:
    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        number = numbers.get(key)
        if number is None:
            raise MissingCall("no further reply was given for this item")
        if number not in replies:
            raise MissingCall(f"{NO_RESPONSE} to request {number} of {len(numbers)}")
        return replies[number]

    return answer


class GivenAnswers(NamedTuple):
    """Answers by item id and iteration.

    Attributes:
        replies: By the number of the request.
        failed: Why a sample has no answer.
    """

    replies: Mapping[tuple[str, int], Mapping[int, GivenReply]]
    failed: Mapping[tuple[str, int], str]


def read_answers(config: RunConfig, pack: Pack, responses: Responses) -> GivenAnswers:
    """The answers to a benchmark's requests.

    Raises:
        DataError: They are broken.
    """
    requests = {item.id: calls_of(config, item) for item in pack.items}
    answers = read_responses(responses, pack, requests)
    replies, failed = dict[tuple[str, int], dict[int, GivenReply]](), dict(answers.failed)
    for key, of_sample in answers.replies.items():
        try:
            replies[key] = {n: _read(reply) for n, reply in of_sample.items()}
        except ProviderError as error:
            failed[key] = str(error)
    return GivenAnswers(replies, failed)


def _read(reply: str | JsonObject) -> GivenReply:
    """A reply; of a batch's all that its body says."""
    if isinstance(reply, str):
        return reply
    read = read_completion if "choices" in reply else read_message
    return read(json.dumps(reply), {}, {}, SOMEBODY)


class OfflineRequest(NamedTuple):
    """A request of a sample, and the key under which a run would know its reply."""

    key: CallKey
    request: ChatRequest


def calls_of(config: RunConfig, item: Item) -> int:
    """How many requests a sample of an item has, when every answer can be read."""
    return guard(config.benchmark).planned_calls(item, config.options)["model"]


async def sample_requests(config: RunConfig, item: Item, iteration: int) -> list[OfflineRequest]:
    """The requests of a sample, exactly as a run would send them, in the order they are made.

    Nobody replies, so these are the requests that depend on no reply. There must be as many as
    the sample has: else one waits for the reply to another.

    Raises:
        UsageError: There are fewer than the sample has: one waits for the reply to another.
        PluginError: The benchmark asks nothing.
    """
    asked: list[OfflineRequest] = []

    async def note(request: ChatRequest, key: CallKey) -> ChatResponse:
        asked.append(OfflineRequest(key, request))
        raise MissingCall("only the request is wanted")

    plugin, name = guard(config.benchmark), config.benchmark.name
    with contextlib.suppress(MissingCall):
        await plugin.generate(item, model_of(config, note, item, iteration), config.options)
    if not asked:
        raise PluginError(f"{plugin.called('generate')} asks nothing about item {item.id!r}")
    if len(asked) > calls_of(config, item):
        count = plural(len(asked), "request")
        message = f"says {calls_of(config, item)}, and generate makes {count} at once"
        raise at_item(PluginError(f"{plugin.called('planned_calls')} {message}"), item)
    if len(asked) < (planned := calls_of(config, item)):
        raise UsageError(
            f"{name} makes {plural(planned, 'request')} for item {item.id!r} and waits for a reply "
            f"after {len(asked)}: what follows may depend on it, so use bench run"
        )
    return asked
