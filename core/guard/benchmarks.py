"""A benchmark with each of its methods guarded."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..benchmark import Benchmark, Model, Options, Pack, PackSource, PlacementOptions
from ..benchmark.abilities import (
    DemoJudge,
    DemoModel,
    DemoRoles,
    HasPublished,
    HasReference,
    HasTranscriptView,
    Pairwise,
    ReadsForeign,
    ReadsForeignParts,
    WithoutReading,
)
from ..benchmark.foreign import ForeignPart, ForeignResults
from ..benchmark.making import DataMaker, Made
from ..errors import PluginError
from ..hooks.sections import RecordedCall, Table, TranscriptView
from ..types import (
    Baseline,
    ChatRequest,
    Item,
    JsonDict,
    PairScore,
    SampleScore,
    Sampling,
    Score,
    Summary,
)
from . import parts, values
from .calls import Called, call, call_async, frozen, overseen

if TYPE_CHECKING:
    from random import Random

    from ..benchmark.making import Made
    from ..hooks.sections import RecordedCall, Table, TranscriptView

T = TypeVar("T")


def guard(benchmark: Benchmark) -> "Guarded":
    """A benchmark whose methods are called with care; each raises `PluginError` for its faults."""
    return Guarded(benchmark)


class Guarded:
    """A benchmark's methods, guarded; see `Benchmark` for what each is.

    Attributes:
        benchmark: The plugin's own object.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self._looks: JsonDict = {}

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The pack, whose items have ids of their own."""
        with overseen(self.called("read_pack")):
            return self._call("read_pack", values.pack, self.benchmark.read_pack, source, options)

    async def generate(self, item: Item, model: Model, options: Options) -> object:
        """The transcript of an item, which must not be changed."""
        self._look(item)
        called, transcript = await self._await(
            "generate", self.benchmark.generate, item, model, options
        )
        values.no_coroutine(called, transcript)
        return transcript

    async def grade(
        self, item: Item, transcript: object, judge: Model | None, options: Options
    ) -> Score:
        """The score of a transcript."""
        self._look(item)
        try:
            called, score = await self._await(
                "grade", self.benchmark.grade, item, transcript, judge, options
            )
        except PluginError as error:
            if judge is None and "'NoneType' object has no attribute 'chat'" in str(error):
                message = "no judge is given where the benchmark is not declared judged = True"
                raise PluginError(f"{error}; {message}") from error
            raise
        if judge and judge.noted and isinstance(score, Score):
            score = replace(score, detail={**score.detail, **judge.noted, **score.detail})
        values.score(called, score, item, self.benchmark.values)
        self._check_unchanged("generate or grade", item)
        return score

    async def compare(
        self, item: Item, first: object, second: object, judge: Model, options: Options
    ) -> PairScore:
        """What a judge says of two transcripts."""
        self._look(item)
        called, score = await self._await(
            "compare", self._pairwise.compare, item, first, second, judge, options
        )
        values.pair_score(called, score)
        self._check_unchanged("compare", item)
        return score

    def _look(self, item: Item) -> None:
        """Remember what an item is at first."""
        if item.id not in self._looks:
            self._looks[item.id] = frozen(item)

    def _check_unchanged(self, method: str, item: Item) -> None:
        """Refuse an item that is not any more what it was: other samples would get it so."""
        if self._looks[item.id] != frozen(item):
            self.called(method).refuse(
                f"changed item {item.id!r}, which other samples share; copy it first"
            )

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The metrics."""

        def check(called: Called, value: object) -> None:
            values.summary(called, value, self.benchmark.ranked_by)

        with overseen(self.called("summarise")):
            return self._call("summarise", check, self.benchmark.summarise, pack, scores, options)

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """What each sample adds to the metric that ranks."""

        def check(called: Called, value: object) -> None:
            values.numbers(called, value, len(scores))

        return self._call("main_values", check, self.benchmark.main_values, pack, scores, options)

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """What trivial respondents get."""
        return self._call("baselines", values.baselines, self.benchmark.baselines, pack, options)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The templates that are not part of the pack."""
        return self._call("prompts", values.prompts, self.benchmark.prompts, options)

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The templates that the judge is asked with."""
        return self._call("judge_prompts", values.prompts, self.benchmark.judge_prompts, options)

    def sampling_for(self, options: Options) -> Sampling:
        """How replies are drawn with these options."""
        return self._call("sampling_for", values.sampling, self.benchmark.sampling_for, options)

    def needs_judge(self, options: Options) -> bool:
        """Whether grading asks a judge with these options."""
        return self._call("needs_judge", values.truth, self.benchmark.needs_judge, options)

    def compares(self, options: Options) -> bool:
        """Whether transcripts of different models are compared."""
        return self._call("compares", values.truth, self._pairwise.compares, options)

    @property
    def _pairwise(self) -> "Pairwise[Any, Any]":
        own: object = self.benchmark
        return own if isinstance(own, Pairwise) else _NotCompared(self.benchmark)

    def placement(self, options: Options) -> PlacementOptions:
        """Which comparisons place a model."""
        return self._call("placement", values.placement, self._pairwise.placement, options)

    def is_comparable(self, item: Item, transcript: object) -> bool:
        """Whether there is enough in a transcript to compare it."""
        return self._call(
            "is_comparable", values.truth, self._pairwise.is_comparable, item, transcript
        )

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """Calls for one sample by party: the model, the judge and each role, 0 where none."""
        parties = ("model", "judge", *(role.name for role in self.benchmark.roles))
        named = "planned_calls"

        def check(called: Called, value: object) -> None:
            values.calls(called, value, parties)

        own = self.benchmark.planned_calls
        return dict.fromkeys(parties, 0) | dict(self._call(named, check, own, item, options))

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: "Random") -> str:
        """Words for the demo player of a role."""
        plugin = self.benchmark
        assert isinstance(plugin, DemoRoles)
        return self._call("demo_role", values.text, plugin.demo_role, role, item, request, rng)

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: "Random") -> str:
        """Words for a demo model."""
        plugin = self.benchmark
        assert isinstance(plugin, DemoModel)
        return self._call("demo_reply", values.text, plugin.demo_reply, item, request, ability, rng)

    def demo_verdict(self, item: Item, request: ChatRequest, rng: "Random") -> str:
        """What the demo judge replies."""
        plugin = self.benchmark
        assert isinstance(plugin, DemoJudge)
        return self._call("demo_verdict", values.text, plugin.demo_verdict, item, request, rng)

    def anchor_sets(self, pack: Pack) -> Sequence[Mapping[str, float]]:
        """Sets of two models with their ratings."""
        return self._call("anchor_sets", values.anchors, self._pairwise.anchor_sets, pack)

    def margin_caps(self, pack: Pack) -> Mapping[str, int]:
        """By item, the most that a comparison counts."""
        return self._call("margin_caps", values.caps, self._pairwise.margin_caps, pack)

    def item_weights(self, pack: Pack, options: Options) -> Mapping[str, float]:
        """By item, what a comparison on it weighs."""
        return self._call(
            "item_weights", values.weights, self._pairwise.item_weights, pack, options
        )

    def beside_reference(self, item: Item, score: Score) -> "Table | None":
        """The answer beside the reference."""
        plugin = self.benchmark
        if not isinstance(plugin, HasReference):
            return None
        return self._call("beside_reference", values.table, plugin.beside_reference, item, score)

    def transcript_view(
        self, item: Item, calls: "Sequence[RecordedCall]", score: Score | None
    ) -> "TranscriptView | None":
        """The benchmark's own view of a transcript."""
        plugin = self.benchmark
        if not isinstance(plugin, HasTranscriptView):
            return None
        view = plugin.transcript_view
        return self._call("transcript_view", parts.transcript_view, view, item, calls, score)

    def without_reading(self, pack: Pack) -> "Table | None":
        """What rules score that read nothing."""
        plugin = self.benchmark
        if not isinstance(plugin, WithoutReading):
            return None
        return self._call("without_reading", values.table, plugin.without_reading, pack)

    def published(self, pack: Pack) -> "Table | None":
        """The published board."""
        plugin = self.benchmark
        if not isinstance(plugin, HasPublished):
            return None
        return self._call("published", values.table, plugin.published, pack)

    def read_foreign(self, form: str, value: object, path: Path, judge: str) -> ForeignResults:
        """What can be had of another program's file."""
        plugin, is_one = self.benchmark, _an(ForeignResults)
        assert isinstance(plugin, ReadsForeign)
        return self._call("read_foreign", is_one, plugin.read_foreign, form, value, path, judge)

    def read_foreign_parts(
        self, form: str, parts: Iterable[ForeignPart], path: Path, judge: str
    ) -> ForeignResults:
        """The same of a file that comes part by part."""
        plugin, is_one = self.benchmark, _an(ForeignResults)
        assert isinstance(plugin, ReadsForeignParts)
        function = plugin.read_foreign_parts
        return self._call("read_foreign_parts", is_one, function, form, parts, path, judge)

    def made(self, score: Score, model: str) -> "Made":
        """What a maker's run gave; only for a `DataMaker`."""
        maker = self.benchmark
        assert isinstance(maker, DataMaker)
        return self._call("made", _an(Made), maker.made, score, model)

    def called(self, method: str) -> Called:
        """A method, as messages name it."""
        return Called(self.benchmark, method)

    def _call(
        self,
        method: str,
        check: Callable[[Called, object], None],
        function: Callable[..., T],
        *args: object,
    ) -> T:
        called = self.called(method)
        made = call(called, function, *args)
        check(called, made)
        return made

    async def _await(
        self, method: str, function: Callable[..., Awaitable[T]], *args: object
    ) -> tuple[Called, T]:
        called = self.called(method)
        return called, await call_async(called, function, *args)


class _NotCompared(Pairwise[Any, Any]):
    """A benchmark that does not compare."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.options = benchmark.options

    def compares(self, options: Options) -> bool:
        """No."""
        return False

    async def compare(
        self, item: Item, first: object, second: object, judge: Model, options: Options
    ) -> PairScore:
        """Not possible."""
        raise NotImplementedError


def _an(kind: type) -> Callable[[Called, object], None]:
    def check(called: Called, value: object) -> None:
        values.is_a(called, value, kind)

    return check
