"""Texts for people, as commands of `bench` write them."""

from eibench.core.text import csv_text, interval, line, number, p_value, plural

__all__ = ["csv_text", "interval", "line", "number", "p_value", "plural"]
