"""What a benchmark is to the framework: the class a plugin subclasses.

A benchmark says how to read its data pack, what to ask a model about one item,
how to grade the answer, and how to sum grades up. Everything else - sending,
saving, resuming, retrying, counting, printing - is the framework's. What only some
benchmarks can do is in `abilities`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic

from ..reading.packs import Pack, PackSource
from ..types import (
    Baseline,
    Content,
    Item,
    JsonDict,
    SampleScore,
    Sampling,
    Score,
    Summary,
    Transcript,
)
from .abilities import DemoJudge, DemoModel, DemoRoles
from .board_controls import BoardControl
from .metrics import first_values, summarise_values
from .model import Model, Role
from .options import Option, Options
from .published import PublishedWith
from .values import Value


class Benchmark(ABC, Generic[Content, Transcript]):
    """One benchmark: an entry point names its class, or `register_benchmarks` gets an instance.

    `Benchmark[Content, Transcript]` says of what type an item's content is and what `generate`
    returns, for type checkers.

    Attributes:
        name: What people type, such as ``eqbench-v1``.
        version: Of what the model is sent. Raise it when that changes in a way that its prompts
            do not tell: then old and new runs are different runs.
        grading: Of how replies become numbers. Raise it when that changes: stored replies are
            graded anew, and nothing is asked again that was asked in the same words.
        title: One line for `bench list`.
        kind: How it measures, in a word for `bench list`: ``choice``, ``yes-no``, ``rubric``,
            ``talk``, ``ratings``, ``game`` or another.
        languages: Codes of those that its items are in, such as ``en``; where there are several,
            an option ``lang`` with these choices says as much.
        cite: What `bench cite` prints for it: BibTeX, or the path of a file of it.
        data: The folder that holds ``manifest.json`` and the bundled pack, or ``None``
            when the benchmark always needs ``--dataset PATH``.
        path: The file that declares it; ``None`` where none does, or where it was read from a run.
        packs: Its packs by name, each as ``manifest.json`` would have it, where `data` has none.
        files: Of one that a file declares (`BenchmarkFiles`): by their paths the texts that it was
            read from, the declaration first. They are stored with its runs.
        file_endings: Such as ``.csv``: a folder of a user with such files is a pack of all
            of them. Else a folder must hold the files that the manifest names.
        fields: What each row of its pack holds, as `read_rows` takes it, with ``"id": str``; then
            it needs no `read_pack`.
        comparability: Which published numbers a result may stand beside, or why none.
        sampling: How replies are drawn unless the user says otherwise; where that depends on
            an option, define `sampling_for` too.
        answer_tokens: In how many tokens an answer fits unless the model thinks. A local server
            is asked with that limit first, and again with that of `sampling` where it did not fit.
        published_with: The judges, panel and players that its published numbers rest on; a result
            with others is not comparable with them, and says so.
        limit_over: A tag of items: ``--limit N`` takes as many of each of its values, as far as
            that goes, drawn by ids; a smaller limit is within a larger one. Else the first N.
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
        value_scales: By the name of a value: what its metric is, as a multiple of its mean, where
            that is not 1.
        unjudged_values: Values of a score that do not come from its judge, such as lengths; those
            of `values` say so themselves.
        board_controls: What readers of its boards may hold against models, such as their length;
            on boards of scores alone.
        iterations: How often each item is asked unless the user says otherwise.
        most_attempts: How often a question to the model is asked at most, where its answer cannot
            be read; 1 where that is not known.
        model_judges: The model is asked as a judge is, so that what a person sets of judges
            (`judge_set`) is set of it.
        asks_again: A reply that cannot be read, of the model or of the judge, may be asked for
            again, so that there may be more calls than are planned.
    """

    name: str
    version: str
    grading: str = "1"
    title: str
    kind: str = ""
    languages: tuple[str, ...] = ()
    cite: str | Path = ""
    data: Path | None = None
    path: Path | None = None
    packs: Mapping[str, Mapping[str, Any]] = {}
    file_endings: tuple[str, ...] = ()
    fields: Mapping[str, object] = {}
    comparability: str = "not comparable with published scores: there are none"
    sampling: Sampling = Sampling()
    judge_sampling: Sampling = Sampling(temperature=0.0, max_tokens=8000)
    answer_tokens: int | None = None
    published_with: PublishedWith | None = None
    limit_over: str = ""
    options: tuple[Option, ...] = ()
    roles: tuple[Role, ...] = ()
    judged: bool = False
    ranked_by: str = ""
    single_turn: bool = True
    foreign_forms: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    value_scales: Mapping[str, float] = {}
    unjudged_values: tuple[str, ...] = ()
    board_controls: tuple[BoardControl, ...] = ()
    model_judges: bool = False
    asks_again: bool = False
    iterations: int = 1
    most_attempts: int = 1

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The pack's items: by default the rows of its files, with their `fields`.

        A row's ``family``, its fields that `values` are summed up by (`by`, `macro`) and that
        `limit_over` names, and a ``weight`` that is a number among the `fields`, are the item's
        too.

        Raises:
            DataError: A file is broken; the message names the place.
        """
        from ..reading.rows import item_of, read_rows

        keys = [self.limit_over, *(key for v in self.values for key in (*v.by, v.macro))]
        tags = dict.fromkeys(filter(None, keys))
        weighed = self.fields.get("weight") in (int, float, int | None, float | None)
        items = [item_of(row, tags, weighed=weighed) for row in read_rows(source, self.fields)]
        return Pack(source, items, self.comparability)

    @abstractmethod
    async def generate(self, item: Item[Content], model: Model, options: Options) -> Transcript:
        """Whatever `grade` needs, made by asking the model.

        Runs again from the start after a stop; replies that are in the journal come from
        there. So it must ask the same things when it gets the same replies.
        """

    @abstractmethod
    async def grade(
        self, item: Item[Content], transcript: Transcript, judge: Model | None, options: Options
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
        return summarise_values(pack.items, scores, self.values_with(options))

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """What each sample adds to the metric that models are ranked by, which is their mean.

        Of a value with a `macro`, it is the mean of their means in each group; where items have
        weights, the weighted mean. Models are set against each other by these, sample by sample. A
        pure function of the scores of one run.

        Returns:
            One for each score, on the scale of the metric; ``None`` for one that is not in the
            mean. By default the value that `ranked_by` names, else the first one.
        """
        values = self.values_with(options)
        return first_values(pack.items, scores, values, self.ranked_by, self.value_scales)

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """What trivial respondents would get on this pack, by name."""
        return {}

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The prompt templates that are not part of the pack; changing one changes the run."""
        return {}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The same of what the judge is sent; changing one asks the judge again, not the model."""
        return {}

    def sampling_for(self, options: Options) -> Sampling:
        """How replies are drawn with these options, unless the user says otherwise."""
        return self.sampling

    def needs_judge(self, options: Options) -> bool:
        """Whether grading asks a judge with these options."""
        return self.judged

    def planned_calls(self, item: Item[Content], options: Options) -> Mapping[str, int]:
        """Calls for one sample when nothing fails, by party: ``model``, ``judge``, each role.

        Of a talk that may end early, the most.
        """
        return {"model": 1, "judge": int(self.needs_judge(options))}

    def values_with(self, options: Options) -> tuple[Value, ...]:
        """Those of `values` that exist with these options."""
        return tuple(value for value in self.values if value.exists(options))

    @property
    def not_judged(self) -> tuple[str, ...]:
        """Names of a score's values that its judge does not give."""
        return (*self.unjudged_values, *(v.name for v in self.values if not v.judged))

    @property
    def has_demo(self) -> bool:
        """Whether demo models can take this benchmark."""
        return isinstance(self, DemoModel)

    @property
    def has_demo_roles(self) -> bool:
        """Whether demo players can take its roles."""
        return isinstance(self, DemoRoles)

    @property
    def has_demo_judge(self) -> bool:
        """Whether the demo judge can grade this benchmark."""
        return isinstance(self, DemoJudge)

    @property
    def in_commands(self) -> str:
        """What stands for it in commands: its name, or the path of the file that declares it."""
        return str(self.path or self.name)

    @property
    def files(self) -> Mapping[str, str]:
        """The texts that it is read from, by path; none of a benchmark that no file declares."""
        return {}

    def request_options(self, options: Options) -> JsonDict:
        """The options that are part of a run's identity."""
        return {o.name: options[o.name] for o in self.options if o.in_requests}

    def grade_options(self, options: Options) -> JsonDict:
        """The options that grades are kept apart by."""
        return {o.name: options[o.name] for o in self.options if o.in_grades}
