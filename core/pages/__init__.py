"""Pages that people look at: charts as SVG, and self-contained HTML reports (docs/pages.md)."""

from .inputs import RunInput
from .report import render_report

__all__ = ["RunInput", "render_report"]
