"""Every fault of a benchmark at run time: told with its distribution, name and method.

One class, one fault each. Those that show when a plugin registers are in `test_declared`, those of
providers and engines in `test_providers`, what is printed in `test_printing`, and what
blocks in `test_watchdog`; the number beside each counts all of them, 1 to 43 and beyond.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from math import inf, nan
from typing import TYPE_CHECKING, Any

import pytest

import eibench
from eibench import (
    Baseline,
    Benchmark,
    Item,
    Message,
    Metric,
    Pack,
    PackSource,
    PlacementOptions,
    Sampling,
    Score,
    Summary,
    Value,
)
from eibench.core.clients.keys import Environment
from eibench.core.parties.providers import ModelSpec
from eibench.core.run.plan import make_plan
from eibench.core.run.session import Session
from eibench.core.run.task import Task
from eibench.core.settings.run_config import Endpoint, RunConfig
from tests.core.guard.conftest import Fine, Told

if TYPE_CHECKING:
    from tests.core.conftest import Lab

WHO = "emobench (module tests.core.guard.test_faults)"


def returns(method: str, value: Any) -> type[Benchmark]:
    """A benchmark of which a method returns what it should not."""

    def plain(self: object, *args: object) -> Any:
        return value

    async def coroutine(self: object, *args: object) -> Any:
        return value

    made = coroutine if method in ("generate", "grade") else plain
    return _with(method, made)


def raises(method: str, error: BaseException) -> type[Benchmark]:
    """A benchmark of which a method raises."""

    def plain(self: object, *args: object) -> Any:
        raise error

    async def coroutine(self: object, *args: object) -> Any:
        raise error

    return _with(method, coroutine if method in ("generate", "grade") else plain)


def chats(*args: Any, **changes: Any) -> type[Benchmark]:
    """A benchmark that asks what cannot be asked."""

    async def generate(self: object, item: Item, model: Any, options: object) -> str:
        return str((await model.chat(*args, **changes)).text)

    return _with("generate", generate)


def pack_of(*items: Any, **more: Any) -> type[Benchmark]:
    """A benchmark whose pack has these items."""

    def read_pack(self: object, source: Any, options: object) -> Pack:
        return Pack(source, list(items), "beside nothing", **more)

    return _with("read_pack", read_pack)


def declaring(*values: Value) -> type[Benchmark]:
    """A benchmark that declares other values than `v`."""
    return type("Broken", (Fine,), {"values": values, "__module__": __name__})


def _with(method: str, function: Callable[..., Any]) -> type[Benchmark]:
    made = {method: function, "__module__": __name__}
    if method == "placement":
        return type("Broken", (Fine, eibench.Pairwise), {"compare": _not_asked, **made})
    return type("Broken", (Fine,), made)


async def _not_asked(self: object, *args: object) -> Any:
    raise NotImplementedError


async def _forgets_to_await(self: object, item: Item, model: Any, options: object) -> Any:
    return model.chat("Say something")


async def _forgets_in_a_list(self: object, item: Item, model: Any, options: object) -> Any:
    return [[model.chat("Say something")]]


async def _grades_later(self: object, *args: object) -> Any:
    async def later() -> Score:
        return Score({"v": 1.0})

    return later()


def _no_coroutine(self: object, *args: object) -> str:
    return "a reply"


async def _late_summary(self: object, *args: object) -> Summary:
    return Summary({"mean": Metric(1.0)})


async def _changes(self: object, item: Item, model: Any, options: object) -> str:
    item.content.setdefault("seen", []).append("seen")
    return str((await model.chat("Say " + item.content["word"])).text)


async def _changes_late(self: object, item: Item, *args: object) -> Score:
    item.content["word"] = "other"
    return Score({"v": 1.0})


def _score(**fields: Any) -> type[Benchmark]:
    return returns("grade", Score(**fields))


def _metric(**fields: Any) -> type[Benchmark]:
    return returns("summarise", Summary({"mean": Metric(**{"value": 0.5, **fields})}))


class _Ranked(Fine):
    """Ranked by a metric that there is not."""

    __module__ = __name__
    ranked_by = "accuracy"


FAULTS: dict[str, tuple[type[Benchmark], str]] = {
    "1 ids that stand twice": (
        pack_of(Item("EA-1", {}), Item("EA-1", {})),
        f"read_pack of {WHO} returned a Pack in which id 'EA-1' stands twice (items 1 and 2)",
    ),
    "an item in no group": (
        declaring(Value("v", macro="task")),
        f"read_pack of {WHO} returned a Pack in which item 'EA-1' has no tag 'task', by which 'v' "
        "is a mean of means",
    ),
    "a weight that is none": (
        pack_of(Item("EA-1", {}, weight=0)),
        "returned a Pack in which item 'EA-1' has 0 as its weight, not a number above 0",
    ),
    "2 an id that is no text": (
        pack_of(Item(7, {})),  # type: ignore[arg-type]
        f"read_pack of {WHO} returned a Pack in which the id of item 1 is 7 (int), not a text",
    ),
    "3 generate forgets await": (
        _with("generate", _forgets_to_await),
        f"generate of {WHO} returned a coroutine: await it",
    ),
    "6 generate changes the item": (
        _with("generate", _changes),
        f"generate or grade of {WHO} changed item 'EA-1', which other samples share; copy it first",
    ),
    "7 flags are a text": (
        _score(values={"v": 1.0}, flags="repaired"),
        f"grade of {WHO} returned a Score with 'repaired' as flags, not a tuple of texts: "
        "write ('repaired',)",
    ),
    "8 a reversed interval": (
        _metric(ci95=(0.9, 0.7)),
        f"summarise of {WHO} returned metric 'mean' with (0.9, 0.7) as ci95, not two finite "
        "numbers, the lower one first, or None",
    ),
    "9 an interval with NaN": (
        _metric(ci95=(nan, 0.7)),
        "returned metric 'mean' with (nan, 0.7) as ci95, not two finite numbers",
    ),
    "a metric with a number for a truth": (
        _metric(higher_is_better=1),
        "returned metric 'mean' with 1 as higher_is_better, not True, False or None",
    ),
    "10 an empty summary": (
        returns("summarise", Summary({})),
        f"summarise of {WHO} returned a Summary without a metric",
    ),
    "11 ranked by nothing that is there": (
        _Ranked,
        f"summarise of {WHO} returned no metric 'accuracy', which ranked_by names; there are mean",
    ),
    "17 an unknown role": (
        chats([Message("humn", "Hello")]),
        f"generate of {WHO} raised ValueError: chat: unknown role 'humn'; roles are system, user, "
        "assistant",
    ),
    "18 grade returns a number": (
        returns("grade", 0.5),
        f"grade of {WHO} returned float, not a Score",
    ),
    "19 a value that is a text": (
        _score(values={"v": "good"}),
        f"grade of {WHO} returned a Score in which value 'v' of item 'EA-1' is str, not a number",
    ),
    "20 a value that is NaN": (
        _score(values={"v": nan}),
        f"grade of {WHO} returned a Score in which value 'v' of item 'EA-1' is not finite",
    ),
    "21 a value that is infinite": (
        _score(values={"v": inf}),
        "value 'v' of item 'EA-1' is not finite",
    ),
    "22 summarise raises": (
        raises("summarise", ZeroDivisionError("division by zero")),
        f"summarise of {WHO} raised ZeroDivisionError: division by zero (test_faults.py:",
    ),
    "23 summarise returns a dict": (
        returns("summarise", {"mean": 1.0}),
        f"summarise of {WHO} returned dict, not a Summary; all replies are saved",
    ),
    "24 a metric that is NaN": (
        _metric(value=nan),
        f"summarise of {WHO} returned metric 'mean' with nan as value, not a finite number or None",
    ),
    "25 read_pack raises": (
        raises("read_pack", KeyError("word")),
        f"read_pack of {WHO} raised KeyError: 'word'",
    ),
    "26 read_pack returns a list": (
        returns("read_pack", [Item("EA-1")]),
        f"read_pack of {WHO} returned list, not a Pack",
    ),
    "27 prompts are a text": (
        returns("prompts", "Say it"),
        f"prompts of {WHO} returned str, not a Mapping",
    ),
    "28 a baseline is a number": (
        returns("baselines", {"nothing": 0.2}),
        f"baselines of {WHO} returned 0.2 as 'nothing', not a Baseline",
    ),
    "a placement that is a mapping": (
        returns("placement", {"schedule": "all"}),
        f"placement of {WHO} returned dict, not a PlacementOptions",
    ),
    "a placement by a schedule that there is not": (
        returns("placement", PlacementOptions(schedule="swiss")),
        f"placement of {WHO} returned 'swiss' as schedule, not one of auto, all, staged, adaptive",
    ),
    "a placement that may make fewer comparisons than none": (
        returns("placement", PlacementOptions(max_comparisons=-1)),
        f"placement of {WHO} returned -1 as max_comparisons, not a whole number from 0 on",
    ),
    "a placement that ends at a text": (
        returns("placement", PlacementOptions(target_ci="90")),  # type: ignore[arg-type]
        f"placement of {WHO} returned '90' as target_ci, not a number from 0 on",
    ),
    "29 planned_calls is a number": (
        returns("planned_calls", 2),
        f"planned_calls of {WHO} returned int, not a Mapping",
    ),
    "calls to nobody": (
        returns("planned_calls", {"user": 1}),
        f"planned_calls of {WHO} returned calls to 'user'; parties are model, judge",
    ),
    "30 grade ends the program": (
        raises("grade", SystemExit(3)),
        f"grade of {WHO} raised SystemExit: 3",
    ),
    "32 chat with an unknown option": (
        chats("Hello", temp=0.3),
        f"generate of {WHO} raised TypeError: chat has no option temp; did you mean temperature?",
    ),
    "35 grade changes the item": (
        _with("grade", _changes_late),
        f"generate or grade of {WHO} changed item 'EA-1'",
    ),
    "36 grade forgets await": (
        _with("grade", _grades_later),
        f"grade of {WHO} returned a coroutine",
    ),
    "37 generate is no coroutine function": (
        _with("generate", _no_coroutine),
        "is no benchmark: its method generate is no coroutine function: write async def",
    ),
    "38 summarise is a coroutine function": (
        _with("summarise", _late_summary),
        f"summarise of {WHO} returned a coroutine: write def, not async def",
    ),
    "39 a list that holds a coroutine": (
        _with("generate", _forgets_in_a_list),
        f"generate of {WHO} returned a list that holds a coroutine: await it",
    ),
    "43 demo_reply returns nothing": (
        returns("demo_reply", None),
        f"demo_reply of {WHO} returned NoneType, not a str",
    ),
    "44 an id that is blank": (pack_of(Item(" ", {})), "the id of item 1 is blank"),
    "45 a family that is a number": (
        pack_of(Item("EA-1", {}, family=3)),  # type: ignore[arg-type]
        "the family of item 1 is 3 (int), not a text",
    ),
    "46 an item that is a dict": (pack_of({"id": "EA-1"}), "whose item 1 is dict, not an Item"),
    "47 items that are used up": (
        _with("read_pack", lambda self, source, options: Pack(source, iter(()), "x")),  # type: ignore[arg-type]
        "returned a Pack with <tuple_iterator object at ",
    ),
    "48 warnings are a text": (
        pack_of(Item("EA-1", {"word": "calm"}), warnings="odd"),
        "returned a Pack with 'odd' as warnings, not a tuple of texts: write ('odd',)",
    ),
    "49 a blank reason": (
        _score(reason=" "),
        "with ' ' as reason, not a text that says something, or None",
    ),
    "50 detail that JSON cannot hold": (
        _score(values={"v": 1.0}, detail={"when": {1, 2}}),
        f"grade of {WHO} returned a Score of item 'EA-1' that JSON cannot hold",
    ),
    "51 notes that JSON cannot hold": (
        returns("summarise", Summary({"mean": Metric(1.0)}, notes={"x": nan})),
        "returned what JSON cannot hold as the notes of the Summary",
    ),
    "a value that is not declared": (
        declaring(Value("other")),
        f"grade of {WHO} returned a Score with value 'v' of item 'EA-1'; declared are other",
    ),
    "a value out of its range": (
        declaring(Value("v", range=(2, 5))),
        f"grade of {WHO} returned a Score in which value 'v' of item 'EA-1' is ",
    ),
    "52 negative calls": (
        returns("planned_calls", {"model": -1}),
        "returned -1 calls to 'model', not a whole number from 0 on",
    ),
    "53 needs_judge says neither yes nor no": (
        returns("needs_judge", None),
        f"needs_judge of {WHO} returned NoneType, not a bool",
    ),
    "54 sampling_for is a dict": (
        returns("sampling_for", {"temperature": 0.1}),
        f"sampling_for of {WHO} returned dict, not a Sampling",
    ),
    "55 a message that is a dict": (
        chats([{"role": "user", "content": "Hello"}]),
        "chat takes a text or a list of Message, not {'role': 'user', 'content': 'Hello'}",
    ),
    "56 a metric that is a number": (
        returns("summarise", Summary({"mean": 0.5})),  # type: ignore[dict-item]
        "returned float as metric 'mean', not a Metric",
    ),
    "57 a baseline that is NaN": (
        returns("baselines", {"nothing": Baseline(nan, "nothing")}),
        "returned baseline 'nothing' with nan as value, not a finite number",
    ),
}


@pytest.mark.parametrize(("broken", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_who_and_what(
    message_of: Told, broken: type[Benchmark], message: str
) -> None:
    """The run fails, or its samples do, with a message that an author can act on."""
    assert message in message_of(broken())


def test_the_benchmark_without_a_fault_has_none(message_of: Told) -> None:
    """What the faults are put into is right itself."""
    assert message_of(Fine()) == ""


def test_a_summary_that_failed_costs_no_reply(message_of: Told) -> None:
    """Once the benchmark is mended, the same call gives the result and asks nothing."""
    assert "all replies are saved" in message_of(raises("summarise", ValueError("no"))())
    result = eibench.run(Fine(), dataset="data.txt")
    assert (result.complete, result.document["calls"]["replayed"]) == (True, 2)


def test_ctrl_c_in_a_plugin_is_no_fault_of_it(message_of: Told) -> None:
    """KeyboardInterrupt passes the guard."""
    with pytest.raises(KeyboardInterrupt):
        message_of(raises("read_pack", KeyboardInterrupt())())


async def _exits_aside(self: object, *args: object) -> Score:
    async def aside() -> None:
        raise SystemExit(3)

    await asyncio.gather(aside())
    return Score({"v": 1.0})


def test_a_plugin_s_own_task_cannot_end_the_program(message_of: Told) -> None:
    """It ends the event loop, which is told; what was answered is kept."""
    assert "a plugin raised SystemExit: 3 in a task of its own" in message_of(
        _with("grade", _exits_aside)()
    )
    assert eibench.run(Fine(), dataset="data.txt").document["calls"]["replayed"] > 0


class _Twice(Fine):
    """Changes its item only once, so that the second iteration would see it changed."""

    __module__ = __name__

    async def generate(self, item: Item, model: Any, options: object) -> str:
        item.content.setdefault("changed", True)
        return str((await model.chat("Say " + item.content["word"])).text)


def test_a_plan_changes_no_item() -> None:
    """`bench run` makes requests for its plan: the run must see the items as they were."""
    pack = Fine().read_pack(PackSource("custom", "0" * 64, {}), {})
    config = RunConfig(_Twice(), Endpoint(ModelSpec("demo", "medium")), {"strict": False})
    make_plan(Task(config, pack), Session(Environment({})))
    assert "changed" not in pack.items[0].content


def test_a_changed_item_scores_in_no_iteration(message_of: Told) -> None:
    """The item is held to what it was at first, not to what it was a moment ago."""
    message_of(Fine())
    result = eibench.run(_Twice(), dataset="data.txt", iterations=3, fresh=True)
    assert (result.items.failed, result.items.scored) == (6, 0)


async def test_what_a_plugin_s_own_group_raises_is_unwrapped(lab: "Lab") -> None:
    """The first exception in a TaskGroup is the reason."""

    async def grade(*args: object) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_fail())

    async def _fail() -> None:
        raise LookupError("nowhere")

    made: Callable[..., Awaitable[None]] = grade
    lab.benchmark = _with("grade", made)()
    lab.benchmark.sampling = Sampling()
    lab.pack = Pack(lab.pack.source, [Item("EA-1", {"word": "calm"})], "beside nothing")
    document = await lab.run()
    reason = document["failed"][0]["reason"]
    assert re.fullmatch(r"grade of .* raised LookupError: nowhere \(test_faults\.py:\d+\)", reason)
