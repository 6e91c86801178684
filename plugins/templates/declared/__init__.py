"""my-bench: the benchmark that benchmark.toml declares."""

from pathlib import Path

from eibench.declared import Declared


class MyBench(Declared):
    """Override a method, such as `grade`, where TOML does not say enough."""

    def __init__(self) -> None:
        super().__init__(Path(__file__).with_name("benchmark.toml"))
