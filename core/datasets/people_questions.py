"""A pack's items as people answer them, by whichever benchmark knows how."""

from collections.abc import Mapping

from ..benchmark import Benchmark, Pack
from ..benchmark.abilities import PeopleQuestion, TakenByPeople
from ..errors import UsageError
from ..guard import guard
from .sources import find_pack


def people_questions(
    benchmark: Benchmark, dataset: str | None = None
) -> tuple[Pack, Mapping[str, PeopleQuestion]]:
    """A pack, and by item what people are asked, in the order of the pack.

    Args:
        benchmark: One that is `TakenByPeople`.
        dataset: As `find_pack` takes it.

    Raises:
        DataError: The data is not there.
        PluginError: The benchmark is at fault.
        UsageError: People cannot take it.
    """
    if not isinstance(benchmark, TakenByPeople):
        to_do = "a benchmark says how by its method people_question"
        raise UsageError(f"people cannot take {benchmark.name}; {to_do}")
    plugin, options = guard(benchmark), {one.name: one.default for one in benchmark.options}
    pack = plugin.read_pack(find_pack(benchmark, dataset, options), options)
    return pack, {item.id: plugin.people_question(item) for item in pack.items}
