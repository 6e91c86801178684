"""From settings to the runs that they mean: what contradicts itself is refused, here alone."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..benchmark import PLACEMENT_OPTIONS, Benchmark
from ..benchmark.model import JUDGE as JUDGE_PHASE
from ..benchmark.model import MODEL
from ..clients.batch_settings import Batching
from ..clients.demo import JUDGE
from ..clients.keys import check_extra_body
from ..errors import UsageError
from ..guard import guard
from ..journal.file import demo_folder
from ..parties.graders import OVERLAP, Panel
from ..parties.prompt_templates import RAW, PromptTemplate, find_template
from ..parties.providers import ModelSpec, of_judge
from ..plugins import installed
from ..reading.checkpoints import checkpoint_of
from .players import find_roles, fitting_players, for_members, role_sampling
from .rules import comparing_words, own_options
from .run_config import Endpoint, RunConfig, with_judges
from .run_settings import RunSettings, flag_of
from .set_options import JUDGE_SET
from .targets import Target, asked_with, find_target, limits_of, model_changes

USUAL_MODEL = "demo/medium"


def run_configs(
    benchmark: Benchmark, settings: RunSettings, allow: Callable[[Target], Endpoint]
) -> list[RunConfig]:
    """The runs that settings ask for, one per model and system prompt.

    `allow` gives the endpoint of a target, once the user has approved what a file sends there.

    Raises:
        UsageError: Settings contradict each other.
    """
    settings = for_members(benchmark, settings)
    at_server = bool(settings.base_url)
    texts = settings.models or (USUAL_MODEL,)
    specs = [ModelSpec.parse(text, at_server=at_server) for text in texts]
    if len(specs) > 1 and settings.name:
        raise UsageError("--name names one model; leave it out, or give one --model")
    if twice := next((s for s in specs if specs.count(s) > 1), None):
        raise UsageError(f"--model {twice} is given twice")
    judges, roles = _find_judges(benchmark, settings), find_roles(benchmark, settings)
    models = [_model_target(benchmark, settings, spec) for spec in specs]
    settings = replace(settings, runs_dir=_folder(settings.runs_dir, specs))
    named = [allow(judge) for judge in judges]
    players = {name: allow(target) for name, target in roles.items()}
    options = own_options(benchmark, settings.options)
    _refuse_vain(benchmark, options, settings)

    def config_of(model: Target, endpoint: Endpoint, one: RunSettings) -> RunConfig:
        spec, changes = endpoint.spec, model_changes(settings, model.server)
        roles = fitting_players(benchmark, settings, spec, players)
        return replace(
            with_judges(
                replace(make_config(benchmark, one, endpoint), panel=_panel(settings)),
                _fitting_judges(benchmark, options, spec, named),
            ),
            limits=limits_of(settings, model.server),
            roles=roles,
            role_sampling=role_sampling(benchmark, roles),
            sampling=changes.values,
            unset=changes.unset,
        )

    return [
        config_of(model, endpoint, one)
        for model, endpoint in zip(models, map(allow, models), strict=True)
        for one in settings.by_system(str(endpoint.spec))
    ]


def _folder(runs_dir: Path, models: Sequence[ModelSpec]) -> Path:
    """Where runs of these models are kept: demo runs have a folder of their own."""
    demo = {spec: installed().provider(spec.provider).demo for spec in models}
    if all(demo.values()):
        return demo_folder(runs_dir)
    if any(demo.values()):
        listed = ", ".join(str(spec) for spec in models if demo[spec])
        raise UsageError(
            f"--model {listed}: a demo model is not run beside real ones; give it its own command"
        )
    if demo_folder(runs_dir) == runs_dir:
        raise UsageError(f"--runs-dir {runs_dir} is a folder of demo runs; name another one")
    return runs_dir


def _model_target(benchmark: Benchmark, settings: RunSettings, spec: ModelSpec) -> Target:
    """The model's; one that is a judge there is asked as it judges."""
    target = find_target(settings, spec)
    if not benchmark.model_judges:
        return target
    asked = asked_with(settings, of_judge(str(spec)), target.server)
    return target._replace(endpoint=replace(target.endpoint, settings=asked, is_judge=True))


