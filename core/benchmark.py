"""What a benchmark is to the framework: the class a plugin subclasses.

A benchmark says how to read its data pack, what to ask a model about one item,
how to grade the answer, and how to sum grades up. Everything else - sending,
saving, resuming, retrying, counting, printing - is the framework's.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .foreign import ForeignResults
from .metrics import Value, summarise_values
from .roles import Role
from .rules import NumberRule, Rule, SwitchRule, TextRule
from .types import (
    Baseline,
    ChatRequest,
    ChatResponse,
    Item,
    JsonDict,
    Message,
    PairScore,
    SampleScore,
    Sampling,
    Score,
    Summary,
)

if TYPE_CHECKING:
    from random import Random

    from .sections import Table

Options = Mapping[str, Any]
"""Values of the benchmark's own options, by name."""


class Model(Protocol):
    """A model, or a judge, as a plugin's coroutine sees it."""

    sampling: Sampling
    """How the run draws replies: the benchmark's defaults with the user's changes."""
    iteration: int
    """Which iteration of the item this sample is, from 1 on."""

    def role(self, name: str) -> "Model":
        """A role of the benchmark's `roles`, asked like the model; it counts its own calls.

        Raises:
            ValueError: The benchmark declares no such role, or this is not the model under test.
        """
        ...

    def draw(self, name: str) -> "Random":
        """A generator for a random choice, seeded by item, iteration and name.

        It is the same for every model and after a stop, so that models meet the same events.

        Args:
            name: Of the choice; put the turn into it where each turn has one.
        """
        ...

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: Any
    ) -> ChatResponse:
        """The model's reply, from the journal if it is there, else from the network.

        Args:
            messages: A conversation, or the text of one user message.
            cache_prefix: How many leading messages many requests share.
            **changes: Fields of `Sampling` that differ from the run's.

        Raises:
            ProviderError: No usable reply could be had; let it pass.
            MissingCall: The work is done offline and this reply was never made.
        """
        ...


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a benchmark, such as ``--parser strict``.

    Attributes:
        name: As in the options mapping; ``--`` and dashes are added for the command line.
        default: Also decides the type; ``False`` or ``True`` makes a switch.
        help: One sentence.
        choices: The allowed values, if they are few.
        in_requests: It changes what the model is sent, so it is part of a run's identity.
        in_grades: It changes how a transcript is graded, so grades are kept apart by it.
        in_ratings: It changes how comparisons are rated; `bench rate` and `bench leaderboard` take
            it too.
        min: The smallest value of a number.
        max: The largest.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    in_requests: bool = False
    in_grades: bool = False
    min: float | None = None
    max: float | None = None
    in_ratings: bool = False

    @property
    def rule(self) -> Rule:
        """What a value may be."""
        if isinstance(self.default, bool):
            return SwitchRule()
        if isinstance(self.default, int | float):
            return NumberRule(self.min, self.max, whole=isinstance(self.default, int))
        return TextRule(self.choices)


PLACEMENT_OPTIONS = (
    Option(
        "orders",
        "auto",
        "In which orders two replies are judged: both, one, or mixed (auto: mixed for "
        "adaptive, both for the other schedules).",
        ("auto", "both", "mixed", "one"),
    ),
    Option(
        "schedule",
        "auto",
        "Which comparisons are bought: all, staged, or adaptive (auto: all below 8 models).",
        ("auto", "all", "staged", "adaptive"),
    ),
    Option("opponents", "", "Names of the models to compare with (default: all)."),
    Option(
        "target_ci",
        0.0,
        "Stop at this half-width of the rating's 95 % interval (0: do not).",
        min=0,
    ),
    Option("max_comparisons", 0, "Buy at most so many comparisons in all (0: no limit).", min=0),
)
"""The options of a benchmark that compares models; see `Benchmark.placement`."""


class PlacementOptions(NamedTuple):
    """Which comparisons place a model among others.

    Attributes:
        schedule: ``all``, ``staged``, ``adaptive``, or ``auto``: by the number of models.
        orders: ``both``, ``mixed``, ``one``, or ``auto``: by the schedule.
        opponents: Names, separated by commas; empty for all.
        target_ci: Half-width of the interval to stop at, points; 0 for none.
        max_comparisons: Most comparisons in all; 0 for no limit.
    """

    schedule: str = "auto"
    orders: str = "auto"
    opponents: str = ""
    target_ci: float = 0.0
    max_comparisons: int = 0

    @property
    def names(self) -> list[str]:
        """The opponents' names."""
        return [name.strip() for name in self.opponents.split(",") if name.strip()]


