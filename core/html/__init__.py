"""Pages that people look at: the site of all boards, and reports in one file (docs/pages.md)."""

from .build import Built as Built
from .build import build_site as build_site
from .gather import gather as gather
from .inputs import RunInput as RunInput
from .report import render_report as render_report
