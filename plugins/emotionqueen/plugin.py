"""Registers EmotionQueen, its table of the tasks and `bench statements`: imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """EmotionQueen."""
    title = "answers to short statements: recognised, and met with empathy? (Chen et al. 2024)"
    path = "eibench.plugins.emotionqueen.benchmark:EmotionQueen"
    register(OnDemand(path, "emotionqueen", title, "yes-no"))


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """More statements."""
    path = "eibench.plugins.emotionqueen.statements_command:statements_command"
    register(
        OnDemand(
            path,
            "statements",
            "Have a model write more statements for emotionqueen.",
        )
    )


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """How the tasks did."""
    tasks_table = OnDemand("eibench.plugins.emotionqueen.scoring:tasks_table")
    register(ReportSection("emotionqueen-tasks", "emotionqueen", tasks_table))
