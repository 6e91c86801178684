"""What a run is asked to be, and which run that makes it.

A run's identity is the digest of everything that changes what the model is
sent. What only changes how answers are graded makes a grader's digest; how
fast, how many and where to print is in neither.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark, Pack
from ..benchmark.model import JUDGE, MODEL, Role, by_phase
from ..clients.batch_settings import Batching
from ..clients.limits import Limits
from ..guard import guard
from ..parties.graders import Grader, Judge, Panel
from ..parties.party import Party, endpoint_at, is_imported
from ..parties.party_settings import AS_JUDGE, NO_SYSTEM, PLAIN, PartySettings, settings_in
from ..parties.prompt_templates import PromptTemplate
from ..parties.providers import MAX_REPLY, ModelSpec, host_of
from ..plugins import installed
from ..types import Item, JsonDict, Sampling, SamplingChanges, digest


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model and where it is reached.

    Attributes:
        base_url: ``None`` for the provider's own host; of several servers the first of `base_urls`.
        headers: Extra HTTP headers; they may hold secrets, so they are never stored.
        name: Its endpoint, where that is not told by its addresses: what bench.toml calls it.
    """

    spec: ModelSpec
    base_url: str | None = None
    api_key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    name: str | None = None
    limits: Limits | None = field(default=None, compare=False)
    more: tuple[str, ...] = ()
    """Addresses of further servers of the same model, in order."""
    settings: PartySettings = PLAIN
    """How it is asked otherwise than the benchmark says."""
    is_judge: bool = False
    """Whether it is a judge, so that other settings make it another one."""
    shared: bool = False
    """Whether its address is the model's, as none was given for it and there is no key."""
    near: str = ""
    """The model's address, where none was given for it and it is asked at its provider's host."""

    @property
    def base_urls(self) -> tuple[str, ...]:
        """All addresses; none for the provider's own host."""
        return (self.base_url, *self.more) if self.base_url else ()

    @property
    def each(self) -> "list[Endpoint]":
        """The endpoint at each of its servers alone."""
        return [replace(self, base_url=url, more=()) for url in self.base_urls] or [self]

    @classmethod
    def of(cls, party: Party) -> "Endpoint":
        """That of who was asked once; good for looking things up, not for asking."""
        asked = settings_in(party.settings)
        return cls(party.spec, name=party.endpoint, settings=asked, is_judge=bool(party.settings))

    @property
    def label(self) -> str:
        """The spec, with the host of its address where there is one, and settings."""
        label, words = Party(self.spec, self.address).label, self.settings.words
        return f"{label} ({words})" if words else label

    @property
    def party(self) -> Party:
        """As whom the journal knows it; several servers are one endpoint, in whatever order."""
        endpoint = self.name or ",".join(sorted({*map(endpoint_at, self.base_urls)})) or None
        return Party(self.spec, endpoint, self.settings.identity if self.is_judge else "")

    @property
    def address(self) -> str | None:
        """Host and port; ``None`` for the provider's own."""
        return host_of(self.base_url) if self.base_url else None


@dataclass(frozen=True, slots=True)
class RunConfig:
    """One benchmark on one model, as the user asked for it."""

    benchmark: Benchmark
    model: Endpoint
    options: Mapping[str, Any]
    judges: tuple[Endpoint, ...] = ()
    """Who judge: nobody, one judge, or those of a panel."""
    panel: Panel | None = None
    dataset: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    """The user's changes to the benchmark's own sampling."""
    unset: tuple[str, ...] = ()
    """What of it is not sent."""
    is_whole: bool = False
    """Whether these are no changes but all of its sampling, as a stored run has it."""
    system: str | None = None
    iterations: int = 1
    limit: int | None = None
    items: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    """Those of the model, and of other endpoints without their own."""
    roles: Mapping[str, Endpoint] = field(default_factory=dict)
    """Who plays the benchmark's roles, by name."""
    role_sampling: Mapping[str, Sampling] = field(default_factory=dict)
    """How replies of roles are drawn, where that is not as the benchmark says now."""
    max_reply: int = MAX_REPLY
    name: str | None = None
    template: PromptTemplate | None = None
    """What makes prompts where the model is asked for completions."""
    checkpoint: str | None = None
    """Of which weights the model is, where the user says so (`reading.checkpoints`)."""
    notes: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    keep_going: bool = False
    batching: Batching | None = None
    """Whose calls go to a batch API, and how; ``None`` where none do."""
    without: tuple[str, ...] = ()
    """Names of models that this one is not compared with."""
    against: str | None = None
    """The run, or the model, that its result is set against."""
    runs_dir: Path = Path("runs")

    @property
    def demo(self) -> bool:
        """Whether it is a demo run: its model is not real."""
        return installed().provider(self.model.spec.provider).demo

    @property
    def judge(self) -> Judge | None:
        """Whose verdicts its scores are made of: a judge's or a panel's."""
        return self.panel or next((judge.party for judge in self.judges), None)

    @property
    def effective_sampling(self) -> Sampling:
        """The benchmark's sampling with the user's changes; of an imported run, nothing."""
        if self.is_whole or is_imported(self.model.spec):
            return self.sampling
        changes = SamplingChanges(self.sampling, self.unset)
        drawn = changes.applied_to(guard(self.benchmark).sampling_for(self.options))
        return settings_in(self.model.party.settings).drawn(drawn)  # where the model is a judge

    def sampling_of(self, role: Role) -> Sampling:
        """How the replies of who plays a role are drawn."""
        return self.role_sampling.get(role.name, role.sampling)

    def sampling_in(self, phase: str) -> Sampling:
        """How the replies of a phase are drawn."""
        if phase == MODEL:
            return self.effective_sampling
        roles = (role for role in self.benchmark.roles if role.phase == phase)
        return next(map(self.sampling_of, roles), self.benchmark.judge_sampling)

    def planned_calls(self, item: Item, iteration: int = 1) -> dict[str, int]:
        """Calls of one sample by phase, when nothing is asked again."""
        calls = by_phase(guard(self.benchmark).planned_calls(item, self.options))
        judges = len(self.assigned_judges(item.id, iteration))
        return {**calls, JUDGE: judges * calls[JUDGE]}

    def assigned_judges(self, item_id: str, iteration: int) -> tuple[Party, ...]:
        """The judges of a sample."""
        if self.panel:
            return self.panel.assigned(item_id, iteration)
        return self.judge.judges if self.judge else ()

    @property
    def display_name(self) -> str:
        """What tables call the model."""
        return self.name or str(self.model.spec)