_AS_SET = (
    *("dataset", "sampling", "unset", "system", "limit", "items", "max_reply"),
    *("name", "notes", "fresh", "keep_going", "without", "against", "runs_dir"),
)
"""What a run is asked just as it was set."""


def make_config(benchmark: Benchmark, settings: RunSettings, model: Endpoint) -> RunConfig:
    """What settings ask of one model, without a judge.

    Raises:
        UsageError: Settings contradict each other.
    """
    if settings.name is not None and not settings.name.strip():
        raise UsageError("--name must not be blank")
    if len(settings.systems) > 1:
        raise UsageError("--system is given twice; several are for bench run alone")
    check_extra_body(settings.sampling)
    settings = items_or_limit(settings)
    return RunConfig(
        benchmark=benchmark,
        model=model,
        options=own_options(benchmark, settings.options),
        limits=limits_of(settings, None),
        iterations=settings.iterations or benchmark.iterations,
        batching=batching_of(benchmark, settings),
        template=template_of(settings, model),
        checkpoint=checkpoint_of(settings.checkpoint) if settings.checkpoint else None,
        **{name: getattr(settings, name) for name in _AS_SET},
    )


def template_of(settings: RunSettings, model: Endpoint) -> PromptTemplate | None:
    """What makes prompts of messages, where the model is asked for completions.

    Raises:
        UsageError: Settings contradict each other, or its provider has none.
        DataError: The template's file cannot be read.
    """
    if not settings.completions:
        if settings.is_given("template"):  # in a file it is for the runs that ask so
            raise UsageError(f"{flag_of('template')} is for --completions")
        return None
    if model.spec.provider != "openai":
        raise UsageError(f"--completions is for openai/ models; {model.spec} has a form of its own")
    if settings.batch is not None:
        raise UsageError("--batch does not go with --completions")
    return find_template(settings.template or RAW)


def batching_of(
    benchmark: Benchmark, settings: RunSettings, *, of_judge: bool = False
) -> Batching | None:
    """Whose calls go to a batch API, and how; where a judge alone is asked, its.

    Raises:
        UsageError: No batch can be made of what is asked.
    """
    if settings.batch is None:
        if settings.no_wait:
            raise UsageError("--no-wait is for --batch, whose results come later")
        return None
    which = "judge" if of_judge else settings.batch
    if which == "auto":
        which = "all" if benchmark.single_turn else "judge"
    if (
        which == "judge"
        and not of_judge
        and not guard(benchmark).needs_judge(own_options(benchmark, settings.options))
    ):
        raise UsageError(
            f"--batch sends the judge's calls of {benchmark.name}, which asks none here"
            + " (--batch all sends the model's, a batch for each turn)"
            * (not benchmark.single_turn)
        )
    phases = frozenset({JUDGE_PHASE} if which == "judge" else {JUDGE_PHASE, MODEL})
    return Batching(phases, not settings.no_wait)


def items_or_limit(settings: RunSettings) -> RunSettings:
    """The settings with the ids of the items that are wanted, or how many, but not both.

    What is given with the command goes before what is not.

    Raises:
        UsageError: Both are given, or an item stands twice.
    """
    if settings.items and settings.limit is not None:
        if settings.is_given("items") == settings.is_given("limit"):
            raise UsageError("--items and --limit contradict each other; use one of them")
        unset = {"limit": None} if settings.is_given("items") else {"items": ()}
        settings = replace(settings, **unset)
    if twice := next((i for i in settings.items if settings.items.count(i) > 1), None):
        raise UsageError(f"--items names {twice} twice")
    return settings


_PLAIN = re.compile(r"[\w./:@-]+")
"""A name that no other is hidden in."""


