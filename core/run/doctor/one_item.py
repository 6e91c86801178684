"""One item of a benchmark, asked and read as in a run: whether a model fills in a form at all."""

from dataclasses import replace

from ...benchmark import Benchmark, Options
from ...benchmark.model import MODEL
from ...clients.shapes import as_set
from ...errors import BenchError, MissingCall
from ...guard import guard
from ...journal import CallKey
from ...parties.party import Party
from ...parties.providers import CallContext, ModelSpec
from ...plugins import Catalogue
from ...sample.model import ConnectedParty, RecordedModel
from ...settings.rules import own_options
from ...settings.run_config import Endpoint, RunConfig
from ...text import line
from ...types import (
    ChatRequest,
    ChatResponse,
    Finish,
    Item,
    Sampling,
    SamplingChanges,
    Score,
)
from ..task import read_pack
from .calls import FULL_S, UNLESS_REFUSED, PartyQuestions, is_base, outcome, pace
from .checks import Check, CheckVerdict, ok, warn
from .probe import Probe

DOCTOR = Party(ModelSpec("doctor", "doctor"))
"""Who is asked, in the keys of calls that no journal holds."""
MOST_TOKENS = 4096
"""Of the answer: more than any form needs, and thinking mostly fits."""
_SHOWN = 80


def plainest(catalogue: Catalogue) -> Benchmark | None:
    """A benchmark of one request an item that needs no judge; ``None`` where there is none.

    One that makes a judge of the model is the last choice.
    """
    plain = [b for b in catalogue.benchmarks if b.single_turn and not (b.judged or b.roles)]
    plain.sort(key=lambda benchmark: benchmark.kind == "rubric")
    fitting = (benchmark for benchmark in plain if benchmark.data)
    return next((one for one in fitting if _takes_one_call(_usual(one))), None)


def _usual(benchmark: Benchmark) -> RunConfig:
    """A run with the bundled pack and the options that nobody has set."""
    endpoint, options = Endpoint(DOCTOR.spec), own_options(benchmark, {})
    return RunConfig(benchmark, endpoint, options, dataset="bundled")


def _takes_one_call(config: RunConfig) -> bool:
    """Whether the first item takes one request; not where its pack cannot be read."""
    try:
        item = read_pack(config).items[0]
        return guard(config.benchmark).planned_calls(item, config.options)["model"] == 1
    except BenchError:
        return False


def item_of(one: Probe, catalogue: Catalogue) -> Benchmark | None:
    """The benchmark of which a model is asked an item; ``None`` for one that needs a judge."""
    if not one.is_model:
        return None
    if one.config is None:
        return plainest(catalogue)
    benchmark, options = one.config.benchmark, one.config.options
    if not benchmark.single_turn or benchmark.roles or guard(benchmark).needs_judge(options):
        return None
    return benchmark if _takes_one_call(one.config) else None


def _meant(one: Probe, benchmark: Benchmark) -> tuple[Item, Options, Sampling]:
    """The item that is asked, and how."""
    config = one.config or _usual(benchmark)
    item, options = read_pack(config).items[0], config.options
    if one.config:
        return item, options, config.effective_sampling
    changes = SamplingChanges(one.form.request.sampling)
    sampling = changes.applied_to(guard(benchmark).sampling_for(options))
    most = min(sampling.max_tokens or MOST_TOKENS, MOST_TOKENS)
    return item, options, replace(sampling, max_tokens=most)


async def check_item(questions: PartyQuestions, benchmark: Benchmark) -> Check:
    """Whether the answer to a benchmark's first item can be read; asked once."""
    name = f"{questions.one.label} item"
    return await outcome(name, lambda: _ask_item(name, questions, benchmark), UNLESS_REFUSED)


async def _ask_item(name: str, questions: PartyQuestions, benchmark: Benchmark) -> Check:
    plugin, (item, options, sampling) = guard(benchmark), _meant(questions.one, benchmark)
    caller, sent, replies = questions.caller(FULL_S), list[ChatRequest](), list[ChatResponse]()

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        if replies:
            raise MissingCall("it is asked once")
        sent.append(as_set(request, questions.one.endpoint.settings))
        replies.append(await caller.send(sent[0], CallContext(benchmark, item, 1, MODEL)))
        return replies[0]

    model = RecordedModel(answer, ConnectedParty(MODEL, DOCTOR, sampling), item.id)
    score: Score | None = None
    try:
        transcript = await plugin.generate(item, model, options)
        score = await plugin.grade(item, transcript, None, options)
    except MissingCall:  # unreadable, so it would be asked again
        pass
    what = f"the answer to item {item.id} of {benchmark.name}"
    is_read = score is not None and score.reason is None
    return (_read if is_read else _unread)(name, what, questions, sent[0], replies[0])


def _read(
    name: str, what: str, questions: PartyQuestions, request: ChatRequest, reply: ChatResponse
) -> Check:
    """An answer that can be read is no base model's, but may have been asked otherwise."""
    summary = f"{what} can be read ({pace(reply)}, {reply.usage.output} tokens out)"
    check = questions.look(name, request, reply, summary)
    return ok(name, summary) if is_base(check) else check


def _unread(
    name: str, what: str, questions: PartyQuestions, request: ChatRequest, reply: ChatResponse
) -> Check:
    summary = f"{what} cannot be read ({pace(reply)}, {reply.usage.output} tokens out)"
    begins = line(" ".join(reply.text.split()))[:_SHOWN]
    summary += f": it begins {begins!r}" if begins else ""
    check = questions.look(name, request, reply, summary)
    if is_base(check):
        return check._replace(verdict=CheckVerdict.FAIL, code=4)
    if reply.finish == Finish.LENGTH:
        todo = "if it thinks, give it a larger --max-tokens"
        return warn(name, f"{check.message}, and was cut off", todo)
    return warn(name, check.message, "runs count such answers as unread; is it a chat model?")
