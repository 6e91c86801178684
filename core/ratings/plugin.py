"""The rating engines that come with eibench, registered through the same hook as anyone's."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..hooks.specs import hookimpl

# Each engine's module imports numpy, and every command loads this one: so they wait.
if TYPE_CHECKING:
    from . import RatingEngine
    from .comparisons import Comparisons
    from .result import Ratings
    from .settings import RatingSettings

    _Rate = Callable[[Comparisons, RatingSettings], Ratings]


@dataclass
class _Engine:
    """An engine whose module of this package has a function `rate`."""

    name: str
    title: str
    module: str
    version: str
    cited: str
    order_matters: bool = False
    names_matter: bool = False

    @property
    def cite(self) -> Path:
        """Where the works are described that it computes after."""
        return Path(__file__).parent / "cited" / f"{self.cited}.bib"

    def rate(self, comparisons: "Comparisons", settings: "RatingSettings") -> "Ratings":
        """See the module's `rate`."""
        rate: _Rate = import_module(f".{self.module}", __package__).rate
        return rate(comparisons, settings)


_ENGINES = (
    _Engine(
        "glicko2",
        "one Glicko-2 period at its fixed point; place in it, length beside it (default)",
        "glicko2",
        version="3",
        cited="glicko2",
    ),
    _Engine(
        "fractional-logit",
        "likelihood per call, with terms for position and length",
        "fractional_logit",
        version="3",
        cited="fractional_logit",
    ),
    _Engine(
        "glicko2-sequential",
        "PyPI's glicko2, game after game as they came",
        "sequential",
        version="2",
        cited="glicko2",
        order_matters=True,
    ),
    _Engine(
        "trueskill",
        "the scheme of the published code; its intervals are too narrow",
        "trueskill",
        version="4",
        cited="trueskill",
        names_matter=True,
    ),
)


@hookimpl
def register_rating_engines(register: "Callable[[RatingEngine], None]") -> None:
    """The built-in engines."""
    for engine in _ENGINES:
        register(engine)
