"""What people gave replies to a pack's items, by whichever benchmark knows it."""

from collections.abc import Sequence

from ..benchmark import Benchmark, Pack
from ..benchmark.abilities import HasHumanRatings, HumanRatedReply
from ..errors import UsageError
from ..guard import guard
from .sources import find_pack


def human_ratings(
    benchmark: Benchmark, dataset: str | None = None, pack: Pack | None = None
) -> tuple[Pack, Sequence[HumanRatedReply]]:
    """A pack and the replies to its items that people rated, at least one.

    Args:
        benchmark: One that is `HasHumanRatings`.
        dataset: As `find_pack` takes it.
        pack: The pack itself, in place of its name.

    Raises:
        DataError: The data is not there.
        PluginError: The benchmark is at fault.
        UsageError: There are no ratings.
    """
    if not isinstance(benchmark, HasHumanRatings):
        to_do = "a benchmark gives them by its method human_ratings"
        raise UsageError(f"{benchmark.name} has no ratings of replies by people; {to_do}")
    plugin, options = guard(benchmark), {one.name: one.default for one in benchmark.options}
    if pack is None:
        pack = plugin.read_pack(find_pack(benchmark, dataset, options), options)
    if not (replies := plugin.human_ratings(pack)):
        name = f"the {pack.source.name} pack of {benchmark.name}"
        raise UsageError(f"{name} has no ratings of replies by people; --dataset names another")
    return pack, replies
