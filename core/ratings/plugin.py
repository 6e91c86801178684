"""The rating engines that come with eibench, registered through the same hook as anyone's."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..hookspecs import hookimpl

# Each engine's module imports numpy, and every command loads this one: so they wait.
if TYPE_CHECKING:
    from . import RatingEngine
    from .comparisons import Comparisons
    from .result import Ratings
    from .settings import RatingSettings


class _Glicko2:
    name = "glicko2"
    title = "one Glicko-2 period at its fixed point; place in it, length beside it (default)"
    version = "2"
    order_matters = False
    names_matter = False

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """See `glicko2`."""
        from .glicko2 import rate

        return rate(comparisons, settings)


class _FractionalLogit:
    name = "fractional-logit"
    title = "likelihood per call, with terms for position and length"
    version = "2"
    order_matters = False
    names_matter = False

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """See `fractional_logit`."""
        from .fractional_logit import rate

        return rate(comparisons, settings)


class _Mixed:
    name = "mixed"
    title = "linear mixed model: strengths and the luck of transcripts, position and length"
    version = "2"
    order_matters = False
    names_matter = False

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """See `mixed`."""
        from .mixed import rate

        return rate(comparisons, settings)


class _Sequential:
    name = "glicko2-sequential"
    title = "PyPI's glicko2, game after game as they came"
    version = "1"
    order_matters = True
    names_matter = False

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """See `sequential`."""
        from .sequential import rate

        return rate(comparisons, settings)


class _TrueSkill:
    name = "trueskill"
    title = "the scheme of the original EQ-Bench 3; its intervals are too narrow"
    version = "2"
    order_matters = False
    names_matter = True

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """See `trueskill`."""
        from .trueskill import rate

        return rate(comparisons, settings)


@hookimpl
def register_rating_engines(register: "Callable[[RatingEngine], None]") -> None:
    """The built-in engines."""
    register(_Glicko2())
    register(_FractionalLogit())
    register(_Mixed())
    register(_Sequential())
    register(_TrueSkill())
