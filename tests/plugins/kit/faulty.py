"""Plugins with one fault each, and the check that has to find it; the rest of them conforms."""

import asyncio
import random
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from eibench import (
    Baseline,
    Benchmark,
    CallContext,
    ChatRequest,
    ChatResponse,
    ClientConfig,
    Comparisons,
    Message,
    Metric,
    ModelRating,
    Option,
    Pack,
    PairScore,
    Provider,
    ProviderError,
    Ratings,
    RatingSettings,
    Role,
    SampleScore,
    Score,
    Summary,
    Value,
)
from eibench.core.plugins import installed
from tests.reference_plugins.condolences.condolences import JUDGE, RUBRIC, Condolences
from tests.reference_plugins.doorstep.doorstep import Doorstep
from tests.reference_plugins.listening.listening import CHECKS, Listening
from tests.reference_plugins.undercurrents.undercurrents import Undercurrents


class Scenes(Undercurrents):
    """One whose demo model answers any prompt."""

    def demo_reply(self, item: Any, request: Any, ability: float, rng: Any) -> str:
        """Letters, also where none are asked for."""
        if "feeling: LETTER" in request.messages[-1].content:
            return super().demo_reply(item, request, ability, rng)
        return f"feeling: A\nreason: {rng.choice('ABCD')}"


@dataclass(frozen=True)
class Faulty:
    """A plugin with a fault.

    Attributes:
        name: What is wrong.
        check: Which check finds it.
        method: What the finding names.
        words: What it says, as a pattern.
        changes: What the class has in place of its base's.
        patience_s: Less where the fault is that something does not end.
    """

    name: str
    check: str
    method: str
    words: str
    changes: Mapping[str, object] = field(default_factory=dict)
    base: type[Benchmark[Any, Any]] = Scenes
    patience_s: float = 30.0

    def make(self) -> Benchmark[Any, Any]:
        """One of it."""
        kind = type("Planted", (self.base,), {"__module__": __name__, **self.changes})
        thing: Benchmark[Any, Any] = kind()
        return thing


def _raising(error: BaseException) -> Callable[..., Any]:
    def fail(*args: object) -> Any:
        raise error

    return fail


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _returning(value: object) -> Callable[..., Any]:
    return lambda *args: value


def _async(function: Callable[..., Any]) -> Callable[..., Any]:
    async def called(*args: Any) -> Any:
        return function(*args)

    return called


async def _endless(self: Any, item: Any, model: Any, options: Any) -> Any:
    n = 0
    while True:
        n += 1
        await model.chat(f"again {n}")


async def _many_more(self: Any, item: Any, model: Any, options: Any) -> Any:
    for n in range(9):
        await model.chat(f"{item.id} {n}")
    return await Undercurrents.generate(self, item, model, options)


async def _until_the_word(self: Any, item: Any, model: Any, options: Any) -> Any:
    while "feeling" not in (await model.chat(str(item.content["scene"]))).text:
        await asyncio.sleep(0)
    return await Undercurrents.generate(self, item, model, options)


async def _waits(self: Any, *args: Any) -> Any:
    await asyncio.Event().wait()


async def _sleeps(self: Any, *args: Any) -> Any:
    while True:
        time.sleep(0.01)


def _reads_for_ever(self: Any, source: Any, options: Any) -> Pack:
    while True:
        pass


async def _random(self: Any, item: Any, model: Any, options: Any) -> Any:
    return await model.chat(f"{item.id} {random.random()}")


async def _dated(self: Any, item: Any, model: Any, options: Any) -> Any:
    await model.chat(f"It is {date.today()}. {item.id}")
    return await Undercurrents.generate(self, item, model, options)


async def _hashed(self: Any, item: Any, model: Any, options: Any) -> Any:
    words = {"calm", "glad", "sad", "angry", "afraid", "proud", str(item.id)}
    await model.chat(" ".join(words))
    return await Undercurrents.generate(self, item, model, options)


async def _by_arrival(self: Any, item: Any, model: Any, options: Any) -> Any:
    order: list[str] = []

    async def ask(n: int) -> None:
        order.append((await model.chat(f"{item.id} {n}")).text + str(n))

    await asyncio.gather(*map(ask, range(6)))
    await model.chat(" ".join(order))
    return await Undercurrents.generate(self, item, model, options)


async def _in_turn(self: Any, item: Any, model: Any, options: Any) -> Any:
    reply = await model.chat(f"Look at scene {item.id}.")
    return await model.chat(f"You said: {reply.text}")


