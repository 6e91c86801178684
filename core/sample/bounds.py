"""How many calls a sample may make: a plugin's loop that does not end must not cost without end."""

from collections import Counter
from collections.abc import Mapping

from ..benchmark import Benchmark
from ..benchmark.model import is_generating
from ..guard import PluginCall
from .progress import COMPARE, TRIAL

FREE = 10
"""Calls that every method may make for a sample, whatever is planned."""
SLACK = 3
"""How many times the planned calls a sample may make."""
ATTEMPTS = 3
"""How often a question is asked at most where a benchmark asks again and does not say how often."""


def method_of(phase: str) -> str:
    """The method of a benchmark that makes the calls of a phase."""
    return "generate" if is_generating(phase) else "compare" if phase == COMPARE else "grade"


class CallBound:
    """Counts the calls of one sample, and refuses those beyond its bound.

    The bound of a method is the larger of `FREE` and `SLACK` times the planned calls times the
    most attempts of each. Calls that are answered from the journal count too, so that a run that
    was stopped meets the same bound.

    Args:
        benchmark: Whose sample it is.
        item_id: Of the sample's item.
        planned: Calls of the sample by phase, when nothing is asked again.
    """

    def __init__(self, benchmark: Benchmark, item_id: str, planned: Mapping[str, int]) -> None:
        self._benchmark, self._item_id = benchmark, item_id
        self._planned = Counter[str]()
        for phase, calls in planned.items():
            self._planned[method_of(phase)] += calls
        again = ATTEMPTS if benchmark.asks_again else 1
        self._attempts = max(benchmark.most_attempts, again)
        self._counts = Counter[tuple[str, object]]()
        self._over: dict[str, str] = {}

    @property
    def is_over(self) -> bool:
        """Whether a call was refused."""
        return bool(self._over)

    def limit(self, method: str) -> int:
        """The most calls that a method may make, with each judge its own."""
        return max(FREE, SLACK * max(1, self._planned[method]) * self._attempts)

    def count(self, phase: str, asked: object) -> None:
        """Count a call; each judge that is `asked` has a bound of its own.

        Raises:
            PluginError: It is beyond the bound.
        """
        if phase == TRIAL:
            return
        method = method_of(phase)
        key = (method, "" if method == "generate" else asked)
        self._counts[key] += 1
        if self._counts[key] > self.limit(method):
            self._over[method] = (
                f"asked more than {self.limit(method)} times for item {self._item_id!r} (planned: "
                f"{self._planned[method]}): it has no end, or planned_calls says too little"
            )
        self.check(method)

    def check(self, method: str) -> None:
        """Refuse again (`PluginError`) where the plugin caught the refusal of a method's call."""
        if message := self._over.get(method):
            PluginCall(self._benchmark, method).refuse(message)
