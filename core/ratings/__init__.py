"""Ratings from comparisons: containers, engines, intervals. Importing this imports no numpy.

`reading` makes `Comparisons` of a file, an engine makes `Ratings` of them. The engines that
come with eibench are in `glicko2`, `fractional_logit`, `sequential` and `trueskill`;
`plugin` registers them. docs/ratings.md has the definitions.
"""

from typing import TYPE_CHECKING, Protocol

from ..hooks.on_demand import submodules

if TYPE_CHECKING:
    from . import columns as columns
    from . import comparisons as comparisons
    from . import reading as reading
    from . import result as result
    from .comparisons import Comparisons
    from .result import Ratings
    from .settings import RatingSettings

__getattr__ = submodules(__name__)


class RatingEngine(Protocol):
    """What `register_rating_engines` takes.

    Attributes:
        name: What people type, such as ``glicko2``.
        title: One line for `bench list`.

    It may also have `cite`, what `bench cite` prints for it: BibTeX, or the path of a file of it.
    And `version` ("1" if it has none): raise it whenever a number can change, so that
    `bench rescore --all` finds the ratings of before. And `order_matters` and `names_matter`:
    whether the order of the comparisons, or the names of models, can change a number. `bench list`
    tells those that are true.
    """

    name: str
    title: str

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """The ratings of all models that were compared.

        A pure function: the same for any order of the lines (unless `order_matters`), and when the
        two models of a comparison change places with its margins.

        Args:
            comparisons: Of one judge, in their canonical order.
            settings: What the user or the pack wishes; an engine may ignore what it has no
                use for.

        Raises:
            UsageError: This engine cannot rate such comparisons; the message says which can.
        """
        ...
