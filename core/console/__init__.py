"""What people see in a terminal: tables of results, and a run's progress.

Its modules bring rich, so each is imported when it is first used.
"""

from typing import TYPE_CHECKING

from ..hooks.on_demand import submodules

if TYPE_CHECKING:
    from . import differences as differences
    from . import fitted as fitted
    from . import live as live
    from . import output as output
    from . import screen as screen
    from . import short as short
    from . import sweep_table as sweep_table
    from . import tables as tables
    from . import transcripts as transcripts

__getattr__ = submodules(__name__)
