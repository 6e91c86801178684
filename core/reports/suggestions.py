"""Commands that a message tells a person to type: whole, and quoted for the shell.

What stands in capitals is for the person to fill in.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

from ..benchmark import Benchmark
from ..benchmark.options import option_words
from ..guard import guard
from ..parties.graders import Judge, Panel
from ..parties.party import LOCAL, Party
from ..parties.party_settings import NO_SYSTEM, settings_in
from ..settings.players import groups_of
from ..settings.rules import comparing_words
from ..types import SAMPLING, JsonObject, Sampling, canonical
from ..types.result_document import ResultDocument

run_options: ContextVar[tuple[str, ...]] = ContextVar("run_options", default=())
"""The ``--runs-dir`` and ``--config`` of the command under way, which its hints need too."""

typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
"""The words of the command under way, after `bench`."""


def with_run(word: str, run_id: str) -> str:
    """The command under way with a run's id in place of a word, or at its end; in Python the id.

    Of a word that stands there twice the last is meant: the first is a benchmark.
    """
    words = list(typed.get())
    if not words:  # in Python
        return run_id
    if word in words[1:]:
        words[-1 - words[::-1].index(word)] = run_id
    else:
        words.append(run_id)
    return shlex.join(["bench", *words])


def with_options(*words: str, without: Mapping[str, bool] = {}) -> str:
    """The command under way with options in place of its own; they alone where there is none.

    It has none of those `without` which it shall be, by their names: whether they take a value.
    """
    command = {
        _bare(w): not n.startswith("--") for w, n in pairwise([*words, "--"]) if w[:2] == "--"
    } | dict(without)
    names = iter(typed.get())
    kept = [word for word in names if not _is_option(word, command, names)]
    return shlex.join([*(["bench"] if kept else []), *kept, *words])


def _bare(word: str) -> str:
    """An option's name, of a switch the same whether it is on or off."""
    return word.partition("=")[0].removeprefix("--").removeprefix("no-")


def _is_option(word: str, names: Mapping[str, bool], rest: Iterator[str]) -> bool:
    """Whether a word is one of these options; one that has a value takes it from the rest."""
    if not word.startswith("--") or _bare(word) not in names:
        return False
    if names[_bare(word)] and "=" not in word:
        next(rest, None)
    return True


def bench(*words: object, demo: bool | None = False) -> str:
    """A `bench` command, in words not yet quoted, about the same runs with the same settings.

    One about all runs is about demo runs if `demo`.
    """
    return shlex.join(["bench", *map(str, words), *["--demo"] * bool(demo), *run_options.get()])


def pack_of(document: ResultDocument, path: str | None) -> str:
    """What ``--dataset`` takes for a result's pack, as it was given or by its name."""
    name = document["dataset"]["name"]
    return path or (name if name in ("bundled", "official") else "PATH")


URL = "URL"
"""Stands for an address that is not told: without it the command would ask the provider itself."""


def url_of(party: Party, known: Mapping[Party, str] | None = {}) -> str | None:
    """What an option takes for where a party is; ``None`` for the provider's own host.

    That is its address where it is `known`, else its name in bench.toml, or the address that a
    server usually has on its host. ``URL`` where neither helps, or `known` is ``None``.
    """
    endpoint = party.endpoint
    if endpoint is None or known is None:
        return endpoint and URL
    if party in known or endpoint == LOCAL or "," in endpoint:
        return known.get(party, URL)
    return f"https://{endpoint}/v1" if "." in endpoint or ":" in endpoint else endpoint


