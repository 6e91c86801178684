"""Plugins: found, asked for what they add, looked at, and named where they are broken.

Plugins come from the entry-point group ``eibench``, ours like everyone's.
"""

from .catalogue import Catalogue as Catalogue
from .catalogue import installed as installed
from .loading import Plugin as Plugin
from .registry import BrokenPlugin as BrokenPlugin
from .registry import Registry as Registry
from .stored import benchmark_of as benchmark_of
from .stored import catalogue_of as catalogue_of