@dataclass(frozen=True, slots=True)
class PackSource:
    """A data pack's files, found and checked, ready to be read.

    Attributes:
        name: ``bundled``, ``official``, or ``custom`` for anything else.
        sha256: Of the contents; what the pack is known by.
        files: By the name the manifest gives each (for a custom pack, the file's own name).
        facts: What the manifest says of the pack: licence, source, protocol.
    """

    name: str
    sha256: str
    files: Mapping[str, Path]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    """A data pack that has been read.

    Attributes:
        items: In pack order.
        comparability: Which published numbers a result may stand beside, or why none.
        warnings: What is odd about the data, one line each.
    """

    source: PackSource
    items: Sequence[Item]
    comparability: str
    warnings: tuple[str, ...] = ()


class Benchmark(ABC):
    """One benchmark. Create one instance and pass it to `register_benchmarks`.

    Attributes:
        name: What people type, such as ``eqbench-v1``.
        version: Of what the model is sent. Raise it when that changes in a way that its prompts
            do not tell: then old and new runs are different runs.
        grading: Of how replies become numbers. Raise it when that changes: stored replies are
            graded anew, and nothing is asked again that was asked in the same words.
        title: One line for `bench list`.
        data: The folder that holds ``manifest.json`` and the bundled pack, or ``None``
            when the benchmark always needs ``--dataset PATH``.
        sampling: How replies are drawn unless the user says otherwise; where that depends on
            an option, define `sampling_for` too.
        options: The benchmark's own options.
        roles: Further parties that `generate` asks, such as a simulated user, by
            ``model.role(NAME)``. Who plays them is part of the run's identity.
        judged: Grading asks a judge model, unless the options say otherwise (`needs_judge`).
        judge_sampling: How a judge's replies are drawn.
        ranked_by: The metric that leaderboards rank by, if not the first.
        single_turn: One request and one reply make a transcript, so `bench prompts` and
            `bench score` work.
        foreign_forms: Names of other programs' forms that `bench import --format` takes.
        values: What its scores hold, the main one first. A score that holds something else, or a
            number out of range, is refused; without a `summarise` of its own the benchmark's
            metrics are their means.
        unjudged_values: Values of a score that do not come from its judge, such as lengths; those
            of `values` say so themselves.
        asks_again: A reply that cannot be read, of the model or of the judge, may be asked for
            again, so that there may be more calls than are planned.
    """

    name: str
    version: str
    grading: str = "1"
    title: str
    data: Path | None = None
    sampling: Sampling = Sampling()
    judge_sampling: Sampling = Sampling(temperature=0.0, max_tokens=8000)
    options: tuple[Option, ...] = ()
    roles: tuple[Role, ...] = ()
    judged: bool = False
    ranked_by: str = ""
    single_turn: bool = True
    foreign_forms: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    unjudged_values: tuple[str, ...] = ()
    asks_again: bool = False

    @abstractmethod
    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The pack's items.

        Raises:
            DataError: A file is broken; the message names the place.
        """

    @abstractmethod
    async def generate(self, item: Item, model: Model, options: Options) -> Any:
        """Whatever `grade` needs, made by asking the model.

        Runs again from the start after a stop; replies that are in the journal come from
        there. So it must ask the same things when it gets the same replies.
        """

    @abstractmethod
    async def grade(
        self, item: Item, transcript: Any, judge: Model | None, options: Options
    ) -> Score:
        """The score of what `generate` returned; a judged benchmark asks the judge."""

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The metrics. A pure function of the scores, the same for any order of them.

        Args:
            pack: Where the items come from.
            scores: Every graded sample, scored or not; failed samples are not among them.
            options: The benchmark's own options.

        Returns:
            The mean of each of `values`, unless a benchmark says otherwise.
        """
        return summarise_values(pack.items, scores, self.values)

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """What trivial respondents would get on this pack, by name."""
        return {}

    def without_reading(self, pack: Pack) -> "Table | None":
        """What rules score on this pack that read nothing of it but what is to be rated."""
        return None

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The prompt templates that are not part of the pack; changing one changes the run."""
        return {}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The same of what the judge is sent; changing one asks the judge again, not the model."""
        return {}

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: "Random") -> str:
        """Words for a demo model of a known ability, from 0 (random) to 1 (perfect).

        A benchmark that does not define this refuses demo models.
        """
        raise NotImplementedError

    def sampling_for(self, options: Options) -> Sampling:
        """How replies are drawn with these options, unless the user says otherwise."""
        return self.sampling

    def demo_verdict(self, item: Item, request: ChatRequest, rng: "Random") -> str:
        """What the demo judge replies, by rules that the benchmark's page declares.

        A judged benchmark that does not define this refuses the demo judge.
        """
        raise NotImplementedError

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: "Random") -> str:
        """Words for the demo player of a role, ``demo/ROLE``, by fixed rules.

        A benchmark with roles that does not define this refuses demo players.
        """
        raise NotImplementedError

    def needs_judge(self, options: Options) -> bool:
        """Whether grading asks a judge with these options."""
        return self.judged

    def compares(self, options: Options) -> bool:
        """Whether transcripts of different models are compared, with these options."""
        return False

    def placement(self, options: Options) -> PlacementOptions:
        """Which comparisons place a model: what those of `PLACEMENT_OPTIONS` that it has say."""
        given = {o.name: options[o.name] for o in PLACEMENT_OPTIONS if o.name in options}
        return PlacementOptions(**given)

    async def compare(
        self, item: Item, first: Any, second: Any, judge: Model, options: Options
    ) -> PairScore:
        """What a judge says of two transcripts of an item, the first one shown first.

        Both are what `generate` returned. The same two in the same order must ask the same.
        """
        raise NotImplementedError

    def is_comparable(self, item: Item, transcript: Any) -> bool:
        """Whether there is enough in a transcript to compare it."""
        return True

    def anchor_sets(self, pack: Pack) -> Sequence[Mapping[str, float]]:
        """Sets of two models with their ratings; the first that is present fixes the scale."""
        return ()

    def published(self, pack: Pack) -> "Table | None":
        """The published board that ratings on this pack may be seen beside, never among."""
        return None

    def beside_reference(self, item: Item, score: Score) -> "Table | None":
        """A model's answer beside the reference, for `bench show RUN ITEM`."""
        return None

    def margin_caps(self, pack: Pack) -> Mapping[str, int]:
        """By item, the most that a comparison counts in the rating engine ``trueskill``."""
        return {}

    def item_weights(self, pack: Pack, options: Options) -> Mapping[str, float]:
        """By item, what a comparison on it weighs in ratings; 1 for an item that is not there."""
        return {}

    def read_foreign(self, form: str, value: Any, origin: Path, judge: str) -> ForeignResults:
        """What can be had of a file that another program wrote: comparisons, or runs.

        Nothing in it is to be trusted.

        Args:
            form: One of `foreign_forms`.
            value: The object that the file holds: checked to be JSON, and no more.
            origin: The file, for messages.
            judge: Who judged, where the file does not say; empty where that is not known.

        Raises:
            DataError: It is not of that form; the message names the place.
        """
        raise NotImplementedError

    def planned_calls(self, item: Item, options: Options) -> Mapping[str, int]:
        """Calls for one sample when nothing fails, by party: ``model``, ``judge``, each role.

        Of a talk that may end early, the most.
        """
        return {"model": 1, "judge": int(self.needs_judge(options))}

    @property
    def not_judged(self) -> tuple[str, ...]:
        """Names of a score's values that its judge does not give."""
        return (*self.unjudged_values, *(v.name for v in self.values if not v.judged))

    @property
    def has_demo(self) -> bool:
        """Whether demo models can take this benchmark."""
        return type(self).demo_reply is not Benchmark.demo_reply

    @property
    def has_demo_roles(self) -> bool:
        """Whether demo players can take its roles."""
        return type(self).demo_role is not Benchmark.demo_role

    @property
    def has_demo_judge(self) -> bool:
        """Whether the demo judge can grade this benchmark."""
        return type(self).demo_verdict is not Benchmark.demo_verdict

    def request_options(self, options: Options) -> JsonDict:
        """The options that are part of a run's identity."""
        return {o.name: options[o.name] for o in self.options if o.in_requests}

    def grade_options(self, options: Options) -> JsonDict:
        """The options that grades are kept apart by."""
        return {o.name: options[o.name] for o in self.options if o.in_grades}