async def _connects(self: Any, item: Any, model: Any, options: Any) -> Any:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", 9), 0.1)
    return await Undercurrents.generate(self, item, model, options)


async def _prints(self: Any, item: Any, model: Any, options: Any) -> Any:
    print("asking", item.id)
    return await Undercurrents.generate(self, item, model, options)


async def _forgets_await(self: Any, item: Any, model: Any, options: Any) -> Any:
    return model.chat(item.id)


async def _changes_item(self: Any, item: Any, model: Any, options: Any) -> Any:
    item.content["scene"] += "!"
    return await Undercurrents.generate(self, item, model, options)


async def _misspelt_sampling(self: Any, item: Any, model: Any, options: Any) -> Any:
    return await model.chat(item.id, temp=0.3)


async def _misspelt_role(self: Any, item: Any, model: Any, options: Any) -> Any:
    return await model.chat([Message("humn", item.id)])


async def _swallows(self: Any, item: Any, model: Any, options: Any) -> Any:
    try:
        return await Undercurrents.generate(self, item, model, options)
    except Exception:  # noqa: BLE001 - the fault that is planted
        return []


async def _same_for_all(self: Any, item: Any, model: Any, options: Any) -> Any:
    return await model.chat("How do you feel?")


async def _hidden_option(self: Any, item: Any, model: Any, options: Any) -> Any:
    await model.chat(f"{item.id} {options['rule']}")
    return await Undercurrents.generate(self, item, model, options)


