"""SWEEP.toml: which models are asked which benchmarks, and how each model is served."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BenchError, ConfigError
from ..parties.providers import ModelSpec
from ..plugins import installed
from ..reading.checkpoints import is_on_disk
from ..reading.formats import read_text, toml_of
from ..reading.names import nearest
from ..served.machine import NOTHING, Needs
from ..served.server import READY_S, check_command
from ..settings.rules import fitting
from ..settings.run_settings import SETTINGS, argument_of, option_of
from ..settings.tables import refuse_outside
from ..types.rules import NumberRule, Rule, TextRule

_TEXT: Rule = TextRule()
_ABOVE: Rule = NumberRule(0, above=True)
_MODEL: Mapping[str, Rule] = {
    "model": _TEXT, "name": _TEXT, "base_url": _TEXT, "api_key_env": _TEXT, "path": _TEXT,
    "serve": _TEXT, "health": _TEXT, "ready": _ABOVE,
    "port": NumberRule(1, 65_535, whole=True), "gpus": NumberRule(0), "memory_gb": NumberRule(0),
}  # fmt: skip
_SERVED = ("health", "ready", "port", "gpus", "memory_gb")
_WATCH = ("model", "serve", "health", "ready", "gpus", "memory_gb", "pattern", "settle", "done")
_KEYS = ("benchmarks", "run", "options", "machine", "watch", "models")
_OF_SWEEP = ("model", "base_url", "api_key_env", "name", "checkpoint", "runs_dir", "fresh",
             "health", "ready")  # fmt: skip
_OF_COMMAND = ("max_cost", "no_wait", "batch", "against", "price", "prices")
_SETTINGS = {word(name) for name in SETTINGS for word in (option_of, argument_of)}
SETTLE_S = 30.0
"""How long a checkpoint's files must stay as they are before it is taken to be whole."""


@dataclass(frozen=True, slots=True)
class SweepModel:
    """A model of a sweep: an endpoint, or a command that starts its server.

    Attributes:
        name: What tables call it.
        line: Where it stands in the file.
        path: The folder of its weights, or any text that tells them apart.
        serve: The command; ``None`` for an endpoint, which may have a `base_url`, or several.
    """

    spec: str
    name: str
    line: int
    base_url: str | tuple[str, ...] | None = None
    api_key_env: str | None = None
    path: str | None = None
    serve: str | None = None
    health: str | None = None
    ready_s: float = READY_S
    port: int | None = None
    needs: Needs = NOTHING