def with_judges(config: RunConfig, judges: Sequence[Endpoint]) -> RunConfig:
    """A configuration with these judges: none, one, or several as its panel has it."""
    if len(judges) < 2 or config.panel is None:
        return replace(config, judges=tuple(judges[:1]), panel=None)
    parties = tuple(judge.party for judge in judges)
    return replace(config, judges=tuple(judges), panel=replace(config.panel, judges=parties))


def graders_of(config: RunConfig, *, offline: bool = False) -> dict[Party, Grader]:
    """The graders of a panel's judges, `offline` for `bench rescore`; none without a panel."""
    if config.panel is None:
        return {}
    alone = zip(config.judges, by_each_judge(config), strict=True)
    return {judge.party: grader(one, offline=offline) for judge, one in alone}


def by_each_judge(config: RunConfig) -> list[RunConfig]:
    """The configuration with each judge of its panel alone; itself where there is no panel."""
    if config.panel is None:
        return [config]
    return [with_judges(config, [judge]) for judge in config.judges]


def judge_sampling(benchmark: Benchmark, judge: Party) -> Sampling:
    """How the replies of a judge are drawn, as it is known by its own settings."""
    return settings_in(judge.settings).drawn(benchmark.judge_sampling)


def stored_sampling(settings: Mapping[str, Any]) -> Sampling:
    """The sampling that the settings of a stored run, or of a player of a role, hold."""
    sampling = dict(settings["sampling"])
    sampling["stop"] = tuple(sampling["stop"]) if sampling.get("stop") else None
    return Sampling(**sampling)


def identity(config: RunConfig, pack: Pack) -> JsonDict:
    """What makes a run this run (docs/runs.md)."""
    benchmark = config.benchmark
    prompts = guard(benchmark).prompts(config.options)
    return {
        **({"roles": _players(config)} if benchmark.roles else {}),
        "benchmark": benchmark.name,
        "version": benchmark.version,
        "pack": pack.source.sha256,
        "prompts": {name: digest(text) for name, text in prompts.items()},
        "model": str(config.model.spec),
        "endpoint": config.model.party.endpoint,
        "sampling": config.effective_sampling.sent(),
        "system": config.system,
        "name": config.name,
        **({"template": config.template.digest} if config.template else {}),
        **({"checkpoint": config.checkpoint} if config.checkpoint else {}),
        **_how_asked(config.model),
        "options": benchmark.request_options(config.options),
    }


def _how_asked(model: Endpoint) -> JsonDict:
    """What of a model's settings its sampling does not say; what is not set is not there."""
    if asked := model.party.settings:
        return {AS_JUDGE: json.loads(asked)}
    return {} if model.settings.system else {NO_SYSTEM: True}


def _players(config: RunConfig) -> JsonDict:
    """Who plays the roles, and how their replies are drawn."""
    declared = {role.name: role for role in config.benchmark.roles}
    return {
        name: {
            "model": str(player.spec),
            "endpoint": player.party.endpoint,
            "sampling": config.sampling_of(declared[name]).sent(),
            **({} if player.settings.system else {NO_SYSTEM: True}),
        }
        for name, player in config.roles.items()
    }


def stored_roles(settings: Mapping[str, Any]) -> dict[str, Endpoint]:
    """Who played the roles of a stored run."""
    return {
        name: Endpoint(
            ModelSpec.parse(player["model"]),
            name=player["endpoint"],
            settings=PartySettings(system=not player.get(NO_SYSTEM)),
        )
        for name, player in settings.get("roles", {}).items()
    }


def stored_role_sampling(settings: Mapping[str, Any]) -> dict[str, Sampling]:
    """How the replies of roles of a stored run were drawn."""
    roles = settings.get("roles", {}).items()
    return {name: stored_sampling(player) for name, player in roles if "sampling" in player}


def grader(config: RunConfig, *, offline: bool = False) -> Grader:
    """How samples are graded, `offline` by `bench rescore`, which cannot ask further."""
    return replace(
        reader(config),
        judge=config.judge,
        options=config.benchmark.grade_options(config.options),
        offline=offline,
    )


def reader(config: RunConfig) -> Grader:
    """The same but for who judges: what a judge is sent, and how its words become numbers."""
    benchmark = config.benchmark
    prompts = guard(benchmark).judge_prompts(config.options) if config.judges else {}
    return Grader(
        benchmark.version,
        grading=benchmark.grading,
        prompts={name: digest(text) for name, text in prompts.items()},
        sampling=benchmark.judge_sampling.sent() if config.judges else {},
    )
