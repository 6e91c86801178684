"""Pages that share one style sheet and one script, which stand in the site's `assets`."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader

from .. import __version__
from ..pages.rendering import asset as page_asset
from ..pages.rendering import environment
from ..pages.words import signed
from .shapes import FilePart

FOLDER = Path(__file__).parent
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


@cache
def _environment() -> Environment:
    made = environment()
    folders = [FileSystemLoader(FOLDER / "templates", encoding="utf-8"), made.loader]
    made.loader = ChoiceLoader([folder for folder in folders if folder])
    made.filters["signed"] = signed
    return made


def render_page(template: str, path: str, **context: Any) -> FilePart:
    """A page of a site.

    Args:
        template: Its file.
        path: Where it stands, from the site's folder; links from it go up from there.
        **context: What it shows.
    """
    root = "../" * path.count("/")
    found = _environment().get_template(template)
    text = found.render(root=root, policy=POLICY, version=__version__, path=path, **context)
    return FilePart(path, text.encode())


SCRIPTS = ("data.js", "draw.js", "board.js", "compare.js")
"""The parts of the site's script, which share their names; the pages' own goes before them."""


def assets() -> list[FilePart]:
    """The style sheet and the script."""
    style = page_asset("page.css") + _asset("site.css")
    parts = "".join(map(_asset, SCRIPTS))
    script = f"{page_asset('page.js')}(() => {{\n{parts}}})();\n"
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


def _asset(name: str) -> str:
    return (FOLDER / "assets" / name).read_text(encoding="utf-8")
