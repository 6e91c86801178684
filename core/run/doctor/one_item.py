"""One item of a benchmark, asked and read as in a run: whether a model fills in a form at all."""

from dataclasses import replace

from ...benchmark import Benchmark, Options
from ...benchmark.model import MODEL
from ...clients.caller import Caller
from ...datasets import find_pack
from ...errors import BenchError, MissingCall
from ...guard import guard
from ...journal import CallKey
from ...parties.party import Party
from ...parties.providers import CallContext, ModelSpec
from ...plugins import Catalogue
from ...sample.model import ConnectedParty, RecordedModel
from ...text import line
from ...types import ChatRequest, ChatResponse, Finish, Item, Score
from .checks import Check, ok, warn

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
    return next(
        (benchmark for benchmark in plain if benchmark.data and _asks_once(benchmark)), None
    )


def _asks_once(benchmark: Benchmark) -> bool:
    """Whether an item takes one request; not where its pack cannot be read."""
    try:
        item, options = _first_item(benchmark)
        return guard(benchmark).planned_calls(item, options)["model"] == 1
    except BenchError:
        return False


def _first_item(benchmark: Benchmark) -> tuple[Item, Options]:
    """The first item of the bundled pack, with the options that are not set."""
    options = {option.name: option.default for option in benchmark.options}
    source = find_pack(benchmark, "bundled", options)
    return guard(benchmark).read_pack(source, options).items[0], options


async def ask_item(name: str, caller: Caller, benchmark: Benchmark) -> Check:
    """Whether the answer to the first item of the bundled pack can be read; asked once.

    Raises:
        BenchError: The pack is broken, or the server gave no answer.
    """
    plugin, (item, options) = guard(benchmark), _first_item(benchmark)
    replies: list[ChatResponse] = []

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        if replies:
            raise MissingCall("it is asked once")
        call = CallContext(benchmark, item, 1, "generate")
        replies.append(await caller.send(request, call))
        return replies[0]

    sampling = plugin.sampling_for(options)
    sampling = replace(sampling, max_tokens=min(sampling.max_tokens or MOST_TOKENS, MOST_TOKENS))
    model = RecordedModel(answer, ConnectedParty(MODEL, DOCTOR, sampling), item.id)
    score: Score | None = None
    try:
        transcript = await plugin.generate(item, model, options)
        score = await plugin.grade(item, transcript, None, options)
    except MissingCall:  # unreadable, so it would be asked again
        pass
    return _read_item(name, benchmark, item, replies[0], score)


def _read_item(
    name: str, benchmark: Benchmark, item: Item, reply: ChatResponse, score: Score | None
) -> Check:
    what = f"the answer to item {item.id} of {benchmark.name}"
    took = f"{reply.latency_s:.2f} s, {reply.usage.output} tokens out"
    if score is not None and score.reason is None:
        return ok(name, f"{what} can be read ({took})")
    begins = line(" ".join(reply.text.split()))[:_SHOWN]
    message = f"{what} cannot be read ({took}): it " + (
        f"begins {begins!r}" if begins else "is empty"
    )
    if reply.finish == Finish.LENGTH:
        return warn(
            name, f"{message}, and was cut off", "if it thinks, give it a larger --max-tokens"
        )
    return warn(name, message, "runs count such answers as unread; is it a chat model?")
