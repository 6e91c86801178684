"""Checks of what a benchmark asks: of which items, how often, and whether again the same."""

import datetime
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, redirect_stderr
from copy import deepcopy
from dataclasses import replace
from io import StringIO
from random import Random
from typing import Any
from unittest import mock

from eibench import (
    BenchError,
    ChatRequest,
    ErrorKind,
    MissingCall,
    Option,
    ProviderError,
    SampleScore,
)
from eibench.checking import Finding, NotChecked, Speakers, Subject, Trace, spread

from .checks import check
from .surroundings import another_day, no_network

_MANY = 1_000
"""Planned calls of a sample beyond which an option's largest value is not tried."""


@check("K04", "give each item an id of its own that does not change, and copy what you change")
def items_stand(subject: Subject) -> Iterator[Finding]:
    """Items have ids, families and tags, the same in two readings, and no method changes them."""
    first, second = subject.pack(), subject.pack()
    if not first.items:
        rows = f"its files are {', '.join(map(str, first.source.files.values()))}"
        yield subject.finding("read_pack", f"returned no items; {rows}", todo="return the rows")
        return
    for one, other in zip(first.items, second.items, strict=False):
        if subject.parts(one) != subject.parts(other):
            yield subject.finding("read_pack", "returned another item the second time", one)
    if len(first.items) != len(second.items):
        yield subject.finding("read_pack", "returned another number of items the second time")
    for item in first.items:
        tags: Any = item.tags
        if not all(isinstance(text, str) for pair in tags.items() for text in pair):
            yield subject.finding("read_pack", f"returned the tags {tags!r:.80}, not texts", item)
    before = [deepcopy(item) for item in subject.items]
    subject.traces(subject.items, subject.some_words())
    for item, copy in zip(subject.items, before, strict=True):
        if item != copy:
            yield subject.finding("grade", "or generate changed an item that samples share", item)


@check("K05", "draw what is random by model.draw, and let no set, clock or task decide the order")
def asks_the_same(subject: Subject) -> Iterator[Finding]:
    """The same requests and scores each time: again, at once, and answered in another order."""
    speakers = subject.some_words()
    traces = subject.plain_traces
    for how, others in (
        ("the second time", subject.traces(subject.items, speakers)),
        ("when calls end in another order", _mixed(subject, speakers)),
    ):
        for one, other in zip(traces, others, strict=True):
            if one.digests() != other.digests():
                message = f"asks something else {how}, so that a run that was stopped pays again"
                yield subject.finding(_method(one, other), message, one.item)
                return
            if one.score != other.score:
                message = f"gives another score {how}, for the same replies"
                yield subject.finding("grade", message, one.item)
                return
    asked = [tuple(sorted(trace.digests())) for trace in traces]
    if len(asked) > 1 and len(set(asked)) == 1:
        yield subject.finding("generate", "asks the same of every item", subject.items[0])


def _mixed(subject: Subject, speakers: Speakers) -> list[Trace]:
    """Samples of all items at once, whose calls are answered in a mixed order."""
    from asyncio import gather

    async def at_once() -> list[Trace]:
        orders = map(Random, range(len(subject.items)))
        samples = zip(subject.items, orders, strict=True)
        return await gather(*(subject.sample(i, speakers, order=order) for i, order in samples))

    return subject.run(at_once())


def _method(one: Trace, other: Trace) -> str:
    """The method whose requests differ."""
    same = one.generating() == other.generating()
    return "grade" if same else "generate"


@check("K06", "say in planned_calls what a sample asks, and end each loop after a number of calls")
def asks_as_planned(subject: Subject) -> Iterator[Finding]:
    """As many calls as planned, and an end whatever is replied: good, nothing, or nonsense."""
    talks = bool(subject.benchmark.roles) or not subject.benchmark.single_turn
    for name, speakers in _manners(subject):
        for item in subject.items:
            trace = subject.trace(item, speakers)
            planned = subject.planned(item, subject.options)
            for phase in {**planned, **trace.requests} if name == "good" else ():
                calls, number = trace.calls_to(phase), planned.get(phase, 0)
                if calls > number or (calls < number and not talks):
                    message = f"says {number}, and {calls} were made"
                    message = f"{message} to {'the model' if phase == 'generate' else phase}"
                    yield subject.finding("planned_calls", message, item)
                    return
    if subject.benchmark.single_turn:
        yield from _not_single(subject)


def _manners(subject: Subject) -> Iterator[tuple[str, Speakers]]:
    """Ways to reply by name; the last two never say the word that may end a loop."""
    if subject.benchmark.has_demo:
        yield "good", subject.demo()
    babble = "lorem ipsum dolor sit amet, "
    for name, text in (("empty", ""), ("nonsense", "%&/ 17 }{ \x00"), ("endless", babble * 20)):
        yield name, subject.saying(text)
        silent = subject.saying(text)
        yield name, silent._replace(role=silent.model, judge=silent.model)


def _not_single(subject: Subject) -> Iterator[Finding]:
    """That later requests depend on earlier replies, where each is said to stand alone."""
    for options in (subject.options, *(o for _, _, o in option_values(subject))):
        for item in subject.items[:2]:
            one, other = (
                subject.trace(item, subject.saying(t), options, grades=False) for t in ("A", "B")
            )
            if one.digests() != other.digests() and not subject.benchmark.asks_again:
                todo = "write single_turn = False, or make all requests together (asyncio.gather)"
                message = "makes requests that depend on earlier replies, and is single_turn"
                yield subject.finding("generate", message, item, todo=todo)
                return


