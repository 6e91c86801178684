"""A site of all boards: a folder of pages that work from `file://` (docs/pages.md)."""

from .build import Built as Built
from .build import build_site as build_site
from .gather import gather as gather
