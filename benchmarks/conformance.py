"""How long `bench plugin check` takes for each thing that is installed, and its longest checks.

python -m benchmarks.conformance [NAME...]
"""

import os
import sys
import time

from eibench.checking import Subject, installed_subjects
from eibench.plugins.kit.conformance import results_of

from .measuring import table


def row(subject: Subject) -> list[str]:
    """Seconds by the clock and of processors, and the three checks that take most of them."""
    wall, cpu = time.perf_counter(), _cpu_s()
    results = list(results_of(subject))
    wall, cpu = time.perf_counter() - wall, _cpu_s() - cpu
    longest = sorted(results, key=lambda result: -result.seconds)[:3]
    shown = ", ".join(f"{result.id} {result.seconds:.1f}" for result in longest)
    return [subject.name, f"{wall:.1f}", f"{cpu:.1f}", shown]


def _cpu_s() -> float:
    """Of this process and of those that it began."""
    return sum(os.times()[:4])


def main() -> None:
    """Measure and print."""
    names = sys.argv[1:]
    subjects = [s for s in installed_subjects() if not names or s.name in names]
    print(table(["plugin", "wall s", "CPU s", "longest checks, s"], list(map(row, subjects))))


if __name__ == "__main__":
    main()
