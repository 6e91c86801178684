"""What a person sets of runs: filled by the command line, bench.toml, variables and Python alike.

Each setting is declared once, at the field that holds its value here or in `Sampling`; options,
arguments and documentation are made from that. Each value has been held to its own rule when it
gets here; what several of them mean together is decided in `resolve`, once for all surfaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..clients.batch_settings import BATCHED
from ..clients.limits import RETRIES
from ..parties.graders import RULES as PANEL_RULES
from ..parties.providers import MAX_REPLY, OF_MODEL, PartyOptions
from ..spending.budget import MOST
from ..spending.prices import Price
from ..types import DRAWING, SAMPLING, Sampling
from ..types.rules import (
    NumberRule,
    Setting,
    SizeRule,
    TextRule,
    holding,
    settings_of,
    size_text,
)

if TYPE_CHECKING:
    from .file import SettingsFile
    from .tables import RolePlayer


class SettingSource(Enum):
    """Where a value came from, if it is not the default."""

    GIVEN = "an option, or an argument in Python"
    VARIABLE = "an environment variable"
    FILE = "a settings file"


WHERE = "Which models, and where"
DATA = "Which data"
SPEED = "How fast"
MONEY = "What may be spent"
RUN = "Which run, and what becomes of it"
_TEXT, _AMOUNT = TextRule(), NumberRule(1, whole=True)
_RATE = NumberRule(0, above=True)


def _setting(
    section: str, metavar: str | None, text: str, default: Any = None, **facts: Any
) -> Any:
    return holding(Setting(help=text, section=section, metavar=metavar, **facts), default)


class SystemPrompt(NamedTuple):
    """A system prompt, or none, and what tells it from others."""

    text: str | None
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of one or more runs, which differ in their model and system prompt alone.

    Attributes:
        options: Those of the benchmark's own that were given.
        sampling: The changes to the benchmark's own sampling.
        judge_base_url: The address of all judges, or ``JUDGE=URL`` for one; likewise its key's
            variable.
        judge_set: ``[JUDGE:]KEY=VALUE`` (`set_options`); likewise `role_set` by role or group.
        unset: What of the benchmark's own sampling is not sent.
        shares_server: Whether a judge or a role may be asked at the model's address, where none is
            given for it and there is no key for its provider.
        price: Of whatever the model is; `prices` are by model spec.
        file: What bench.toml says beside defaults; ``None`` where none is read.
        sources: By name of setting, such as ``max_tokens``; those with defaults are missing.
    """

    models: tuple[str, ...] = _setting(
        WHERE, "SPEC",
        "PROVIDER/NAME, such as openai/gpt-4.1; may be repeated (default: demo/medium).", (),
        form="list", rule=_TEXT, option="model", argument="model",
    )  # fmt: skip
    base_url: tuple[str, ...] = _setting(
        WHERE, "URL|NAME",
        "Address of the model, usually ending in /v1, or an endpoint of bench.toml; several are "
        "servers of the same model, which share the requests.", (),
        form="list", rule=_TEXT, may_hold_key=True,
    )  # fmt: skip
    api_key_env: str | None = _setting(
        WHERE, "VAR", "The variable that holds its key.", rule=_TEXT, names_key=True
    )
    headers: Mapping[str, str] = _setting(
        WHERE, None, "HTTP headers for the model, by name; never stored.", {},
        form="pairs", may_hold_key=True, is_option=False,
    )  # fmt: skip
    completions: bool = _setting(
        WHERE, None, "Ask the model by /v1/completions, for models without a chat form.", False,
        form="switch",
    )  # fmt: skip
    template: str | None = _setting(
        WHERE, None,
        "With --completions, what makes a prompt of messages: raw, which is their words alone, "
        "chatml, or the file of a Jinja template (default: raw).", rule=_TEXT, is_option=False,
    )  # fmt: skip
    checkpoint: str | None = _setting(
        WHERE, "PATH|TEXT",
        "The weights that the model has, a folder or any text: others are another run.", rule=_TEXT,
    )  # fmt: skip
    health: str | None = _setting(
        WHERE, None, "With --serve, the path where the server answers 200 once it is ready "
        "(default: /health or /v1/models).", rule=_TEXT, is_option=False, in_python=False,
    )  # fmt: skip
    ready: float | None = _setting(
        WHERE, None, "With --serve, the seconds that it may take until then (default: 600).",
        rule=_RATE, is_option=False, in_python=False,
    )  # fmt: skip
    judges: tuple[str, ...] = _setting(
        WHERE, "SPEC",
        "Judge model, for benchmarks that need one; several are a panel (default with a demo "
        "model: demo/judge).", (),
        form="list", rule=_TEXT, option="judge", argument="judge",
    )  # fmt: skip
    judge_base_url: tuple[str, ...] = _setting(
        WHERE, "URL|NAME", "Address of all judges; or JUDGE=URL for one.", (),
        form="list", rule=_TEXT, may_hold_key=True,
    )  # fmt: skip
    judge_api_key_env: tuple[str, ...] = _setting(
        WHERE, "VAR", "The variable that holds their key; or JUDGE=VAR for one.", (),
        form="list", rule=_TEXT, names_key=True,
    )  # fmt: skip
    judge_set: tuple[str, ...] = _setting(
        WHERE, "[JUDGE:]KEY=VALUE",
        "How all judges, or one, are asked: max_tokens, temperature or another sampling option "
        "(none: not sent), extra_body, system=off, schema=off; may be repeated.", (),
        form="list", rule=_TEXT, may_hold_key=True,
    )  # fmt: skip
    panel: str | None = _setting(
        WHERE, None,
        "What several judges' verdicts become; rotate asks one judge a sample (default: mean).",
        rule=TextRule(PANEL_RULES),
    )  # fmt: skip
    quorum: int | None = _setting(
        WHERE, None, "Of a panel, how many verdicts a score needs (default: more than half).",
        rule=_AMOUNT, is_option=False,
    )  # fmt: skip
    exclude_kin: bool = _setting(
        WHERE, None,
        "Leave judges of a model's family out: of its comparisons, and of rubric scores on its "
        "board.", False, form="switch",
    )  # fmt: skip
    overlap: float | None = _setting(
        WHERE, None,
        "With --panel rotate, the share of samples that all judges grade (default: 0.1).",
        rule=NumberRule(0, 1), is_option=False,
    )  # fmt: skip
    roles: Mapping[str, str | tuple[str, ...]] = _setting(
        WHERE, "NAME=SPEC",
        "Who plays a role of the benchmark, such as user=openai/gpt-4.1; once a role. A group of "
        "roles may have several, who play in turn.", {},
        form="pairs", option="role", in_file=False,
    )  # fmt: skip
    role_base_url: Mapping[str, str] = _setting(
        WHERE, "NAME=URL", "Its address.", {}, form="pairs", may_hold_key=True, in_file=False
    )
    role_api_key_env: Mapping[str, str] = _setting(
        WHERE, "NAME=VAR", "The variable that holds its key.", {},
        form="pairs", may_hold_key=True, in_file=False,
    )  # fmt: skip
    role_set: tuple[str, ...] = _setting(
        WHERE, "[NAME:]KEY=VALUE", "How a role, or all roles, are asked: as --judge-set.", (),
        form="list", rule=_TEXT, may_hold_key=True, in_file=False,
    )  # fmt: skip
    dataset: str | None = _setting(
        DATA, "NAME|PATH",
        "bundled, official, or a path to a file or folder (default: official if it has been "
        "fetched, else bundled).", rule=_TEXT,
    )  # fmt: skip
    options: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = field(default_factory=Sampling)
    unset: tuple[str, ...] = ()
    systems: tuple[SystemPrompt, ...] = _setting(
        DRAWING, "TEXT|@FILE", "System prompt; several make a run each, '' is none.", (),
        form="list", rule=_TEXT, option="system", argument="system",
    )  # fmt: skip
    iterations: int | None = _setting(
        DATA, "N", "How often each item is asked (default: as the benchmark says, mostly 1).",
        rule=NumberRule(1, 100_000, whole=True),
    )  # fmt: skip
    limit: int | None = _setting(
        DATA, "N", "Only N items: the first, or as the benchmark draws them.", rule=_AMOUNT
    )
    items: tuple[str, ...] = _setting(DATA, "ID,ID", "Only these items.", (), form="ids")
    concurrency: int = _setting(
        SPEED, "N",
        "Most requests at a time; reduced while the server refuses some. Unless it is given, a "
        "local server is asked one at a time first.", 32, rule=_AMOUNT,
    )  # fmt: skip
    rpm: float | None = _setting(
        SPEED, None, "Most requests per minute.", rule=_RATE, is_option=False
    )
    tpm: float | None = _setting(
        SPEED, None, "Most tokens per minute.", rule=_RATE, is_option=False
    )
    timeout: float = _setting(
        SPEED, "S", "Seconds that one attempt of a call may take.", 600.0, rule=_RATE
    )
    max_retries: int = _setting(
        SPEED, None, f"How often a failed call is retried (default: {RETRIES}).", RETRIES,
        rule=NumberRule(0, whole=True), is_option=False,
    )  # fmt: skip
    max_reply: int = _setting(
        SPEED, None, "Longest reply that is read, such as 1MiB; a longer one fails its sample "
        f"(default: {size_text(MAX_REPLY)}).", MAX_REPLY, rule=SizeRule(), is_option=False,
    )  # fmt: skip
    batch: str | None = _setting(
        SPEED, None,
        "Send calls as batches, at half the price, answered within a day: all, or the judge's; "
        "auto is all, and the judge's where a sample has several turns.",
        rule=TextRule(BATCHED), bare="auto",
    )  # fmt: skip
    no_wait: bool = _setting(
        SPEED, None, "With --batch: end with exit code 5 once all is sent; the same command later "
        "reads the results.", False, form="switch", in_file=False,
    )  # fmt: skip
    max_cost: float | None = _setting(
        MONEY, "USD", "Hard limit for this command, all its models together; exit code 5.",
        rule=NumberRule(0, MOST),
    )  # fmt: skip
    price: Price | None = _setting(  # noqa: RUF009 - makes a field
        MONEY, "IN,OUT", "Dollars per million tokens of --model, where they are not known.",
        argument="prices",
    )  # fmt: skip
    prices: Mapping[str, Price] = field(default_factory=dict)
    name: str | None = _setting(
        RUN, None, "What tables call the model; another name is another run.", rule=_TEXT
    )
    notes: Mapping[str, str] = _setting(
        RUN, "K=V", "Kept with the run, such as quantisation=8bit; may be repeated.", {},
        form="pairs", option="note",
    )  # fmt: skip
    fresh: bool = _setting(
        RUN, None, "Start a new run instead of resuming.", False, form="switch", in_file=False
    )
    keep_going: bool = _setting(
        RUN, None, "Continue although none of the first ten replies or verdicts can be read.",
        False, form="switch",
    )  # fmt: skip
    without: tuple[str, ...] = _setting(
        RUN, "MODEL", "Do not compare with this model; may be repeated.", (), form="list"
    )
    against: str | None = _setting(
        RUN, "RUN|MODEL",
        "Say last whether it is better than this run, or this model's newest that can be compared.",
        rule=_TEXT,
    )  # fmt: skip
    runs_dir: Path = _setting(  # noqa: RUF009 - makes a field
        RUN, None, "Where runs are kept; demo runs in its folder demo.", Path("runs")
    )
    shares_server: bool = True
    file: "SettingsFile | None" = None
    sources: Mapping[str, SettingSource] = field(default_factory=dict)

    def is_given(self, name: str) -> bool:
        """Whether a setting was given for this very command or call."""
        return self.sources.get(name) is SettingSource.GIVEN

    def by_user(self, name: str) -> bool:
        """Whether a setting was given, or is in a variable, and does not come from a file."""
        return self.sources.get(name) in (SettingSource.GIVEN, SettingSource.VARIABLE)

    @property
    def system(self) -> str | None:
        """The system prompt, where there are not several."""
        return self.systems[0].text if self.systems else None

    def by_system(self, model: str) -> "list[RunSettings]":
        """The settings with each system prompt alone, which the name says after the model's.

        What has none keeps its name, so that it is the run that it would be alone.
        """
        if len(self.systems) < 2:
            return [self]
        named = self.name or model
        return [
            replace(self, systems=(one,), name=f"{named} {one.label}" if one.text else self.name)
            for one in self.systems
        ]

    @property
    def filed_roles(self) -> "Mapping[str, RolePlayer]":
        """What the file says of who plays roles, by role."""
        return self.file.roles if self.file else {}

    def base_urls_of(self, party: PartyOptions) -> tuple[str, ...]:
        """The addresses of a party; only a model's can be several."""
        if party is OF_MODEL:
            return self.base_url
        if party.role:
            url = self.role_base_url.get(party.role)
        else:
            url = self._of_judge(self.judge_base_url, party)
        return (url,) if url else ()

    def api_key_env_of(self, party: PartyOptions) -> str | None:
        """The variable that holds a party's key."""
        if party.role:
            return self.role_api_key_env.get(party.role)
        if party is OF_MODEL:
            return self.api_key_env
        return self._of_judge(self.judge_api_key_env, party)

    def _of_judge(self, texts: tuple[str, ...], party: PartyOptions) -> str | None:
        """What is given for a judge: for it alone, else for all."""
        start = f"{party.judge}="
        for text in texts:
            if text.startswith(start):
                return text.removeprefix(start)
        return next((text for text in texts if not self.names_judge(text)), None)

    def names_judge(self, text: str) -> bool:
        """Whether a text is ``JUDGE=...`` for one of the judges."""
        return any(text.startswith(f"{judge}=") for judge in self.judges)


SETTINGS: Mapping[str, Setting] = {**SAMPLING, **settings_of(RunSettings)}
"""All settings of a run, by the field that holds each."""


def option_of(name: str) -> str:
    """The long name of a setting's option, with underscores for dashes and no dashes before it."""
    return SETTINGS[name].option or name


def flag_of(name: str) -> str:
    """What messages call a setting: its option, ``--max-tokens``, else its key, ``[run] tpm``."""
    if not SETTINGS[name].is_option:
        return f"[run] {name}"
    return f"--{option_of(name).replace('_', '-')}"


def argument_of(name: str) -> str:
    """What Python calls a setting."""
    return SETTINGS[name].argument or name
