"""Texts for people, as commands of `bench` write them."""

from eibench.core.text import (
    as_text,
    csv_cell,
    csv_text,
    in_words,
    interval,
    line,
    listed,
    number,
    plural,
)

__all__ = [
    "as_text",
    "csv_cell",
    "csv_text",
    "in_words",
    "interval",
    "line",
    "listed",
    "number",
    "plural",
]
