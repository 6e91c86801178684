"""The documentation names every hook and every option, and its links lead somewhere."""

import importlib.util
import inspect
import re
from collections import Counter
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

import click
import pytest

import eibench
from eibench import ChatResponse, ErrorKind, Finish, Option, SampleScore
from eibench.core.cli.app import BenchGroup, app
from eibench.core.cli.run import run_command
from eibench.core.cli.settings import as_click_option, filed_options
from eibench.core.hooks import specs
from eibench.core.hooks.names import COMMANDS, OF_OUR_PLUGINS
from eibench.core.plugins import Catalogue, installed
from eibench.core.types import ANTHROPIC, OPENAI, unknown_to

DOCS = Path(eibench.__file__).resolve().parents[2] / "docs"
PAGES = [*sorted(DOCS.parent.glob("*.md")), *sorted(DOCS.glob("*.md"))]
HOOKS = [name for name in vars(specs) if name.startswith("register_")]


def page(name: str) -> str:
    """A page of the documentation."""
    return (DOCS / name).read_text(encoding="utf-8")


def section(command: str) -> str:
    """What docs/commands.md says about one command."""
    found = re.search(rf"^## bench {command}\b.*?(?=^## |\Z)", page("commands.md"), re.M | re.S)
    assert found, f"docs/commands.md has no section on bench {command}"
    return found[0]


def test_each_hook_has_a_registry() -> None:
    """The hooks that are specified are those that plugins are asked for."""
    assert list(Catalogue().registries) == HOOKS


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_is_documented(hook: str) -> None:
    """docs/plugins.md has it with its exact signature."""
    signature = str(inspect.signature(getattr(specs, hook))).replace("'", '"')
    assert f"def {hook}{signature}" in page("plugins.md")


def test_the_page_of_commands_is_what_the_help_says_today() -> None:
    """If it is not, `python docs/commands.py` writes it anew."""
    found = importlib.util.spec_from_file_location("commands", DOCS / "commands.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert page("commands.md") == module.page(), "run `python docs/commands.py`"
    settings = page("configuration.md")
    assert settings == module.with_settings(settings), "run `python docs/commands.py`"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_to_pages_and_headings_that_there_are(path: Path) -> None:
    """Of each page, to files of the repository and to headings of other pages."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    broken = []
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        to = (path.parent / name).resolve() if name else path
        if not to.exists() or (anchor and anchor not in anchors(to)):
            broken.append(target)
    assert not broken


def test_pages_that_the_program_names_are_there() -> None:
    """In its messages, its help and its docstrings: ``docs/PAGE.md``, also with a heading."""
    broken = []
    for folder in ("core", "judges", "plugins", "src/eibench", "benchmarks"):
        for path in (DOCS.parent / folder).rglob("*.py"):
            found = re.findall(r"docs/([\w-]+\.md)(?:#([\w-]+))?", path.read_text(encoding="utf-8"))
            for name, anchor in found:
                to = DOCS / name
                if not to.exists() or (anchor and anchor not in anchors(to)):
                    broken.append(f"{path}: {name}#{anchor}")
    assert not broken


def anchors(path: Path) -> set[str]:
    """What a link to a page may end in: its headings as GitHub names them, and marked places."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    plain = (re.sub(r"[^\w\- ]", "", h.lower()) for h in re.findall(r"^#+ (.*)$", text, re.M))
    named: Counter[str] = Counter()
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for name in (heading.strip().replace(" ", "-") for heading in plain):
        found.add(f"{name}-{named[name]}" if named[name] else name)
        named[name] += 1
    return found


@pytest.mark.parametrize("command", [*COMMANDS, *OF_OUR_PLUGINS])
def test_each_option_is_documented(command: str) -> None:
    """docs/commands.md has each option in its command's section."""
    assert isinstance(app, BenchGroup)
    found = app.get_command(click.Context(app), command)
    assert found is not None
    params = found.params if command == "run" else found.get_params(click.Context(found))[:-1]
    for param in params:
        if isinstance(param, click.Option) and not param.hidden:
            longest = max(param.opts, key=len)
            assert re.search(rf"`{longest}\b(?!-)", section(command)), longest


@pytest.mark.parametrize("benchmark", [b.name for b in installed().benchmarks])
def test_each_benchmark_s_own_options_are_documented(benchmark: str) -> None:
    """docs/commands.md has them."""
    for own in installed().benchmark(benchmark).options:
        param = as_click_option(own)
        for name in (*param.opts, *param.secondary_opts):
            assert f"`{name}" in page("commands.md"), name


@pytest.mark.parametrize("command", [*COMMANDS, *OF_OUR_PLUGINS])
def test_each_command_has_a_section(command: str) -> None:
    """Also those without options."""
    assert section(command)


@pytest.mark.parametrize("kind", [ErrorKind, Finish])
def test_each_kind_that_a_plugin_says_is_documented(kind: type[StrEnum]) -> None:
    """docs/plugins.md has each kind of error and each way in which a reply ends."""
    for member in kind:
        assert f"`{member.name}`" in page("plugins.md"), member


def test_what_plugins_are_handed_is_documented() -> None:
    """docs/plugins.md has each field of a reply and of a graded sample, and of an option."""
    for field in fields(ChatResponse):
        assert f"`{field.name}`" in page("plugins.md"), field.name
    assert f"`SampleScore({', '.join(SampleScore._fields)})`" in page("plugins.md")
    for option in fields(Option):
        assert re.search(rf"`Option\([^`]*\b{option.name}\b", page("plugins.md")), option.name
    assert "`ProviderError(kind, message)`" in page("plugins.md")


def test_what_an_api_does_not_know_is_documented() -> None:
    """The lists are those of the declared settings."""
    anthropic, openai = (
        ", ".join(f"`{name}`" for name in unknown_to(host)) for host in (ANTHROPIC, OPENAI)
    )
    assert f"| never sent | {anthropic}: the API does not know them." in page("providers.md")
    assert f"OpenAI's own host does not know {openai}: not sent there." in page("providers.md")


def test_what_a_settings_file_cannot_hold_is_documented() -> None:
    """Options of `bench run` that are no settings of the file, by name; those of roles together."""
    said = re.search(
        r"All options of `bench run` may be set.*?one command\.", page("configuration.md"), re.S
    )
    assert said
    settable = {option.name for option in filed_options(run_command)}
    rest = {p.opts[0].lstrip("-") for p in run_command.params
            if isinstance(p, click.Option) and p.name not in settable}  # fmt: skip
    rest = {name for name in rest if not name.startswith("role")}
    assert set(re.findall(r"`([a-z-]+)`", said[0])) - {"bench run"} == rest
