"""Intervals, spreads, correlations, agreement.

All but `estimate` and `few_families` bring numpy, so each module is imported when it is first used.
"""

from typing import TYPE_CHECKING

from ..hooks.on_demand import submodules

if TYPE_CHECKING:
    from . import adjusted as adjusted
    from . import agreement as agreement
    from . import bootstrap as bootstrap
    from . import differences as differences
    from . import group_means as group_means
    from . import judges as judges
    from . import kin as kin
    from . import score_order as score_order
    from . import settling as settling
    from . import shares as shares
    from . import steadiness as steadiness
    from . import votes as votes

__getattr__ = submodules(__name__)
