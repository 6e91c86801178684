"""One self-contained page: style and script within, a policy that allows nothing else."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .. import __version__
from .charts.svg import safe
from .words import figure

FOLDER = Path(__file__).parent


def environment() -> Environment:
    """Templates: values but markup are escaped and made harmless; a missing name fails."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates", encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=safe_or_empty,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    return made


_environment = cache(environment)


def safe_or_empty(value: object) -> Markup:
    """A value as markup; nothing for ``None``."""
    return Markup("") if value is None else safe(value)


def shown(cell: object) -> object:
    """A cell of a plugin's table."""
    return figure(cell) if isinstance(cell, float) else cell


def render(template: str, **context: Any) -> str:
    """A page.

    Args:
        template: Its file.
        **context: What it shows.
    """
    style, script = asset("page.css"), asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{digest_of(style)}'; script-src '{digest_of(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),
            script=Markup(script),
            policy=policy,
            version=__version__,
            **context,
        )
    )


@cache
def asset(name: str) -> str:
    """The text of a style sheet or a script."""
    return (FOLDER / "assets" / name).read_text(encoding="utf-8")


def digest_of(text: str) -> str:
    """How a content security policy names a text that may be used."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
