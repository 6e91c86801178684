"""What many results say together: correlations, reruns, agreement of judges."""

from typing import TYPE_CHECKING

from ..hooks.on_demand import submodules

if TYPE_CHECKING:
    from . import correlations as correlations
    from . import repeatability as repeatability

__getattr__ = submodules(__name__)