def option_values(subject: Subject) -> Iterator[tuple[Option, object, dict[str, Any]]]:
    """Each option at each of its ends, with all options as they are then."""
    for option in subject.benchmark.options:
        for value in _ends(option):
            if value != option.default or type(value) is not type(option.default):
                yield option, value, {**subject.options, option.name: value}


def _ends(option: Option) -> tuple[object, ...]:
    if isinstance(option.default, bool):
        return (False, True)
    if option.choices:
        return option.choices
    if isinstance(option.default, int | float):
        kind = type(option.default)
        return tuple(kind(end) for end in (option.min, option.max) if end is not None)
    return ()


@check("K16", "take chance from model.draw, and reach nothing but the models that you are handed")
def reaches_nothing(subject: Subject) -> Iterator[Finding]:
    """No network, clock, random numbers or printing of its own: another day asks the same."""
    speakers = subject.some_words()
    before = subject.plain_traces
    elsewhere = (another_day(), _dates_of(subject.benchmark))
    with no_network() as tried, elsewhere[0], elsewhere[1], redirect_stderr(StringIO()) as printed:
        after = subject.traces(subject.items, speakers)
    if text := printed.getvalue():
        yield subject.finding("generate", f"or grade prints {text!r:.80}", todo="take it out")
    if tried:
        yield subject.finding("generate", f"or grade connects to {tried[0]}")
    for one, other in zip(before, after, strict=True):
        if one.digests() != other.digests():
            message = "asks something else on another day or with other random numbers"
            yield subject.finding(_method(one, other), message, one.item)
            return
        if one.score != other.score:
            message = "gives another score on another day or with other random numbers"
            yield subject.finding("grade", message, one.item)
            return


def _dates_of(benchmark: object) -> ExitStack:
    """The dates that the modules of a plugin took from `datetime`, as they are on another day."""
    stack, home = ExitStack(), type(benchmark).__module__.partition(".")[0]
    if home == "eibench":
        home = type(benchmark).__module__.rpartition(".")[0]
    later: Mapping[str, type] = {"date": datetime.date, "datetime": datetime.datetime}
    for name, module in list(sys.modules.items()):
        if name == home or name.startswith(f"{home}."):
            for word, thing in list(vars(module).items()):
                kind = getattr(thing, "__name__", "")
                if isinstance(thing, type) and thing.__module__ == "datetime" and kind in later:
                    stack.enter_context(mock.patch.object(module, word, later[kind]))
    return stack


@check("K17", "say of each option whether it is in_requests, in_grades or neither (docs: Options)")
def options_keep_apart(subject: Subject) -> Iterator[Finding]:
    """Each option works at both ends, and changes requests and grades where it says so alone."""
    if not subject.benchmark.options:
        raise NotChecked("it has no options")
    default = subject.plain_traces
    changed: dict[str, bool] = {}
    for option, value, options in option_values(subject):
        other = replace(subject)  # its items may be others of the same ids
        try:
            items = spread(other.pack(options).items, len(subject.items))
        except NotChecked:
            continue
        if any(sum(other.planned(item, options).values()) > _MANY for item in items):
            continue
        traces = other.traces(items, other.some_words(), options)
        asks = _asked(traces) != _asked(default)
        changed[option.name] = changed.get(option.name, False) or asks
        if asks and not option.in_requests:
            message = f"asks something else with {option.name}={value!r}, which is not in_requests"
            yield subject.finding("generate", message, items[0])
        keeps = option.keeps_apart or option.in_ratings
        if not (asks or keeps) and _scores(traces) != _scores(default):
            message = f"gives other scores with {option.name}={value!r}, which is not in_grades"
            yield subject.finding("grade", message, items[0])
    for option in subject.benchmark.options:
        if option.in_requests and changed.get(option.name) is False:
            message = f"asks the same whatever {option.name} is, which is in_requests"
            yield subject.finding("generate", message, todo="declare what it changes")


def _asked(traces: list[Trace]) -> list[object]:
    return [sorted(trace.generating().items()) for trace in traces]


def _scores(traces: list[Trace]) -> list[SampleScore]:
    return [trace.sample for trace in traces]


@check("K22", "let ProviderError and MissingCall pass: the framework asks again, or stops")
def lets_errors_pass(subject: Subject) -> Iterator[Finding]:
    """What a model's server fails with is never taken for an answer."""
    item, demo = subject.items[0], subject.some_words()
    for error in (ProviderError(ErrorKind.SERVER, "out of order"), MissingCall("not asked")):

        def fail(request: ChatRequest, context: object, error: BenchError = error) -> str:
            raise error

        parties = {"generate": demo._replace(model=fail), "grade": demo._replace(judge=fail)}
        for method, speakers in parties.items():
            if method == "grade" and not subject.trace(item, demo).judged:
                continue
            try:
                trace = subject.trace(item, speakers)
            except (ProviderError, MissingCall):
                continue
            number = trace.score.values if trace.score else None
            message = f"caught {type(error).__name__} and went on to the score {number}"
            yield subject.finding(method, message, item)
