"""Plugins: found, asked for what they add, looked at, and named where they are broken.

Plugins come from the entry-point group ``eibench``, ours like everyone's.
"""

from .loading import Catalogue, Plugin, installed
from .registry import BrokenPlugin, Registry

__all__ = ["BrokenPlugin", "Catalogue", "Plugin", "Registry", "installed"]
