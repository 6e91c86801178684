"""SVG elements. Every text is escaped, and what would hide or reorder text is made visible."""

from markupsafe import Markup, escape

from ...text import harmless


def tag(name: str, *inside: object, **attributes: object) -> Markup:
    """An element; attributes that are ``None`` are left out, ``class_`` is ``class``."""
    named = ((k.rstrip("_").replace("_", "-"), v) for k, v in attributes.items() if v is not None)
    opened = "".join([f' {key}="{safe(value)}"' for key, value in named])
    # Joined as plain strings, every one of them safe: to format markup takes ten times as long.
    return Markup(f"<{name}{opened}>{''.join(map(safe, inside))}</{name}>")


MOST = 8_000
"""Characters of a text that a page shows: a megabyte without a blank takes a minute to lay out."""


def safe(value: object) -> Markup:
    """Text as markup, with controls and marks shown, cut where it is too long; markup as it is."""
    if isinstance(value, Markup):
        return value
    text = harmless(str(value))
    return escape(text if len(text) <= MOST else f"{text[:MOST]}… ({len(text):,} characters)")


def percent(share: float) -> str:
    """A place along a drawing."""
    return f"{share:.3f}%"


def drawing(*inside: object, height: int, label: str | None = None, class_: str = "") -> Markup:
    """A drawing as wide as its place on the page; without a label it only repeats a text."""
    named = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag("svg", *inside, class_=class_ or None, width="100%", height=height, **named)
