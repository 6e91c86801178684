"""A run's progress: one live display on a terminal, a plain line now and then elsewhere."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..benchmark.model import role_in
from ..sample.progress import COMPARE, Phase, Progress
from ..text import duration, line, plural
from .output import dropping

REFRESH_S = 0.2
PLAIN_EVERY_S = 10.0
NAMES = {"generate": "replies", "judge": "verdicts", COMPARE: "comparisons"}
"""What people call the calls of each phase."""
_BAR, _LEAST = 40, 12
"""Characters of a bar, and the fewest where the judge's name stands beside it."""
STAGES = 3
"""Of how many samples it is shown how far they are."""
WORDS = 80
"""Characters of a server's words."""
_JUDGED = ("judge", COMPARE)
_GAP = "  "


@contextlib.asynccontextmanager
async def displayed(
    progress: Progress,
    title: str,
    console: Console,
    judge: str = "",
    overall: Callable[[], str] | None = None,
) -> AsyncIterator[None]:
    """Show the progress while the block runs; `overall` is that of all runs, where it is one."""
    progress.started = time.monotonic()  # the plan may have waited for the user, or for other runs
    if console.is_terminal and not console.is_dumb_terminal:
        name, of_judge = line(title), line(judge)

        def render() -> Group:
            shown = frame(progress, name, console.width, of_judge)
            return Group(shown, _clipped(overall())) if overall else shown

        showing = keep_live(render, console)
    else:
        lines = [lambda: f"{line(title)}: {describe(progress)}"] + ([overall] if overall else [])
        showing = keep_plain(lines, console)
    async with until_done(showing):
        yield


@contextlib.asynccontextmanager
async def until_done(showing: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Go on showing something until the block ends."""
    task = asyncio.create_task(showing)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError), dropping():
            await task


async def keep_live(render: Callable[[], RenderableType], console: Console) -> None:
    """Show what is render anew again and again, until the task is cancelled."""
    with Live(console=console, auto_refresh=False) as live:
        try:
            while True:
                live.update(render(), refresh=True)
                await asyncio.sleep(REFRESH_S)
        finally:
            live.update(render(), refresh=True)


async def keep_plain(lines: Sequence[Callable[[], str]], console: Console) -> None:
    """Print these lines now and then, until the task is cancelled."""
    while True:
        await asyncio.sleep(PLAIN_EVERY_S)
        for text in lines:
            console.print(text())


def frame(progress: Progress, title: str, width: int, judge: str = "") -> Group:
    """What the live display shows: nothing while there is nothing to do."""
    if not progress.worked:
        return Group()
    facts = _packed([_samples(progress), *_facts(progress)], width)
    return Group(_clipped(title), _bars(progress.phases, width, judge), *map(_clipped, facts))


def _clipped(text: str) -> Text:
    """One line, however long; without markup, as a model's name is not ours to make bold."""
    return Text(text, no_wrap=True, overflow="ellipsis")


def describe(progress: Progress) -> str:
    """The progress as one line."""
    phases = progress.phases
    is_plain = len(phases) == 1 and all(p.total == progress.samples for p in phases.values())
    counts = [] if is_plain else [f"{_count(p)} {_name(key)}" for key, p in phases.items()]
    return _GAP.join([_samples(progress), *counts, *_facts(progress)])


def _bars(phases: dict[str, Phase], width: int, judge: str) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    names, counts = map(_name, phases), map(_count, phases.values())
    others = sum(max(map(len, texts), default=0) for texts in (names, counts)) + len(judge) + 6
    room = max(_LEAST, min(_BAR, width - others))
    for key, phase in phases.items():
        bar = ProgressBar(total=phase.total, completed=phase.done, width=room)
        who = _clipped(judge if key in _JUDGED else "")
        grid.add_row(Text(_name(key)), bar, Text(_count(phase), justify="right"), who)
    return grid


def _name(phase: str) -> str:
    return role_in(phase) or NAMES.get(phase, line(phase))


def _count(phase: Phase) -> str:
    return f"{phase.done}/{'≤' * phase.at_most}{phase.total}"


def _samples(progress: Progress) -> str:
    return f"{progress.done}/{plural(progress.samples, 'sample')}"


def _facts(progress: Progress) -> list[str]:
    """What is told beside the phases, one thing each."""
    seconds = time.monotonic() - progress.started
    tokens = progress.usage.input + progress.usage.output
    facts = [*_stages(progress), *_read(progress)]
    facts += [f"{progress.calls / seconds:.1f} calls/s"] if seconds > 0 else []
    facts += [f"{progress.in_flight} in flight{_reduced(progress)}"]
    facts += [_retries(progress)] if progress.retries else []
    facts += [f"{name} says: {line(words)[:WORDS]}" for name, words in progress.words.items()]
    waits = progress.waits.items()
    facts += [f"waiting for {name}, {duration(silent)}" for name, silent in waits]
    facts += [f"{tokens:,} tokens", *_cost(progress)]
    counts = {"unscored": progress.unscored, "failed": progress.failed, "unread": progress.unread}
    facts += [f"{n} {name}" for name, n in counts.items() if n]
    facts += [f"{duration(seconds)} so far"]
    left = progress.seconds_left
    # A placement may end before everything is compared.
    bound = "at most" if any(p.at_most for p in progress.phases.values()) else "about"
    return facts + ([f"{bound} {duration(left)} left"] if left else [])


def _stages(progress: Progress) -> list[str]:
    """How far the first few samples under way are, where their benchmark says so."""
    stages = list(progress.stages.items())
    several = any(iteration > 1 for (_, iteration), _ in stages)
    shown = [
        f"{line(item)}{f' ({iteration})' * several}: {line(text)}"
        for (item, iteration), text in stages[:STAGES]
    ]
    more = len(stages) - len(shown)
    return [*shown, f"{plural(more, 'more sample')} under way"] if more else shown


def _read(progress: Progress) -> list[str]:
    """How many replies could be read, where some could not."""
    replies = progress.replies_read + progress.replies_unread
    read = f"{progress.replies_read} of {plural(replies, 'reply')} read"
    return [read] if progress.replies_unread else []


def _reduced(progress: Progress) -> str:
    """That fewer may be in flight than the user allows, after errors of the server."""
    return f" (reduced to {r[0]} of {r[1]})" if (r := progress.reduced) else ""


def _retries(progress: Progress) -> str:
    """How many, and what went wrong before them."""
    kinds = ", ".join(f"{n} x {line(kind)}" for kind, n in progress.retried.most_common())
    return plural(progress.retries, "retry") + (f" ({kinds})" if kinds else "")


def _cost(progress: Progress) -> list[str]:
    """What this command has cost so far; nothing before its first answer."""
    if progress.cost_usd is None:
        return ["cost unknown"]
    return [f"${progress.cost_usd:.4f}" if progress.cost_usd else "free"] if progress.calls else []


def _packed(facts: Iterable[str], width: int) -> Iterator[str]:
    """As many facts on a line as fit."""
    full = ""
    for fact in facts:
        if full and len(full) + len(_GAP) + len(fact) > width:
            yield full
            full = ""
        full += _GAP * bool(full) + fact
    yield full
