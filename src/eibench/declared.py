"""Benchmarks declared in TOML, and the way out of TOML into Python: a class to derive from.

`SCHEMA` is the file with the JSON schema for editors, `json_schema` what it holds.
"""

from eibench.plugins.declared.benchmark import Declared
from eibench.plugins.declared.schema import SCHEMA, json_schema

__all__ = ["SCHEMA", "Declared", "json_schema"]
