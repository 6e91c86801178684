"""What a person sets of runs: filled by the command line, bench.toml, variables and Python alike.

Each value has been held to its own rule (`rules`) when it gets here; what several of them mean
together is decided in `resolve`, once for all surfaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from ..clients.retry import RETRIES
from ..endpoints.providers import MAX_REPLY, OF_MODEL, PartyOptions, Transfer
from ..spending.prices import Price
from ..types import Sampling
from .file import SettingsFile


class SettingSource(Enum):
    """Where a value came from, if it is not the default."""

    GIVEN = "an option, or an argument in Python"
    VARIABLE = "an environment variable"
    FILE = "a settings file"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of one or more runs, which differ in their model alone.

    Attributes:
        models: Specs; none for the usual one.
        options: Those of the benchmark's own that were given.
        sampling: The changes to the benchmark's own sampling.
        judges: Specs; several are a panel.
        judge_base_url: The address of all judges, or ``JUDGE=URL`` for one.
        judge_api_key_env: The variable of their key, likewise.
        panel: The rule of a panel (`panels.RULES`).
        quorum: How many verdicts a score needs; ``None`` for more than half.
        exclude_kin: Leave judges of a compared model's family out of comparisons.
        overlap: Of ``rotate``, the share of samples that all judges grade.
        roles: Specs of who plays the benchmark's roles, by role.
        role_base_url: Their addresses.
        role_api_key_env: The variables of their keys.
        role_max_tokens: The most tokens of their replies; under "" that of roles not named.
        keep_going: Go on where none of the first replies or verdicts can be read.
        demo: Whether demo and real models may be compared with each other.
        without: Names of models that these are not compared with.
        price: Of whatever the model is.
        prices: By model spec.
        file: What bench.toml says beside defaults; ``None`` where none is read.
        sources: By name of setting, such as ``max_tokens``; those with defaults are missing.
    """

    models: tuple[str, ...] = ()
    base_url: str | None = None
    api_key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    judges: tuple[str, ...] = ()
    judge_base_url: tuple[str, ...] = ()
    judge_api_key_env: tuple[str, ...] = ()
    panel: str | None = None
    quorum: int | None = None
    exclude_kin: bool = False
    overlap: float | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    role_base_url: Mapping[str, str] = field(default_factory=dict)
    role_api_key_env: Mapping[str, str] = field(default_factory=dict)
    role_max_tokens: Mapping[str, int] = field(default_factory=dict)
    dataset: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = field(default_factory=Sampling)
    system: str | None = None
    iterations: int = 1
    limit: int | None = None
    items: tuple[str, ...] = ()
    concurrency: int = 32
    rpm: float | None = None
    tpm: float | None = None
    timeout: float = 600.0
    max_retries: int = RETRIES
    max_reply: int = MAX_REPLY
    transport: str = "http"
    max_cost: float | None = None
    price: Price | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    name: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    keep_going: bool = False
    demo: bool = False
    without: tuple[str, ...] = ()
    runs_dir: Path = Path("runs")
    file: SettingsFile | None = None
    sources: Mapping[str, SettingSource] = field(default_factory=dict)

    def given(self, name: str) -> bool:
        """Whether a setting was given for this very command or call."""
        return self.sources.get(name) is SettingSource.GIVEN

    def by_user(self, name: str) -> bool:
        """Whether a setting was given, or is in a variable, and does not come from a file."""
        return self.sources.get(name) in (SettingSource.GIVEN, SettingSource.VARIABLE)

    def base_url_of(self, party: PartyOptions) -> str | None:
        """The address of a party."""
        if party.role:
            return self.role_base_url.get(party.role)
        return self.base_url if party is OF_MODEL else self._of_judge(self.judge_base_url, party)

    def api_key_env_of(self, party: PartyOptions) -> str | None:
        """The variable that holds a party's key."""
        if party.role:
            return self.role_api_key_env.get(party.role)
        if party is OF_MODEL:
            return self.api_key_env
        return self._of_judge(self.judge_api_key_env, party)

    def _of_judge(self, given: tuple[str, ...], party: PartyOptions) -> str | None:
        """What is given for a judge: for it alone, else for all."""
        start = f"{party.judge}="
        own = (text.removeprefix(start) for text in given if text.startswith(start))
        if (found := next(own, None)) is not None:
            return found
        return next((text for text in given if not self.names_judge(text)), None)

    def names_judge(self, text: str) -> bool:
        """Whether a text is ``JUDGE=...`` for one of the judges."""
        return any(text.startswith(f"{judge}=") for judge in self.judges)

    @property
    def transfer(self) -> Transfer:
        """How requests are carried, and how much of a reply is read."""
        return Transfer(self.transport, self.max_reply)
