"""Drawings of plugins: SVG of which nothing but shapes and texts is let through.

What is not on the lists is refused, not left out: no script, style, link, image, animation or
foreign content, no event, ``id``, ``class``, ``style`` or reference, no entity or comment. The
text that is shown is written anew from what was read.
"""

import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from ...text import harmless

_SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = "svg g path rect circle ellipse line polyline polygon text tspan title desc"
ATTRIBUTES = """
viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry dx dy d points rotate
transform fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap
stroke-linejoin stroke-dasharray stroke-dashoffset opacity vector-effect font-size font-weight
font-style text-anchor dominant-baseline textLength lengthAdjust
"""
_ELEMENTS, _ATTRIBUTES = frozenset(ELEMENTS.split()), frozenset(ATTRIBUTES.split())
_VALUE = re.compile(r"[\w\s.,#%()+-]*", re.ASCII)
_MARKUP = re.compile(r"<[!?]")
MOST = 500_000
"""Characters of a drawing."""
_DEEPEST = 30


class UnfitDrawing(ValueError):
    """Why a drawing is refused."""


def checked_svg(svg: str, title: str) -> str:
    """A drawing as markup that is safe to put into a page.

    Args:
        svg: One ``<svg>`` element.
        title: What it is called for those who cannot see it.

    Raises:
        UnfitDrawing: It is broken, or holds what is not allowed.
    """
    if len(svg) > MOST:
        raise UnfitDrawing(f"it has {len(svg):,} characters, over {MOST:,}")
    if found := _MARKUP.search(svg):
        raise UnfitDrawing(f"it has {svg[found.start() :][:9]!r}; write elements and texts alone")
    try:
        root = ElementTree.fromstring(svg)  # without <! it declares no entity
    except (ElementTree.ParseError, ValueError) as error:
        raise UnfitDrawing(f"it is no XML: {error}") from None
    if _name(root) != "svg" or not root.get("viewBox"):
        raise UnfitDrawing("it is no <svg> with a viewBox")
    return _written(root, f' role="img" aria-label={quoteattr(harmless(title))}', 0)


def _name(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(_SVG)


def _written(element: ElementTree.Element, more: str, deep: int) -> str:
    name = _name(element)
    if name not in _ELEMENTS:
        raise UnfitDrawing(f"<{name}> is not allowed")
    if deep > _DEEPEST:
        raise UnfitDrawing(f"its elements are more than {_DEEPEST} deep")
    for key, value in element.items():
        if key not in _ATTRIBUTES:
            raise UnfitDrawing(f"the attribute {key!r} of <{name}> is not allowed")
        if not _VALUE.fullmatch(value) or "url" in value.lower():
            raise UnfitDrawing(f"{key}={value[:40]!r} of <{name}> is not allowed")
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in element.items())
    inside = escape(harmless(element.text or ""))
    for child in element:
        inside += _written(child, "", deep + 1) + escape(harmless(child.tail or ""))
    return f"<{name}{attributes}{more}>{inside}</{name}>"
