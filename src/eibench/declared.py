"""Benchmarks declared in TOML, and the way out of TOML into Python: a class to derive from.

`SCHEMA` is the file with the JSON schema for editors, which `json_schema` makes.
"""

from eibench.plugins.declared.benchmark import Declared
from eibench.plugins.declared.keys import SCHEMA, json_schema

__all__ = ["SCHEMA", "Declared", "json_schema"]
