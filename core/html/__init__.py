"""Pages that people look at: the site of all boards, and reports in one file (docs/pages.md)."""

from .build import Built as Built
from .build import build_site as build_site
from .gather import gather as gather
from .report import RunInput as RunInput
from .report import run_report as run_report
from .report import runs_report as runs_report