def judge_words(judge: Judge | None, known: Mapping[Party, str] | None = {}) -> list[str]:
    """The options that name a judge, or each of a panel and its rule; addresses as `url_of` has."""
    judges = judge.judges if judge else ()
    urls = [url_of(one, known) for one in judges]
    words = [word for one in judges for word in ("--judge", str(one.spec))]
    for one in judges:
        of = f"{one.spec}:" if len(judges) > 1 else ""
        for text in settings_in(one.settings).texts:
            words += ["--judge-set", f"{of}{text}"]
    if len({(url, one.endpoint) for url, one in zip(urls, judges, strict=True)}) == 1:
        words += ["--judge-base-url", urls[0]] if urls[0] else []
    else:
        pairs = [f"{one.spec}={url}" for one, url in zip(judges, urls, strict=True) if url]
        words += [word for text in pairs for word in ("--judge-base-url", text)]
    return [*words, "--panel", judge.rule] if isinstance(judge, Panel) else words


def another_run(
    document: ResultDocument,
    benchmark: Benchmark,
    settings: Mapping[str, Any],
    *,
    dataset: str | None,
    judge: list[str],
    known: Mapping[Party, str] | None = {},
    model: str = "SPEC",
) -> str:
    """The command that asks another model what a result's model was asked.

    `dataset` is the pack's name or path, ``None`` for the usual one; `judge` the options that name
    it; addresses of those who play roles are as `url_of` has them.
    """
    players = _players(document, benchmark, model, known)
    words = ["run", benchmark.name, "--model", model, *judge, *players]
    words += ["--dataset", dataset] if dataset else []
    if document["iterations"] != benchmark.iterations:
        words += ["--iterations", str(document["iterations"])]
    words += _changed_options(document["options"], benchmark)
    if not guard(benchmark).compares(document["options"]):
        words += comparing_words(benchmark) or []
    words += _of_roles(settings.get("roles", {}), benchmark)
    if "imported" not in settings:
        usual = guard(benchmark).sampling_for(document["options"])
        for name, text in _changes(settings.get("sampling", {}), usual):
            words += [f"--{name.replace('_', '-')}", text]
    if system := settings.get("system"):
        words += ["--system", system]
    return bench(*words)


def _players(
    document: ResultDocument, benchmark: Benchmark, model: str, known: Mapping[Party, str] | None
) -> Iterator[str]:
    """The options that name who plays roles; a demo player is none for a real model."""
    players = {n: (p["model"], p["endpoint"]) for n, p in document.get("roles", {}).items()}
    for group, members in groups_of(benchmark).items():
        if len({players.get(member) for member in members}) == 1 and members[0] in players:
            players = {group if n == members[0] else n: p for n, p in players.items()}
            players = {n: p for n, p in players.items() if n not in members}
    for role, (player, endpoint) in players.items():
        stays = not player.startswith("demo/") or model == "SPEC"
        yield from ("--role", f"{role}={player if stays else model}")
        if url := url_of(Party.of(player, endpoint), known):
            yield from ("--role-base-url", f"{role}={url}")


def _changed_options(options: JsonObject, benchmark: Benchmark) -> Iterator[str]:
    """The benchmark's own options, where they are not as usual."""
    for option in benchmark.options:
        value = options.get(option.name, option.default)
        if value != option.default:
            yield from option_words(option.name, value)


def _of_roles(roles: Mapping[str, Any], benchmark: Benchmark) -> Iterator[str]:
    """What was set of roles."""
    for role in benchmark.roles:
        stored = roles.get(role.name, {})
        drawn = _changes(stored["sampling"], role.sampling) if "sampling" in stored else ()
        sets = [f"{role.name}:{name}={text}" for name, text in drawn]
        sets += [f"{role.name}:system=off"] * bool(stored.get(NO_SYSTEM))
        yield from (word for text in sets for word in ("--role-set", text))


def _changes(sent: JsonObject, meant: Sampling) -> Iterator[tuple[str, str]]:
    """The sampling parameters that were given, each with its value as an option has it."""
    usual = meant.sent()
    for name, value in {**dict.fromkeys(usual), **sent}.items():
        if value != usual.get(name) and name in SAMPLING:
            text = canonical(value) if isinstance(value, Mapping) else str(value)
            yield name, SAMPLING[name].unset if value is None else text