@dataclass(frozen=True, slots=True)
class WatchRules:
    """How ``--watch`` makes models of folders: `pattern` are those that are checkpoints.

    One is whole once its files have not changed for `settle_s`, or, where `done` names a file, once
    that is there.
    """

    model: SweepModel
    pattern: str = "*"
    settle_s: float = SETTLE_S
    done: str | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a file says.

    Attributes:
        run: Settings of all runs, as `eibench.run` takes them.
        options: By benchmark its own options.
        machine: What all servers may take together; ``None`` for what is here.
        broken: What is wrong with models, which others do without, each with its line.
    """

    path: Path
    benchmarks: Sequence[str]
    models: Sequence[SweepModel]
    run: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    machine: Needs | None = None
    watch: WatchRules | None = None
    broken: Sequence[ConfigError] = ()


def read_sweep(path: Path, known: Callable[[str], object]) -> Sweep:
    """What a file says; `known` raises for a benchmark that there is not.

    Raises:
        ConfigError: It is missing, not TOML, or says what no model can do without; the message
            names the line.
    """
    text = read_text(path)
    try:
        raw = toml_of(text)
    except ValueError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    where = _FileText(path, text)
    where.check_keys(raw, _KEYS, "")
    benchmarks = raw.get("benchmarks")
    if not isinstance(benchmarks, list) or not all(isinstance(b, str) for b in benchmarks):
        raise where.error('needs benchmarks = ["NAME", ...]', "benchmarks")
    if not benchmarks:
        raise where.error("benchmarks names none", "benchmarks")
    try:
        refuse_outside("", {"benchmarks": benchmarks}, path)
        for name in benchmarks:
            known(name)
    except BenchError as error:
        raise where.error(str(error), "benchmarks") from None
    run = _read_run(raw.get("run", {}), where)
    models, broken = _read_models(raw.get("models", []), where)
    watch = _read_watch(raw["watch"], where) if "watch" in raw else None
    if not (models or broken or watch):
        raise where.error("names no model: write [[models]] and model = ..., or [watch]", "")
    return Sweep(
        path, benchmarks, models, run,
        _read_options(raw.get("options", {}), benchmarks, where),
        _read_machine(raw["machine"], where) if "machine" in raw else None, watch, broken,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _FileText:
    """Where things stand in a file."""

    path: Path
    text: str

    def line(self, key: str, table: str = "", nth: int = 0) -> int:
        """The line of a key of a table, else of the table's heading, else 1."""
        lines = self.text.split("\n")
        start = 0
        if table:
            heading = re.compile(rf"\s*\[+\s*{re.escape(table)}\s*\]+")
            starts = [n for n, line in enumerate(lines) if heading.match(line)]
            if len(starts) <= nth:
                return 1
            start = starts[nth] + 1
        named = re.compile(rf"\s*\"?{re.escape(key)}\"?\s*=") if key else None
        for n, line in enumerate(lines[start:], start + 1):
            if named and named.match(line):
                return n
            if line.lstrip().startswith("["):
                break
        return start or 1

    def error(self, message: str, key: str, table: str = "", nth: int = 0) -> ConfigError:
        """An error with the line of what is wrong."""
        return ConfigError(f"{self.path}: line {self.line(key, table, nth)}: {message}")

    def check_keys(self, raw: object, keys: Sequence[str], table: str, nth: int = 0) -> None:
        """Refuse what is no table, or has another key."""
        if not isinstance(raw, dict):
            raise self.error(f"{table} must be a table: [{table}]", table)
        for key in raw:
            if key not in keys:
                hint = nearest(key, keys) or f"; there are: {', '.join(keys)}"
                inside = f"[{table}] has" if table else "has"
                raise self.error(f"{inside} no key {key!r}{hint}", key, table, nth)

    def value(self, raw: Mapping[str, Any], key: str, table: str, nth: int = 0) -> Any:
        """A value that its rule takes."""
        rule = _MODEL.get(key, _ABOVE if key == "settle" else _TEXT)
        try:
            if key == "base_url" and raw[key] and isinstance(raw[key], list):
                return tuple(fitting(key, rule, one) for one in raw[key])
            return fitting(key, rule, raw[key])
        except BenchError as error:
            raise self.error(str(error), key, table, nth) from None


def _read_models(raw: object, where: _FileText) -> tuple[list[SweepModel], list[ConfigError]]:
    """The models, and what is wrong with those that cannot be."""
    if not isinstance(raw, list):
        raise where.error("models must be tables: write [[models]] for each", "models", "models")
    models, broken, names = list[SweepModel](), list[ConfigError](), dict[str, int]()
    for n, table in enumerate(raw):
        try:
            model = _read_model(table, where, n)
            if first := names.get(model.name):
                message = f"is the second model named {model.name!r} (the first: line {first})"
                raise where.error(f"{message}; give one a name of its own", "name", "models", n)
            names[model.name] = model.line
            models.append(model)
        except ConfigError as error:
            broken.append(error)
    kinds = {installed().provider(ModelSpec.parse(one.spec).provider).demo: one for one in models}
    if len(kinds) > 1:
        message = f"{kinds[True].name} is a demo model and {kinds[False].name} is not"
        raise where.error(f"{message}: give each kind a sweep of its own", "model", "models")
    return models, broken