async def _plain_zero(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Score:
    score = await Undercurrents.grade(self, item, transcript, judge, options)
    return Score({"both": 0.0, "feeling": 0.0, "reason": 0.0}) if score.reason else score


def _scored(**values: Any) -> Callable[..., Any]:
    return _async(lambda *args: Score(values))


async def _asks_nobody(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    return Score({"both": float((await judge.chat(item.id)).text == "1")})


async def _key_error(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    return Score({"both": item.content["x"]})


async def _keeps_sets(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    score = await Undercurrents.grade(self, item, transcript, judge, options)
    return replace(score, detail={"seen": {1, 2}})


async def _number_keys(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    score = await Undercurrents.grade(self, item, transcript, judge, options)
    return replace(score, detail={1: "first"})  # type: ignore[dict-item]


async def _slow_pattern(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    for _, reply in transcript:
        re.findall("[^.!?]+[.!?]", reply.text)
    return await Undercurrents.grade(self, item, transcript, judge, options)


async def _grades_alone(self: Any, item: Any, transcript: Any, options: Any) -> Score:
    return Score({"both": 1.0})


async def _judges_all(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    outcome = await RUBRIC.ask(judge, _prompt(item, transcript.text or "-"))
    return RUBRIC.score(outcome)


def _prompt(item: Any, text: str) -> list[Message]:
    """A judge's prompt that puts replies in as they are."""
    user = JUDGE.user.replace("{situation}", item.content["situation"]).replace("{reply}", text)
    shown = user.replace("{form}", RUBRIC.shown)
    return [Message("system", JUDGE.system), Message("user", shown)]


async def _judges_raw(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    if not transcript.text.strip() or transcript.finish != "stop":
        return Score.unscored("nothing")
    return RUBRIC.score(await RUBRIC.ask(judge, _prompt(item, transcript.text)))


async def _any_verdict(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    score = await Listening.grade(self, item, transcript, judge, options)
    return Score(dict.fromkeys(CHECKS.questions, 0.0)) if score.reason else score


async def _asks_on(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Any:
    for _ in range(9):
        score = await Listening.grade(self, item, transcript, judge, options)
        if score.reason is None:
            break
    return score


async def _named(
    self: Any, item: Any, first: Any, second: Any, judge: Any, options: Any
) -> PairScore:
    one, two = (replace(one, text=f"{one.model}: {one.text}") for one in (first, second))
    return await Condolences.compare(self, item, one, two, judge, options)


async def _favours(
    self: Any, item: Any, first: Any, second: Any, judge: Any, options: Any
) -> PairScore:
    score = await Condolences.compare(self, item, first, second, judge, options)
    return PairScore({"warmth": 1}) if score.reason else score


async def _crashes_on_same(
    self: Any, item: Any, first: Any, second: Any, judge: Any, options: Any
) -> PairScore:
    _ = 1 / (len(first.text) - len(second.text) or int(first.text != second.text))
    return await Condolences.compare(self, item, first, second, judge, options)


def _mean(scores: Sequence[SampleScore]) -> float:
    return sum(s.score.values.get("both") or 0.0 for s in scores) / len(scores)


def _divides(self: Any, pack: Any, scores: Any, options: Any) -> Summary:
    return Summary({"both": Metric(_mean(scores))})


def _first_counts(self: Any, pack: Any, scores: Any, options: Any) -> Summary:
    value = scores[0].score.values.get("both") if scores else None
    n = len(scores[0].item_id) if scores else 0
    return Summary({"both": Metric(value if n else None), "last": Metric(_position(scores))})


def _position(scores: Any) -> float | None:
    return float(sum(n * len(s.item_id + str(s.score)) for n, s in enumerate(scores))) or None


def _square(self: Any, pack: Any, scores: Any, options: Any) -> Summary:
    n = 0
    for score in scores:
        for other in scores:
            n += score.item_id == other.item_id
    return Benchmark.summarise(self, pack, scores, options)


def _beyond(self: Any, pack: Any, scores: Any, options: Any) -> Summary:
    scored = [score for score in scores if score.score.reason is None]
    return Summary({"both": Metric(0.9, (0.1, 0.2)) if scored else Metric(None)})


def _two_ids(self: Any, source: Any, options: Any) -> Pack:
    pack = Undercurrents.read_pack(self, source, options)
    return replace(pack, items=[pack.items[0], pack.items[0]])


def _number_id(self: Any, source: Any, options: Any) -> Pack:
    pack = Undercurrents.read_pack(self, source, options)
    return replace(pack, items=[replace(pack.items[0], id=7)])  # type: ignore[arg-type]


def _no_items(self: Any, source: Any, options: Any) -> Pack:
    return Pack(source, [], "none")


def _other_place(self: Any, source: Any, options: Any) -> Pack:
    assert str(source.files["scenes"]).startswith(str(self.data)), "not where it should be"
    return Undercurrents.read_pack(self, source, options)


def _always_a(self: Any, item: Any, request: Any, ability: float, rng: Any) -> str:
    return "feeling: A\nreason: A"


def _worst_first(self: Any, item: Any, request: Any, ability: float, rng: Any) -> str:
    return Undercurrents.demo_reply(self, item, request, 1 - ability, rng)


def _no_reply_shown(self: Any, item: Any, request: Any, rng: Any) -> str:
    request = replace(request, messages=(Message("user", "Grade it."),))
    return Condolences.demo_verdict(self, item, request, rng)


def _slow_verdict(self: Any, item: Any, request: Any, rng: Any) -> str:
    re.findall("[^.!?]+[.!?]", request.messages[-1].content)
    return Listening.demo_verdict(self, item, request, rng)


TEXT = "x"


def _with(*options: Option) -> dict[str, object]:
    return {"options": (*Undercurrents.options, *options)}


DECLARATIONS = (
    Faulty("a method misspelt", "K01", "sumarise", "did you mean summarise",
           {"sumarise": lambda self, pack, scores, options: None}),
    Faulty("a method of before", "K01", "calls_per_sample", "planned_calls",
           {"calls_per_sample": lambda self, item, options: (1, 0)}),
    Faulty("grade without judge", "K01", "grade", "is called as",
           {"grade": _grades_alone}),
    Faulty("a plain generate", "K01", "generate", "async def",
           {"generate": lambda self, item, model, options: None}),
    Faulty("ranked by nothing", "K01", "", "ranked by 'zz'",
           {"ranked_by": "zz", "values": (Value("both"),)}),
    Faulty("a value that is a number", "K01", "", "value 3 is not described",
           {"values": (Value(3),)}),  # type: ignore[arg-type]
    Faulty("a field of a list type", "K01", "", "field 'q' holds",
           {"fields": {"id": str, "q": list[str]}}),
    Faulty("an option of bench run", "K01", "", "clashes", _with(Option("limit", 1, TEXT))),
    Faulty("a version that is a number", "K01", "", "version", {"version": 1}),
    Faulty("an option twice", "K01", "", "twice", _with(Option("rule", "a", TEXT))),
    Faulty("an option ill named", "K01", "", "lower-case", _with(Option("Bad Name", 1, TEXT))),
    Faulty("a default beyond its choices", "K01", "", "among",
           _with(Option("way", "z", TEXT, choices=("a", "b")))),
    Faulty("a default that is a list", "K01", "", "default", _with(Option("way", [1], TEXT))),
    Faulty("a default out of range", "K01", "", "default", _with(Option("way", 0, TEXT, min=1))),
    Faulty("a role called judge", "K01", "", "role", {"roles": (Role("judge", TEXT),)}),
    Faulty("no data folder", "K03", "", "no manifest.json",
           {"data": Path("/nonexistent/data")}),
    Faulty("no manifest", "K03", "", "no manifest.json", {"data": Path(__file__).parent}),
)  # fmt: skip
PACKS = (
    Faulty("an id twice", "K04", "read_pack", "stands twice", {"read_pack": _two_ids}),
    Faulty("an id that is a number", "K04", "read_pack", "not a text", {"read_pack": _number_id}),
    Faulty("no items", "K04", "read_pack", "no items", {"read_pack": _no_items}),
    Faulty("read_pack without end", "K04", "", "has not ended.*faulty.py",
           {"read_pack": _reads_for_ever}, patience_s=0.6),
    Faulty("read_pack raises", "K04", "read_pack", "KeyError",
           {"read_pack": _raising(KeyError("x"))}),
    Faulty("read_pack gives a list", "K04", "read_pack", "not a Pack",
           {"read_pack": _returning([])}),
    Faulty("data read from another place", "K03", "read_pack", "cannot be read as --dataset",
           {"read_pack": _other_place}),
    Faulty("an item changed", "K04", "grade", "changed item", {"generate": _changes_item}),
)  # fmt: skip
REQUESTS = (
    Faulty("calls without end", "K06", "generate", "asked more than", {"generate": _endless}),
    Faulty("nine more calls than planned", "K06", "planned_calls", "says 1, and 10",
           {"generate": _many_more}),
    Faulty("waits for a word", "K06", "generate", "asked more than",
           {"generate": _until_the_word, "planned_calls": lambda *args: {"model": 2}}),
    Faulty("generate waits for ever", "K06", "generate", "not ended", {"generate": _waits},
           patience_s=0.6),
    Faulty("grade waits for ever", "K06", "grade", "not ended", {"grade": _waits},
           patience_s=0.6),
    Faulty("sleeps in a coroutine", "K06", "", "not ended.*faulty.py", {"generate": _sleeps},
           patience_s=0.6),
    Faulty("random requests", "K05", "generate", "the second time",
           {"generate": _random, "grade": _scored(both=1.0)}),
    Faulty("requests in order of arrival", "K05", "generate", "another order",
           {"generate": _by_arrival, "planned_calls": lambda *args: {"model": 8}}),
    Faulty("the same of every item", "K05", "generate", "same of every item",
           {"generate": _same_for_all, "grade": _scored(both=1.0)}),
    Faulty("requests of the day", "K16", "generate", "another day", {"generate": _dated}),
    Faulty("a connection", "K16", "generate", "connects", {"generate": _connects}),
    Faulty("print", "K16", "generate", "prints 'generate of", {"generate": _prints}),
    Faulty("later requests of a single turn", "K06", "generate", "depend on earlier",
           {"generate": _in_turn, "planned_calls": lambda *args: {"model": 2},
            "grade": _scored(both=1.0)}),
    Faulty("await forgotten", "K05", "generate", "coroutine", {"generate": _forgets_await}),
    Faulty("a parameter misspelt", "K05", "generate", "temp",  {"generate": _misspelt_sampling}),
    Faulty("a role of messages misspelt", "K05", "generate", "humn", {"generate": _misspelt_role}),
    Faulty("errors swallowed", "K22", "generate", "caught ProviderError",
           {"generate": _swallows, "grade": _scored(both=0.0)}),
    Faulty("an option that changes requests", "K17", "generate", "not in_requests",
           {"generate": _hidden_option}),
    Faulty("an option in requests for nothing", "K17", "generate", "whatever way is",
           _with(Option("way", False, TEXT, in_requests=True))),
    Faulty("planned_calls of the wrong type", "K06", "planned_calls", "not a Mapping",
           {"planned_calls": _returning(3)}),
    Faulty("prompts of the wrong type", "K01", "prompts", "not a Mapping",
           {"prompts": _returning("x")}),
)  # fmt: skip
GRADES = (
    Faulty("KeyError in grade", "K05", "grade", r"KeyError: 'x' \(faulty.py:\d+\)",
           {"grade": _key_error}),
    Faulty("a judge that is not declared", "K05", "grade", "not declared judged",
           {"grade": _asks_nobody}),
    Faulty("grade gives a float", "K05", "grade", "not a Score",
           {"grade": _async(_returning(0.5))}),
    Faulty("NaN", "K05", "grade", "not finite", {"grade": _scored(both=float("nan"))}),
    Faulty("a value that is a text", "K05", "grade", "not a number", {"grade": _scored(both="1")}),
    Faulty("a value out of range", "K05", "grade", "not from 0 to 1", {"grade": _scored(both=2)}),
    Faulty("a value not declared", "K05", "grade", "declared are", {"grade": _scored(more=1)}),
    Faulty("flags that are a text", "K05", "grade", "flags",
           {"grade": _async(lambda *args: Score({"both": 1.0}, flags="repaired"))}),  # type: ignore[arg-type]
    Faulty("SystemExit in grade", "K05", "grade", "SystemExit",
           {"grade": _async(_raising(SystemExit(3)))}),
    Faulty("a set in detail", "K09", "grade", "JSON cannot hold", {"grade": _keeps_sets}),
    Faulty("a number as a key", "K09", "grade", "not a mapping|keys|changes",
           {"grade": _number_keys}),
    Faulty("unread is zero", "K07", "grade", "scores the reply", {"grade": _plain_zero}),
    Faulty("a quadratic pattern", "K15", "grade", "times as long", {"grade": _slow_pattern}),
    Faulty("what is empty is judged", "K07", "grade", "asks the judge", {"grade": _judges_all},
           Condolences),
    Faulty("markers of a reply in the prompt", "K12", "grade", r"write \[", {"grade": _judges_raw},
           Condolences),
    Faulty("an unread verdict is zero", "K08", "grade", "reads the verdict",
           {"grade": _any_verdict}, Listening),
    Faulty("a judge asked on and on", "K08", "grade", "times", {"grade": _asks_on}, Listening),
    Faulty("a babbler in a panel", "K20", "grade", "babbles", {"grade": _any_verdict}, Listening),
    Faulty("a value never given", "K18", "grade", "never gives the value 'more'",
           {"values": (*Undercurrents.values, Value("more"))}),
)  # fmt: skip
METRICS = (
    Faulty("summarise divides by zero", "K10", "summarise", "ZeroDivisionError",
           {"summarise": _divides}),
    Faulty("summarise gives a dict", "K10", "summarise", "not a Summary",
           {"summarise": _returning({})}),
    Faulty("summarise gives nothing", "K10", "summarise", "without a metric",
           {"summarise": _returning(Summary({}))}),
    Faulty("summarise gives NaN", "K10", "summarise", "not a finite number",
           {"summarise": _returning(Summary({"both": Metric(float("nan"))}))}),
    Faulty("an interval the wrong way", "K10", "summarise", "lower one first",
           {"summarise": _returning(Summary({"both": Metric(0.8, (0.9, 0.7))}))}),
    Faulty("ranked by no metric", "K10", "summarise", "which ranked_by names",
           {"ranked_by": "zz", "summarise": _returning(Summary({"both": Metric(None)}))}),
    Faulty("a value beside its interval", "K10", "summarise", "outside of its interval",
           {"summarise": _beyond}),
    Faulty("the order of scores counts", "K10", "summarise", "in another order",
           {"summarise": _first_counts}),
    Faulty("summarise is quadratic", "K15", "summarise", "lines for", {"summarise": _square}),
    Faulty("a demo model that knows nothing", "K11", "demo_reply", "score zero",
           {"demo_reply": _always_a}),
    Faulty("a demo model the wrong way", "K11", "demo_reply", "of ability 1",
           {"demo_reply": _worst_first}),
    Faulty("a demo judge that sees no reply", "K11", "demo_verdict", "no reply",
           {"demo_verdict": _no_reply_shown}, Condolences),
    Faulty("a demo judge that gives zero", "K11", "demo_verdict", "zero",
           {"demo_verdict": _returning(
               "\n".join(f"{n}: {10 * (n in RUBRIC.lower_is_better)}" for n in RUBRIC.names))},
           Condolences),
    Faulty("a slow demo judge", "K15", "grade", "times as long|not ended",
           {"demo_verdict": _slow_verdict}, Listening),
    Faulty("a baseline that is not chance", "K19", "baselines", "random answers get",
           {"baselines": lambda *args: {"random": Baseline(0.9, "random")}}),
    Faulty("baselines of the wrong type", "K19", "baselines", "not a Mapping",
           {"baselines": _returning([])}),
    Faulty("names order to the judge", "K13", "compare", "name of a model", {"compare": _named},
           Condolences),
    Faulty("margins of nonsense", "K13", "compare", "reads the verdict", {"compare": _favours},
           Condolences),
    Faulty("identical texts crash", "K13", "compare", "ZeroDivisionError",
           {"compare": _crashes_on_same}, Condolences),
    Faulty("silence is compared", "K13", "is_comparable", "said nothing",
           {"is_comparable": _returning(True)}, Condolences),
)  # fmt: skip
RAISING = tuple(
    Faulty(f"{method} raises", check, method, r"KeyError: 'x' \(faulty.py:\d+\)",
           {method: (_async if is_awaited else _itself)(_raising(KeyError("x")))}, base)
    for check, base, is_awaited, methods in (
        ("K01", Scenes, False, "prompts judge_prompts sampling_for needs_judge"),
        ("K04", Scenes, False, "read_pack demo_reply"),
        ("K05", Scenes, True, "generate grade"),
        ("K06", Scenes, False, "planned_calls"),
        ("K10", Scenes, False, "summarise main_values"),
        ("K19", Scenes, False, "baselines"),
        ("K13", Condolences, False,
         "compares placement is_comparable anchor_sets published_scheme item_weights"),
        ("K13", Condolences, True, "compare"),
        ("K20", Listening, False, "demo_verdict"),
        ("K05", Doorstep, False, "demo_role"),
        ("K24", Scenes, False, "published without_reading beside_reference transcript_view"),
    )
    for method in methods.split()
)  # fmt: skip
ALL = (*RAISING, *DECLARATIONS, *PACKS, *REQUESTS, *GRADES, *METRICS)
BASES = (Undercurrents, Condolences, Doorstep, Listening)


async def with_a_greeting(self: Any, item: Any, model: Any, options: Any) -> Any:
    """Other requests than before."""
    await model.chat(f"Hello, {item.id}!")
    return await Undercurrents.generate(self, item, model, options)


async def one_for_all(self: Any, item: Any, transcript: Any, judge: Any, options: Any) -> Score:
    """Other scores than before."""
    return Score({"both": 1.0, "feeling": 1.0, "reason": 1.0})


class _Wrapped:
    """A client of ours with a fault."""

    def __init__(self, config: ClientConfig) -> None:
        spec = replace(config, model=config.model._replace(provider="openai"))
        self.client = installed().provider("openai").create(spec)

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """Our reply."""
        return await self.client.complete(request, call)

    async def close(self) -> None:
        """Ours too."""
        await self.client.close()


class _Raises(_Wrapped):
    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        try:
            return await super().complete(request, call)
        except ProviderError as error:
            raise RuntimeError("cuda out of memory") from error


class _GoesOn(_Wrapped):
    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        try:
            return await super().complete(request, call)
        except asyncio.CancelledError:
            return ChatResponse("never mind")


class _Claims(_Wrapped):
    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        reply = await super().complete(request, call)
        return replace(reply, sent={**reply.sent, "top_k": 40})


class _Mixes(_Wrapped):
    last = ""

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        self.last = request.messages[-1].content
        await asyncio.sleep(0.01)
        message = replace(request, messages=(Message("user", self.last),))
        return await super().complete(message, call)


PROVIDERS = {
    kind.__name__: (Provider("planted", TEXT, kind, host=""), check, words)
    for kind, check, words in (
        (_Raises, "P1", "RuntimeError: cuda"),
        (_GoesOn, "P2", "cancelled"),
        (_Claims, "P3", "top_k=40"),
        (_Mixes, "P4", "another request's reply to 31"),
    )
}


class _Engine:
    """Rates by a number of each model."""

    title = "planted"

    def __init__(self, name: str, number: Callable[[Comparisons, int], float]) -> None:
        self.name, self._number = name, number

    def rate(self, comparisons: Comparisons, settings: RatingSettings) -> Ratings:
        """By that number alone."""
        models = enumerate(comparisons.models)
        rows = [ModelRating(m, self._number(comparisons, n), None, None, 1, None, None, 1)
                for n, m in models]  # fmt: skip
        return Ratings(self.name, tuple(rows))


ENGINES = {
    name: (_Engine(name, number), check, words)
    for name, check, words, number in (
        ("luck", "E1", "each time", lambda comparisons, n: random.random()),
        ("alphabet", "E2", "change their names", lambda comparisons, n: float(n)),
        ("division", "E3", "ZeroDivisionError", lambda comparisons, n: n / (len(comparisons) - 1)),
    )
}
