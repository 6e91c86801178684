"""What is checked of a plugin: of a benchmark, samples of its items with whatever is replied."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..benchmark import Benchmark, Options, Pack
from ..benchmark.abilities import DemoJudge, DemoModel, DemoRoles, Pairwise
from ..benchmark.model import JUDGE, MODEL, by_phase, is_generating, role_in
from ..datasets import find_pack, manifest_of
from ..datasets.sources import Manifest
from ..errors import BenchError, DataError, MissingCall, ProviderError, UsageError
from ..guard import Guarded, PluginCall, call, check_ratings, described, guard, make_client, no_exit
from ..guard.calls import frozen, waiting
from ..hooks.sections import RecordedCall
from ..journal.records import CallKey
from ..parties.graders import Panel
from ..parties.party import Party
from ..parties.providers import CallContext, Client, ClientConfig, ModelSpec, Provider
from ..plugins import declared
from ..plugins.stored import packed, restored
from ..ratings.comparisons import Comparisons
from ..ratings.settings import RatingSettings
from ..sample.bounds import CallBound, method_of
from ..sample.model import ConnectedParty, RecordedModel
from ..sample.progress import COMPARE
from ..types import (
    ChatRequest,
    ChatResponse,
    Finish,
    Item,
    JsonDict,
    SampleScore,
    Score,
    Usage,
    digest,
)
from .findings import Finding, NotChecked, PluginFault, method_in, place_of

PATIENCE_S = 30.0
"""How long one check may take, without a word of a model to wait for."""
LOOKED_AT = 5
"""Items whose samples most checks make."""
_IDLE = 0.02
"""The share of time that what only waits may compute."""
T = TypeVar("T")

Words = Callable[[ChatRequest, CallContext], "str | ChatResponse"]
"""What somebody says to a request."""


class Speakers(NamedTuple):
    """Who says what in a sample."""

    model: Words
    judge: Words
    role: Words


def says(text: str, finish: Finish = Finish.STOP) -> Words:
    """The same words whatever is asked."""
    return lambda request, context: ChatResponse(text, finish=finish)


@dataclass
class Trace:
    """What came of one sample.

    Attributes:
        requests: By phase, in the order in which they were made.
        replies: Of the model and of roles.
        calls: All of it, as pages have it.
        score: ``None`` where it was not graded.
    """

    item: Item
    requests: dict[str, list[ChatRequest]] = field(default_factory=dict)
    replies: list[str] = field(default_factory=list)
    calls: list[RecordedCall] = field(default_factory=list)
    transcript: object = None
    score: Score | None = None

    def digests(self, phases: Callable[[str], bool] = lambda phase: True) -> Counter[str]:
        """What was asked, in whatever order."""
        return Counter(
            digest([phase, request.as_json()])
            for phase, requests in self.requests.items()
            for request in requests
            if phases(phase)
        )

    def generating(self) -> Counter[str]:
        """What the model and roles were asked, in whatever order."""
        return self.digests(is_generating)

    @property
    def judged(self) -> list[ChatRequest]:
        """What its judge was asked."""
        return self.requests.get(JUDGE, [])

    def as_locked(self) -> JsonDict:
        """Digests of what was asked, what was replied, and the score."""
        score = self.score or Score()
        graded = [dict(score.values), score.reason, list(score.flags)]
        return {
            "asked": digest(sorted(self.generating().elements())),
            "judged": digest(sorted(self.digests(JUDGE.__eq__).elements())),
            "replies": digest(self.replies),
            "score": digest(graded),
        }

    def calls_to(self, phase: str) -> int:
        """How many calls a party had."""
        return len(self.requests.get(phase, ()))

    @property
    def sample(self) -> SampleScore:
        """Its score, as `summarise` gets it."""
        return SampleScore(self.item.id, self.item.cluster, 1, self.score or Score())


@dataclass
class Subject:
    """A plugin's object that is checked, and what its author says of it.

    Attributes:
        thing: ``None`` for a plugin that is broken.
        name: As it is registered, or of the broken plugin.
        kind: One of ``benchmark``, ``provider`` and ``rating engine``.
        origin: The distribution that it is from.
        broken: Why it cannot be used; empty where it can.
        modules: What entry points name, which `bench` imports at its start.
        project: The folder with its ``pyproject.toml``, where that is known.
        dataset: A pack to take in place of the bundled one.
        lock: The file of digests; it need not exist.
        verdicts: Replies of a judge that were published, as JSON lines.
        patience_s: How long one check may take.
    """

    MODEL_NAME: ClassVar = "nimbus-7b-conformance"
    """What the model under test is called, which no judge may read."""
    thing: object
    name: str
    kind: str = "benchmark"
    modules: tuple[str, ...] = ()
    project: Path | None = None
    origin: str = ""
    broken: str = ""
    dataset: str | None = None
    lock: Path | None = None
    verdicts: Path | None = None
    patience_s: float = PATIENCE_S

    @classmethod
    def restored(cls, files: str, dataset: str | None) -> "Subject":
        """A benchmark that `declaration` gave, in another process."""
        return cls(restored(files), "", dataset=dataset)

    @property
    def declaration(self) -> str:
        """The files that declare it, as one text; empty where it is written in Python."""
        files = getattr(self.thing, "files", None)
        return packed(files) if files else ""

    @property
    def benchmark(self) -> Benchmark:
        """It, as a benchmark."""
        assert isinstance(self.thing, Benchmark)
        return self.thing

    @cached_property
    def plugin(self) -> Guarded:
        """The benchmark, guarded."""
        return guard(self.benchmark)

    @property
    def options(self) -> dict[str, Any]:
        """The defaults of its options."""
        return {option.name: option.default for option in self.benchmark.options}

    @property
    def has_data(self) -> bool:
        """Whether it bundles a pack, or one is named."""
        return bool(self.dataset) or self.benchmark.data is not None

    def pack(self, options: Options | None = None) -> Pack:
        """The pack that is checked, read anew."""
        options = self.options if options is None else options
        if not self.has_data:
            raise NotChecked("it bundles no data: give --dataset PATH")
        try:
            source = find_pack(self.benchmark, self.dataset, options)
        except (DataError, UsageError) as error:
            is_named = bool(self.dataset) and options == self.options
            if is_named or (self.benchmark.data or Path()) in Path(_path_of(error)).parents:
                raise
            raise NotChecked(str(error)) from None
        return self.called("read_pack", self.plugin.read_pack, source, options)

    @cached_property
    def default_pack(self) -> Pack:
        """That with the defaults of all options; its items are shared, as those of a run."""
        pack = self.pack()
        if not pack.items:
            raise NotChecked("its pack has no items (K04)")
        return pack

    @property
    def items(self) -> Sequence[Item]:
        """The items that most checks look at, spread over the pack."""
        return spread(self.default_pack.items)

    @property
    def manifest(self) -> Manifest:
        """The packs of the benchmark, as it declares them."""
        return manifest_of(self.benchmark)

    def parts(self, item: Item) -> object:
        """What is in an item, equal while nothing in it changes."""
        return item.id, item.family, frozen(item)

    def position(self, method: str = "") -> str:
        """File and line of a method of it, or else of its class."""
        return place_of(self.thing, method)

    @cached_property
    def plain_traces(self) -> list[Trace]:
        """What comes of a sample of each of these, in the demo's words; made once."""
        return self.traces(self.items, self.some_words())

    def finding(self, method: str, message: str, item: Item | None = None, **more: str) -> Finding:
        """A fault of one of its methods, with the line where that stands."""
        message = f"{PluginCall(self.thing, method)} {message}"
        return Finding(
            message, method, item.id if item else "", where=self.position(method), **more
        )

    def misdeclared(self) -> Finding | None:
        """What is wrong with how a benchmark declares itself."""
        if not (wrong := declared.benchmark(self.thing)):
            return None
        match = re.match(r"its method (\w+)", wrong)
        name = match[1] if match else ""
        return Finding(wrong, name, where=self.position(name))

    def called(self, method: str, function: Callable[..., T], *args: object) -> T:
        """What a method returns.

        Raises:
            PluginFault: It raised, or returned what it may not.
        """
        try:
            return function(*args)
        except BenchError as error:
            raise self.fault(error, method) from error

    def fault(self, error: Exception, method: str = "", item: Item | None = None) -> PluginFault:
        """What one of its methods raised, as a finding that ends a check."""
        message = f"ended the check with {described(error)}"
        if isinstance(error, BenchError):
            message = str(error)
        method = method_in(message, self.thing) or method  # such as demo_reply, within generate
        item_id = item.id if item else ""
        return PluginFault(Finding(message, method, item_id, where=self.position(method)))

    def versions(self) -> JsonDict:
        """The versions and the pack of a benchmark, and digests of its prompts."""
        prompts = self.called("prompts", self.plugin.prompts, self.options)
        judged = self.called("judge_prompts", self.plugin.judge_prompts, self.options)
        return {
            "version": self.benchmark.version,
            "grading": self.benchmark.grading,
            "pack": self.default_pack.source.sha256,
            "prompts": digest(dict(prompts)),
            "judge_prompts": digest(dict(judged)),
        }

    def panel_score(self, verdicts: Sequence[Score]) -> Score | None:
        """The score that a panel of three judges gives a sample, by their verdicts."""
        judges = tuple(Party(ModelSpec("conformance", name)) for name in "abc")
        return Panel(judges).score(verdicts, 3, self.benchmark.not_judged)

    def client(self, config: ClientConfig) -> Client:
        """A client of a provider, guarded."""
        assert isinstance(self.thing, Provider)
        return make_client(self.thing, config)

    def ratings(self, comparisons: Comparisons) -> Mapping[str, float]:
        """The ratings that an engine makes, by model."""
        engine: Any = self.thing
        called = PluginCall(engine, "rate")
        rated = call(called, engine.rate, comparisons, RatingSettings())
        check_ratings(called, rated, comparisons.models)
        return {row.model: row.rating for row in rated.rows}

    def demo(self, ability: float = 0.9) -> Speakers:
        """The benchmark's own words for models of that ability, its judge and its players."""

        def model(request: ChatRequest, context: CallContext) -> str:
            if not isinstance(self.benchmark, DemoModel):
                raise NotChecked("it has no demo_reply, so nobody here knows a good answer")
            rng = context.rng(ability, request.as_json())
            return self.plugin.demo_reply(context.item, request, ability, rng)

        return Speakers(model, self._judge, self._player)

    def some_words(self) -> Speakers:
        """The demo's, or where it has none a model's that knows nothing."""
        return self.demo() if self.benchmark.has_demo else self.saying("I do not know.")

    def saying(self, text: str, finish: Finish = Finish.STOP) -> Speakers:
        """A model that always says the same; the judge and the players are the demo's."""
        return Speakers(says(text, finish), self._judge, self._player)

    def _judge(self, request: ChatRequest, context: CallContext) -> str:
        if not isinstance(self.benchmark, DemoJudge):
            raise NotChecked("it has no demo_verdict, so nobody here can grade")
        rng = context.rng(JUDGE, request.as_json())
        return self.plugin.demo_verdict(context.item, request, rng)

    def _player(self, request: ChatRequest, context: CallContext) -> str:
        if not isinstance(self.benchmark, DemoRoles):
            raise NotChecked("it has no demo_role, so nobody here can play")
        role = role_in(context.phase) or ""
        rng = context.rng(role, request.as_json())
        return self.plugin.demo_role(role, context.item, request, rng)

    def planned(self, item: Item, options: Options) -> Mapping[str, int]:
        """The calls of one sample by phase, as they are planned."""
        return by_phase(self.called("planned_calls", self.plugin.planned_calls, item, options))

    def trace(
        self, item: Item, speakers: Speakers, options: Options | None = None, **more: Any
    ) -> Trace:
        """What comes of one sample; see `sample`."""
        return self.run(self.sample(item, speakers, options, **more))

    def traces(
        self, items: Sequence[Item], speakers: Speakers, options: Options | None = None, **more: Any
    ) -> list[Trace]:
        """What comes of a sample of each item, one after the other."""

        async def all_of_them() -> list[Trace]:
            return [await self.sample(item, speakers, options, **more) for item in items]

        return self.run(all_of_them())

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What a coroutine comes to, in a loop of its own.

        It is no result of the loop's task: `asyncio.run` writes that out, and throws the text away.
        """
        results: list[T] = []

        async def keep() -> None:
            results.append(await coroutine)

        with no_exit():
            asyncio.run(keep())
        return results[0]

    async def sample(
        self,
        item: Item,
        speakers: Speakers,
        options: Options | None = None,
        *,
        order: Random | None = None,
        grades: bool = True,
        iteration: int = 1,
    ) -> Trace:
        """What comes of one sample.

        Args:
            item: Of the pack.
            speakers: Who says what.
            options: Of the benchmark; the defaults where ``None``.
            order: Mixes the order in which calls that are made together are answered.
            grades: Whether it is graded too.
            iteration: Of the item.

        Raises:
            PluginFault: A method raised, did not end, or asked more than it may.
        """
        options = self.options if options is None else options
        bound = CallBound(self.benchmark, item.id, self.planned(item, options))
        trace = Trace(item)
        model = self._model(MODEL, trace, speakers, options, bound, order, iteration)
        step = self.plugin.generate(item, model, options)
        trace.transcript = await self._ended("generate", step, item, bound)
        if grades:
            is_judged = self.called("needs_judge", self.plugin.needs_judge, options)
            judge = None
            if is_judged:
                judge = self._model(JUDGE, trace, speakers, options, bound, order, iteration)
            step = self.plugin.grade(item, trace.transcript, judge, options)
            trace.score = await self._ended("grade", step, item, bound)
        return trace

    async def comparison(
        self, item: Item, first: object, second: object, judge: Words, trace: Trace | None = None
    ) -> Any:
        """What `compare` says of two transcripts."""
        assert isinstance(self.benchmark, Pairwise)
        speakers = Speakers(says(""), judge, says(""))
        bound = CallBound(self.benchmark, item.id, {COMPARE: 1})
        trace = Trace(item) if trace is None else trace
        model = self._model(COMPARE, trace, speakers, self.options, bound, None, 1)
        step = self.plugin.compare(item, first, second, model, self.options)
        return await self._ended("compare", step, item, bound)

    async def _ended(
        self, method: str, step: Coroutine[Any, Any, T], item: Item, bound: CallBound
    ) -> T:
        """What a method comes to, if that is soon."""
        task = asyncio.ensure_future(step)
        patience_s, busy_until = self.patience_s / 6, time.process_time()
        while not (await asyncio.wait({task}, timeout=patience_s))[0]:
            busy_s, busy_until = time.process_time() - busy_until, time.process_time()
            if busy_s > _IDLE * patience_s:
                continue  # it computes, which has a limit of its own
            stuck = waiting(task) or f"{PluginCall(self.thing, method)} waits"
            task.cancel()
            message = f"{stuck}, and has not ended after {patience_s:g} s"
            raise PluginFault(Finding(message, method, item.id, "await nothing but its models"))
        try:
            result = task.result()
            bound.check(method)
        except (MissingCall, NotChecked, ProviderError):
            raise
        except BenchError as error:
            raise self.fault(error, method, item) from error
        return result

    def _model(
        self,
        phase: str,
        trace: Trace,
        speakers: Speakers,
        options: Options,
        bound: CallBound,
        order: Random | None,
        iteration: int,
    ) -> RecordedModel:
        role = role_in(phase)
        words = speakers.role if role else speakers.model if phase == MODEL else speakers.judge
        spec = ModelSpec("conformance", role or ("model" if phase == MODEL else "judge"))
        context = CallContext(self.benchmark, trace.item, iteration, phase)

        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            bound.count(phase, spec.name)
            trace.requests.setdefault(phase, []).append(request)
            for _ in range(order.randrange(5) if order else 0):
                await asyncio.sleep(0)
            reply = words(request, context)
            if isinstance(reply, str):
                usage = Usage(output=len(reply.split()))
                reply = ChatResponse(reply, usage=usage, sent=request.sampling.sent())
            if method_of(phase) == "generate":
                trace.replies.append(reply.text)
            messages = [(m.role, m.content) for m in request.messages if m.role != "system"]
            trace.calls.append(RecordedCall(phase, messages, reply.text, reply.reasoning))
            return replace(reply, model=self.MODEL_NAME)

        benchmark = self.benchmark
        sampling = benchmark.judge_sampling
        if phase == MODEL:
            sampling = self.called("sampling_for", self.plugin.sampling_for, options)
        elif role:
            sampling = next(r.sampling for r in benchmark.roles if r.name == role)
        roles = benchmark.roles if phase == MODEL else ()
        more = (trace, speakers, options, bound, order, iteration)
        return RecordedModel(
            answer,
            ConnectedParty(phase, Party(spec), sampling),
            trace.item.id,
            iteration,
            roles={r.name: self._model(r.phase, *more) for r in roles},
        )


def spread(items: Sequence[Item], n: int = LOOKED_AT) -> Sequence[Item]:
    """So many items, from all over a pack."""
    step = max(1, len(items) // n)
    return items[::step][:n]


def _path_of(error: BenchError) -> str:
    """The file that an error is about; the root where it is about none."""
    return error.path if isinstance(error, DataError) else "/"
