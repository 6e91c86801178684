"""Which comparisons to buy next: pure, and the same for the same knowledge.

Its modules bring numpy, so each is imported when it is first used.
"""

from typing import TYPE_CHECKING

from ..hooks.on_demand import submodules

if TYPE_CHECKING:
    from . import goals as goals
    from . import matchmaker as matchmaker

__getattr__ = submodules(__name__)
