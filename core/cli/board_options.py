"""The options that choose a board and who stands on it, and what they choose."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import click

from .. import ratings
from ..benchmark import Benchmark
from ..compare.leaderboard import BoardChoice
from ..ratings.comparisons import Comparisons
from ..types import JsonObject
from . import options
from .completion import judge_labels
from .rating_options import protocol_options
from .stored import as_given, named_pack
from .values import pairs

_KEPT = "eibench.board"
_ALSO_OF_FILES = ("demo", "without")
"""What bench.toml may say of these is for boards too; the rest of it is for new runs."""


class GivenBoard(NamedTuple):
    """What the options of the command under way say."""

    dataset: str | None
    judge: str | None
    roles: Mapping[str, str]
    models: Collection[str]
    without: Collection[str]
    demo: bool

    def choice(self, benchmark: Benchmark, own: JsonObject) -> BoardChoice:
        """The board of a benchmark, whose own options may choose it too."""
        return {
            "dataset": self.dataset and named_pack(benchmark, self.dataset),
            "judge": self.judge,
            "mixed": self.demo,
            "without": self.without,
            "models": self.models,
            "roles": self.roles,
            "protocol": protocol_options(benchmark, own),
        }

    def part(self, given: Comparisons) -> Comparisons:
        """The comparisons of a file that are between its models."""
        return ratings.parting.part(
            given, mixed=self.demo, without=self.without, models=self.models
        )


def given_board() -> GivenBoard:
    """What the options of the command under way say.

    Raises:
        UsageError: One of ``--role`` is not of the form NAME=SPEC.
    """
    kept: dict[str, Any] = click.get_current_context().meta[_KEPT]
    roles, models = pairs(kept["roles"] or (), "--role"), kept["models"] or ()
    return GivenBoard(**{**kept, "roles": roles, "models": models})


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    name = str(param.name)
    kept = value if name in _ALSO_OF_FILES else as_given(name, value, ctx)
    ctx.meta.setdefault(_KEPT, {})[name] = kept


def board_options(command: options.F) -> options.F:
    """Which board, and who on it."""
    made = options.apply(
        command,
        click.option("--dataset", metavar="NAME|PATH|SHA",
                     help="The pack, where the journal has runs of several."),
        click.option("--judge", metavar="SPEC", shell_complete=judge_labels,
                     help="The judge, where there are several."),
        click.option("--role", "roles", multiple=True, metavar="NAME=SPEC",
                     help="Who plays a role, where runs differ in that; may be repeated."),
        options.models_option,
        options.without_option,
        options.demo_option,
    )  # fmt: skip
    for param in vars(made)["__click_params__"]:
        if param.name in GivenBoard._fields:
            param.expose_value, param.callback = False, _keep
    return made