def _read_model(raw: object, where: _FileText, n: int) -> SweepModel:
    where.check_keys(raw, list(_MODEL), "models", n)
    assert isinstance(raw, dict)
    values = {key: where.value(raw, key, "models", n) for key in raw}
    label = values.get("name") or values.get("model") or f"model {n + 1}"

    def wrong(message: str, key: str = "") -> ConfigError:
        return where.error(f"{label}: {message}", key, "models", n)

    if "model" not in values:
        raise wrong('needs model = "PROVIDER/NAME"')
    try:
        spec = ModelSpec.parse(values["model"])
        is_demo = installed().provider(spec.provider).demo
        if "serve" in values:
            check_command(values["serve"], "serve")
    except BenchError as error:
        raise wrong(str(error), "serve" if "serve" in str(error) else "model") from None
    if "serve" in values and (is_demo or "base_url" in values):
        other = "base_url" if "base_url" in values else f"model {spec}"
        raise wrong(f"serve starts a server of its own; {other} is elsewhere", "serve")
    if "serve" not in values and (vain := next((k for k in _SERVED if k in values), None)):
        raise wrong(f"{vain} is about a server that is started: give serve too", vain)
    path = values.get("path")
    if path and is_on_disk(folder := where.path.parent / path):
        values.setdefault("name", folder.name)
        path = str(folder)
    return SweepModel(
        values["model"], values.get("name", values["model"]), where.line("", "models", n),
        path=path,
        **_rest(values),
    )  # fmt: skip


def _rest(values: Mapping[str, Any]) -> dict[str, Any]:
    names = ("base_url", "api_key_env", "serve", "health", "port")
    needs = Needs(values.get("gpus", 0.0), values.get("memory_gb", 0.0))
    return {
        **{name: values[name] for name in names if name in values},
        "ready_s": values.get("ready", READY_S),
        "needs": needs,
    }


def _read_watch(raw: object, where: _FileText) -> WatchRules:
    where.check_keys(raw, _WATCH, "watch")
    assert isinstance(raw, dict)
    values = {key: where.value(raw, key, "watch") for key in raw}
    for key in ("model", "serve"):
        if key not in values:
            raise where.error(f"[watch] needs {key}, for each new checkpoint", "", "watch")
    try:
        check_command(values["serve"], "serve")
        is_demo = installed().provider(ModelSpec.parse(values["model"]).provider).demo
    except BenchError as error:
        raise where.error(f"[watch] {error}", "serve", "watch") from None
    if is_demo:
        raise where.error("[watch] model is a demo model: no server has it", "model", "watch")
    model = SweepModel(values["model"], "", where.line("", "watch"), **_rest(values))
    return WatchRules(
        model, values.get("pattern", "*"), values.get("settle", SETTLE_S), values.get("done")
    )


def _read_run(raw: object, where: _FileText) -> Mapping[str, Any]:
    if isinstance(raw, dict):
        for name in raw:
            if name in _OF_SWEEP:
                message = "is said of each model, or with the command"
                raise where.error(f"[run] {name} {message}", name, "run")
            if name in _OF_COMMAND:
                raise where.error(f"[run] {name} is not for a sweep's file", name, "run")
            if name not in _SETTINGS:
                hint = nearest(name, _SETTINGS) or "; a benchmark's own go under [options.NAME]"
                raise where.error(f"[run] has no setting {name!r}{hint}", name, "run")
        refuse_outside(f"{where.path}: [run] ", raw, where.path)
        return raw
    raise where.error("run must be a table: [run]", "run")


def _read_options(
    raw: object, benchmarks: Sequence[str], where: _FileText
) -> Mapping[str, Mapping[str, Any]]:
    where.check_keys(raw, benchmarks, "options")
    assert isinstance(raw, dict)
    for name, table in raw.items():
        if not isinstance(table, dict):
            raise where.error(f"write [options.{name}] and its options", name, "options")
        refuse_outside(f"{where.path}: [options.{name}] ", table, where.path)
    return raw


def _read_machine(raw: object, where: _FileText) -> Needs:
    where.check_keys(raw, Needs._fields, "machine")
    assert isinstance(raw, dict)
    return Needs(**{key: where.value(raw, key, "machine") for key in raw})


def unfit(model: SweepModel, machine: Needs | None, sweep: Path) -> Iterator[ConfigError]:
    """Why a model cannot be served on this machine, or, without one, on a node of a cluster."""
    where = f"{sweep}: line {model.line}: {model.name}"
    if machine is None and model.serve and model.api_key_env:
        message = "api_key_env would send its key to a node, not encrypted"
        yield ConfigError(f"{where}: {message}; leave it out, or use --on local")
    for what, needs, has in zip(Needs._fields, model.needs, machine or model.needs, strict=True):
        if needs > has:
            yield ConfigError(f"{where} needs {needs:g} {what}, and there are {has:g}")
