"""Drawings of plugins: SVG of which nothing but shapes and texts is let through.

What is not on the lists is refused, not left out: no script, style, link, image, animation or
foreign content, no event, ``id``, ``class``, ``style`` or reference, no entity or comment. The
text that is shown is written anew from what was read.
"""

import re
from collections.abc import Mapping
from xml.parsers import expat

from ...text import harmless

_SVG = "http://www.w3.org/2000/svg "
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
    """One ``<svg>`` element as markup that is safe to put into a page.

    The title is for those who cannot see it. `UnfitDrawing` says what is broken or not allowed.
    """
    if len(svg) > MOST:
        raise UnfitDrawing(f"it has {len(svg):,} characters, over {MOST:,}")
    if markup := _MARKUP.search(svg):
        raise UnfitDrawing(f"it has {svg[markup.start() :][:9]!r}; write elements and texts alone")
    writer = _Copyist(title)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.text
    try:
        parser.Parse(svg, True)
    except (expat.ExpatError, ValueError) as error:
        if isinstance(error, UnfitDrawing):
            raise
        raise UnfitDrawing(f"it is no XML: {error}") from None
    return "".join(writer.parts)


class _Copyist:
    """Writes elements and texts anew as they are read, and refuses what is not allowed."""

    def __init__(self, title: str) -> None:
        self.parts: list[str] = []
        self._title, self._deep = title, 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        name = name.removeprefix(_SVG)
        if not self.parts and (name != "svg" or not attributes.get("viewBox")):
            raise UnfitDrawing("it is no <svg> with a viewBox")
        if name not in _ELEMENTS:
            raise UnfitDrawing(f"<{name}> is not allowed")
        if self._deep > _DEEPEST:
            raise UnfitDrawing(f"its elements are more than {_DEEPEST} deep")
        for key, value in attributes.items():
            if key not in _ATTRIBUTES:
                raise UnfitDrawing(f"the attribute {key!r} of <{name}> is not allowed")
            if not _VALUE.fullmatch(value) or "url" in value.lower():
                raise UnfitDrawing(f"{key}={value[:40]!r} of <{name}> is not allowed")
        label = "" if self.parts else f' role="img" aria-label="{_escaped(self._title)}"'
        written = "".join(f' {key}="{_escaped(value)}"' for key, value in attributes.items())
        self.parts.append(f"<{name}{written}{label}>")
        self._deep += 1

    def end(self, name: str) -> None:
        """An element ends."""
        self.parts.append(f"</{name.removeprefix(_SVG)}>")
        self._deep -= 1

    def text(self, text: str) -> None:
        """A text, or a part of one."""
        self.parts.append(_escaped(text))


_MARKS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def _escaped(text: str) -> str:
    return harmless(text).translate(_MARKS)
