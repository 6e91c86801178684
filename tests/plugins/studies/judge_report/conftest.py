"""Comparisons by hand, as for the tests of audits."""

from tests.core.ratings.auditing.conftest import Table, table

__all__ = ["Table", "table"]
