"""A benchmark with each of its methods guarded."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..benchmark import Benchmark, Model, Options, Pack
from ..benchmark.abilities import (
    DemoJudge,
    DemoModel,
    DemoRoles,
    HasHumanRatings,
    HasPublished,
    HasReference,
    HasTranscriptView,
    HumanRatedReply,
    Pairwise,
    PeopleQuestion,
    ReadsForeign,
    ReadsForeignParts,
    TakenByPeople,
    WithoutReading,
)
from ..benchmark.foreign import ForeignResults
from ..benchmark.generators import DataMaker, Generated
from ..errors import PluginError
from ..types import Item, JsonDict, PairScore, SampleScore, Sampling, Score
from . import parts, values
from .calls import PluginCall, call, call_async, frozen, overseen

P = ParamSpec("P")
T = TypeVar("T")


def guard(benchmark: Benchmark) -> "Guarded":
    """A benchmark whose methods are called with care; each raises `PluginError` for its faults."""
    return Guarded(benchmark)


def _checked(
    method: Callable[Concatenate[Any, P], T],
    check: values.Check,
    of: Any = Benchmark,
    *,
    optional: bool = False,
    slow: bool = False,
) -> "Callable[Concatenate[Guarded, P], T]":
    """A method of a benchmark, of which what comes back is looked at.

    Args:
        method: As `Benchmark` or the ability `of` declares it.
        check: Refuses what may not come back.
        of: The ability. A benchmark without it gives ``None`` where the method is optional;
            without `Pairwise` it is taken for one that compares nothing.
        optional: Whether it may be called on a benchmark without the ability.
        slow: Whether standard error says so when it takes long.
    """
    name = method.__name__

    def checked(self: "Guarded", /, *args: P.args, **kwargs: P.kwargs) -> Any:
        plugin: object = self.benchmark
        if not isinstance(plugin, of):
            if optional:
                return None
            assert of is Pairwise
            plugin = _NotCompared(self.benchmark)
        called = self.called(name)
        with overseen(called) if slow else nullcontext():
            value = call(called, getattr(plugin, name), *args, **kwargs)
            check(called, value)
        return value

    return checked


class Guarded:
    """A benchmark's methods, guarded; see `Benchmark` and its abilities for what each is.

    Attributes:
        benchmark: The plugin's own object.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self._looks: JsonDict = {}

    read_pack = _checked(Benchmark.read_pack, values.pack, slow=True)
    summarise = _checked(Benchmark.summarise, values.summary, slow=True)
    baselines = _checked(Benchmark.baselines, values.baselines)
    prompts = _checked(Benchmark.prompts, values.prompts)
    judge_prompts = _checked(Benchmark.judge_prompts, values.prompts)
    sampling_for = _checked(Benchmark.sampling_for, values.an(Sampling))
    needs_judge = _checked(Benchmark.needs_judge, values.an(bool))
    demo_reply = _checked(DemoModel.demo_reply, values.an(str), DemoModel)
    demo_verdict = _checked(DemoJudge.demo_verdict, values.an(str), DemoJudge)
    demo_role = _checked(DemoRoles.demo_role, values.an(str), DemoRoles)
    beside_reference = _checked(
        HasReference.beside_reference, parts.table, HasReference, optional=True
    )
    without_reading = _checked(
        WithoutReading.without_reading, parts.table, WithoutReading, optional=True
    )
    published = _checked(HasPublished.published, parts.table, HasPublished, optional=True)
    transcript_view = _checked(
        HasTranscriptView.transcript_view, parts.transcript_view, HasTranscriptView, optional=True
    )
    _human_ratings = _checked(HasHumanRatings.human_ratings, values.rated_replies, HasHumanRatings)
    people_question = _checked(
        TakenByPeople.people_question, values.an(PeopleQuestion), TakenByPeople
    )
    read_foreign = _checked(ReadsForeign.read_foreign, values.an(ForeignResults), ReadsForeign)
    read_foreign_parts = _checked(
        ReadsForeignParts.read_foreign_parts, values.an(ForeignResults), ReadsForeignParts
    )
    generated = _checked(DataMaker.generated, values.an(Generated), DataMaker)
    compares = _checked(Pairwise.compares, values.an(bool), Pairwise)
    placement = _checked(Pairwise.placement, values.placement, Pairwise)
    is_comparable = _checked(Pairwise[Any, Any].is_comparable, values.an(bool), Pairwise)
    anchor_sets = _checked(Pairwise.anchor_sets, values.anchors, Pairwise)
    published_scheme = _checked(Pairwise.published_scheme, values.scheme, Pairwise)
    item_weights = _checked(Pairwise.item_weights, values.weights, Pairwise)
    _planned_calls = _checked(Benchmark[Any, Any].planned_calls, values.calls)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """Calls for one sample by party: the model, the judge and each role, 0 where none.

        What is planned of a group is planned of each of its members.
        """
        planned = dict(self._planned_calls(item, options))
        groups = {role.name: role.group for role in self.benchmark.roles}
        return {
            party: planned.get(party, planned.get(groups.get(party, ""), 0))
            for party in values.parties(self.benchmark)
        }

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """What each sample adds to the metric that ranks."""
        called = self.called("main_values")
        numbers = call(called, self.benchmark.main_values, pack, scores, options)
        values.numbers(called, numbers, len(scores))
        return numbers

    def human_ratings(self, pack: Pack) -> Sequence[HumanRatedReply]:
        """The replies to items of a pack that people rated."""
        replies, items = self._human_ratings(pack), {item.id for item in pack.items}
        for reply in replies:
            if reply.item_id not in items:
                message = f"returned a reply to {reply.item_id!r}, which is no item of the pack"
                self.called("human_ratings").refuse(message)
        return replies

    async def generate(self, item: Item, model: Model, options: Options) -> object:
        """The transcript of an item, which must not be changed."""
        transcript = await self._await("generate", self.benchmark.generate, item, model, options)
        values.no_coroutine(self.called("generate"), transcript)
        return transcript

    async def grade(
        self, item: Item, transcript: object, judge: Model | None, options: Options
    ) -> Score:
        """The score of a transcript."""
        try:
            score = await self._await(
                "grade", self.benchmark.grade, item, transcript, judge, options
            )
        except PluginError as error:
            if judge is None and "'NoneType' object has no attribute 'chat'" in str(error):
                message = "no judge is given where the benchmark is not declared judged = True"
                raise PluginError(f"{error}; {message}") from error
            raise
        if judge and judge.noted and isinstance(score, Score):
            score = replace(score, detail={**score.detail, **judge.noted, **score.detail})
        values.score(self.called("grade"), score, item, self.benchmark.values_with(options))
        self._check_unchanged("generate or grade", item)
        return score

    async def compare(
        self, item: Item, first: object, second: object, judge: Model, options: Options
    ) -> PairScore:
        """What a judge says of two transcripts."""
        plugin: object = self.benchmark
        assert isinstance(plugin, Pairwise)
        score: PairScore = await self._await(
            "compare", plugin.compare, item, first, second, judge, options
        )
        values.pair_score(self.called("compare"), score)
        self._check_unchanged("compare", item)
        return score

    def _check_unchanged(self, method: str, item: Item) -> None:
        """Refuse an item that is not any more what it was: other samples would get it so."""
        if self._looks[item.id] != frozen(item):
            self.called(method).refuse(
                f"changed item {item.id!r}, which other samples share; copy it first"
            )

    def called(self, method: str) -> PluginCall:
        """A method, as messages name it."""
        return PluginCall(self.benchmark, method)

    async def _await(
        self, name: str, method: Callable[..., Awaitable[T]], item: Item, *args: object
    ) -> T:
        """What a coroutine function comes to; what the item is at first is remembered."""
        if item.id not in self._looks:
            self._looks[item.id] = frozen(item)
        return await call_async(self.called(name), method, item, *args)


class _NotCompared(Pairwise[Any, Any]):
    """A benchmark that does not compare."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.options = benchmark.options

    def compares(self, options: Options) -> bool:
        """No."""
        return False

    async def compare(self, *args: Any, **kwargs: Any) -> PairScore:
        """Not possible."""
        raise NotImplementedError
