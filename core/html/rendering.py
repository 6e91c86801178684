"""Pages that share one style sheet and one script, which stand in the site's `assets`."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import Environment

from .. import __version__
from .charts.heat import shades
from .environment import asset, environment, safe_or_empty
from .shapes import FilePart
from .words import signed

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


class Page(NamedTuple):
    """A page that is still to be written.

    Attributes:
        template: Its file.
        path: Where it stands, from the site's folder; links from it go up from there.
        context: What it shows.
    """

    template: str
    path: str
    context: Mapping[str, Any]


def page_of(template: str, path: str, **context: Any) -> Page:
    """A page that shows these values."""
    return Page(template, path, context)


@lru_cache(maxsize=1)
def _environment(masked: Callable[[Any], Any]) -> Environment:
    made = environment()
    made.finalize = lambda value: safe_or_empty(masked(value))
    made.filters["signed"] = signed
    return made


def as_it_is(value: Any) -> Any:
    """The value: nothing is masked."""
    return value


def rendered(page: Page, masked: Callable[[Any], Any] = as_it_is) -> FilePart:
    """A page of a site.

    Args:
        page: Which.
        masked: What each text that it shows is replaced with before it is set.
    """
    root = "../" * page.path.count("/")
    found = _environment(masked).get_template(page.template)
    text = found.render(root=root, policy=POLICY, version=__version__, **page.context)
    return FilePart(page.path, text.encode())


SCRIPTS = ("data.js", "draw.js", "board.js", "compare.js")
"""The parts of the site's script, which share their names; the pages' own goes before them."""


def assets() -> list[FilePart]:
    """The style sheet and the script."""
    style = asset("page.css") + asset("site.css") + shades()
    parts = "".join(map(asset, SCRIPTS))
    script = f"{asset('page.js')}(() => {{\n{parts}}})();\n"
    return [
        FilePart("assets/site.css", style.encode()),
        FilePart("assets/site.js", without_blanks(script).encode()),
    ]


_LITERAL = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|/(?![ /*])(?:\[(?:[^\]\\]|\\.)*\]|[^/\\\n\[]|\\.)+/'
)
_LINES = re.compile(r"^(?:[ \t]*//.*\n|[ \t\n]+)", re.MULTILINE)
_BLANKS = re.compile(r" *([=<>!&|?:+*/%,;{}()\[\]-]+) *(?:(?<=[;{,(\[])\n)?")


def without_blanks(script: str) -> str:
    """A script without comments and the blanks that only its writers need.

    Texts, templates and patterns stay as they are. A division has a blank after its stroke, a
    comment its own line, and a template no other template within.
    """
    script, found, at = _LINES.sub("", script), list[str](), 0
    for literal in _LITERAL.finditer(script):
        found += [_BLANKS.sub(r"\1", script[at : literal.start()]), literal[0]]
        at = literal.end()
    return "".join([*found, _BLANKS.sub(r"\1", script[at:])])
