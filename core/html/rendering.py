"""Pages: of a site, which share a style sheet and a script, or several in one file."""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .. import __version__
from ..reports.ending import dollars
from ..reports.ratings import ranks
from .charts.rows import shades
from .charts.svg import figure, safe, signed
from .shapes import FilePart
from .slugs import Address

FOLDER = Path(__file__).parent
POLICY = "default-src 'none'; style-src {}; script-src {}; {}base-uri 'none'; form-action 'none'"
"""The content security policy of a page, for its style, its script and other sources."""
_IMAGES = "img-src 'self'; "
_SOURCES = {"items.html": "worker-src blob:; "}
"""What pages of a template use beside: patterns are looked for where that can be stopped."""


class Page(NamedTuple):
    """A page that is still to be written: its template, its path in the site, and what it shows."""

    template: str
    path: str
    context: Mapping[str, Any]


def page_of(template: str, path: str, **context: object) -> Page:
    """A page that shows these values."""
    return Page(template, path, context)


def as_it_is(value: object) -> Any:
    """The value: nothing is masked."""
    return value


def rendered(
    page: Page, masked: Callable[[Any], Any] = as_it_is, *, demo: bool = False
) -> FilePart:
    """A page of a site; each text that it shows is masked before it is set.

    One of a site of demo runs says so.
    """
    root = "../" * page.path.count("/")
    around = {
        "layout": "base.html",
        "root": root,
        "at": lambda path: Address(root + path),
        "policy": POLICY.format("'self'", "'self'", _SOURCES.get(page.template, "") + _IMAGES),
        "alone": None,
        "demo": demo,
    }
    return FilePart(page.path, _set(page.template, masked, **around, **page.context).encode())


class Head(NamedTuple):
    """What stands above a file: the name above its title, and what is to be known of it."""

    kicker: str
    title: str
    demo: bool
    chips: Sequence[str]


def in_one_file(pages: Sequence[Page], head: Head, masked: Callable[[Any], Any] = as_it_is) -> str:
    """Pages of a site as one, with style and script within; the first is for the result.

    Links between them stay within the file; of others the words are left.
    """
    ids = {page.path: f"page-{n}" for n, page in enumerate(pages, 1)}

    def at(path: str) -> Address:
        page, _, anchor = path.partition("#")
        return Address(f"#{anchor or ids[page]}" if page in ids else "")

    within, script = Markup(style()), Markup(asset("page.js"))
    around = {
        "root": "",
        "at": at,
        "alone": {"style": within, "script": script, "kicker": head.kicker},
        "policy": POLICY.format(f"'{digest_of(within)}'", f"'{digest_of(script)}'", ""),
    }
    parts = [
        Markup(_set(page.template, masked, layout="part.html", id=ids[page.path],
                    **around, **page.context))
        for page in pages
    ]  # fmt: skip
    return _set("report.html", masked, layout="base.html", parts=parts, **around, **head._asdict())


def _set(template: str, masked: Callable[[Any], Any], **context: object) -> str:
    context |= {"version": __version__, "whisker": glossary()["whisker"]}
    return _environment(masked).get_template(template).render(context)


@cache
def glossary() -> dict[str, str]:
    """What words and drawings mean; docs/pages.md has the same."""
    text = " ".join((FOLDER / "glossary.md").read_text(encoding="utf-8").split())
    return dict(term.split("**: ") for term in text.removeprefix("- **").split(" - **"))


@lru_cache(maxsize=1)
def _environment(masked: Callable[[Any], Any]) -> Environment:
    """Templates: values but markup are masked, escaped and made harmless; a missing name fails."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates", encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: Markup("") if value is None else safe(masked(value)),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": _shown, "figure": figure, "signed": signed, "ranks": ranks, "dollars": dollars,
    }  # fmt: skip
    return environment


def _shown(cell: object) -> object:
    """A cell of a plugin's table."""
    return figure(cell) if isinstance(cell, float) else cell


@cache
def asset(name: str) -> str:
    """The text of a style sheet or a script."""
    return (FOLDER / "assets" / name).read_text(encoding="utf-8")


def digest_of(text: str) -> str:
    """How a content security policy names a text that may be used."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


SCRIPTS = {
    "site": ("data.js", "draw.js", "adjust.js", "board.js", "compare.js", "index.js"),
    "model": ("data.js", "draw.js", "model.js"),
    "items": ("data.js", "draw.js", "notes.js", "search.js", "items.js", "item.js"),
}
"""The parts of each script, which share their names; what all pages have goes before them."""


def style() -> str:
    """The style sheet of all pages."""
    return asset("site.css") + asset("model.css") + shades()


def assets() -> list[FilePart]:
    """The style sheet and the scripts of a site: those of some pages, and that of all others."""
    parts = [FilePart("assets/site.css", style().encode())]
    for name, files in SCRIPTS.items():
        script = f"{asset('page.js')}(() => {{\n{''.join(map(asset, files))}}})();\n"
        parts.append(FilePart(f"assets/{name}.js", without_blanks(script).encode()))
    return parts


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
    script, parts, at = _LINES.sub("", script), list[str](), 0
    for literal in _LITERAL.finditer(script):
        parts += [_BLANKS.sub(r"\1", script[at : literal.start()]), literal[0]]
        at = literal.end()
    return "".join([*parts, _BLANKS.sub(r"\1", script[at:])])