def judge_spec(text: str, *, at_server: bool = False) -> ModelSpec:
    """The one judge that a text names.

    Raises:
        UsageError: It names several, or none.
    """
    names = re.split(r"[\s,]+", text.strip())
    providers = tuple(f"{name}/" for name in installed().providers.things)
    if len(names) > 1 and all(n.startswith(providers) and _PLAIN.fullmatch(n) for n in names):
        raise UsageError(f"--judge names {len(names)} judges; give --judge once for each")
    return ModelSpec.parse(text, at_server=at_server)


def _find_judges(benchmark: Benchmark, settings: RunSettings) -> list[Target]:
    named = {"judge_base_url": settings.judge_base_url,
             "judge_api_key_env": settings.judge_api_key_env}  # fmt: skip
    sets = settings.is_given("judge_set") and bool(settings.judge_set)
    if not benchmark.judged and not any(map(settings.is_given, ("judge", *named))):
        if sets and not benchmark.model_judges:
            raise UsageError(f"{benchmark.name} asks no judge; leave {JUDGE_SET} out")
        return []  # what a file or a variable says is for the benchmarks that ask one
    if sets and not settings.judges:
        raise UsageError(f"{JUDGE_SET} needs --judge SPEC")
    for name, texts in named.items():
        if texts and not settings.judges:
            raise UsageError(f"{flag_of(name)} needs --judge SPEC")
        if len([text for text in texts if not settings.names_judge(text)]) > 1:
            message = f"{flag_of(name)} is given twice"
            raise UsageError(f"{message}; give it once for all judges, or as JUDGE=...")
    at_server = bool(settings.judge_base_url)
    specs = [judge_spec(text, at_server=at_server) for text in settings.judges]
    if twice := next((spec for spec in specs if specs.count(spec) > 1), None):
        raise UsageError(f"--judge {twice} is given twice")
    return [find_target(settings, spec, of_judge(str(spec))) for spec in specs]


_OF_PANELS = ("panel", "quorum", "exclude_kin", "overlap")


def _panel(settings: RunSettings) -> Panel | None:
    """How several judges make one score; ``None`` for one judge."""
    n = len(settings.judges)
    for name in _OF_PANELS:
        if n < 2 and settings.is_given(name):
            message = f"{flag_of(name)} is about several judges"
            raise UsageError(f"{message}; give --judge once for each")
    if n < 2:
        return None
    if settings.quorum and settings.quorum > n:
        raise UsageError(f"{flag_of('quorum')} {settings.quorum} is more than the {n} judges")
    if settings.is_given("overlap") and settings.panel != "rotate":
        raise UsageError(f"{flag_of('overlap')} goes with --panel rotate alone")
    return Panel(
        (),
        settings.panel or "mean",
        settings.quorum or 0,
        settings.exclude_kin,
        OVERLAP if settings.overlap is None else settings.overlap,
    )


def _fitting_judges(
    benchmark: Benchmark, options: Mapping[str, object], model: ModelSpec, judges: list[Endpoint]
) -> list[Endpoint]:
    """The judges that a run will have.

    None where the options leave a judged benchmark nothing to judge; the demo judge for a
    demo model where no other is named; else those that are named.
    """
    if benchmark.judged and not guard(benchmark).needs_judge(options):
        return []
    if not judges and benchmark.judged and installed().provider(model.provider).demo:
        return [Endpoint(ModelSpec("demo", JUDGE))]
    return judges


def _refuse_vain(
    benchmark: Benchmark, options: Mapping[str, object], settings: RunSettings
) -> None:
    """Refuse settings about comparisons where comparisons are left out."""
    plugin = guard(benchmark)
    if plugin.compares(options):
        return
    if comparing_words(benchmark) is None:
        if settings.is_given("without"):
            raise UsageError(f"{benchmark.name} compares no models; leave --without out")
        return
    for name in (*(option.name for option in PLACEMENT_OPTIONS), "without"):
        if (name in options or name == "without") and settings.is_given(name):
            message = f"--{name.replace('_', '-')} is about comparisons"
            made_with = " ".join(comparing_words(benchmark) or []) or "its usual options"
            raise UsageError(f"{message}, which {benchmark.name} makes with {made_with}")
