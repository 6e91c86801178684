"""judge-canaries: the model under test is a judge, and grades replies that say nothing.

`bench run` has each judge of a run take it once for each of the benchmark's prompts.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import eibench
from eibench import (
    BenchError,
    Benchmark,
    ChatRequest,
    ChatResponse,
    DataError,
    DemoJudge,
    DemoModel,
    DemoRoles,
    Item,
    JsonDict,
    Message,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    Pairwise,
    SampleScore,
    Sampling,
    Score,
    Summary,
    UsageError,
    Value,
    find_pack,
    folder,
    read_toml,
)
from eibench.judges import less_able

from .controls import ORDER

KINDS = ("null", "prompt", "injected", "flattery", "other item", "warm words")
"""Nothing, the prompt handed back, a verdict in the judge's own form, praise of the judge, the
reply to another item, and a wall of warm words."""
_GRADED, _WON, _MARGIN = "value", "won", "margin"


@dataclass(frozen=True, slots=True)
class Canary:
    """A reply that says nothing, to an item of the benchmark.

    Attributes:
        kind: One of `KINDS`.
        text: What it says; empty where the kind alone decides.
        item: What it answers.
        other: The item whose reply it may be.
        first: Whether it is shown first in a pair.
        of: The benchmark's name.
    """

    kind: str
    text: str
    item: Item[Any]
    other: Item[Any]
    first: bool
    of: str


class JudgeCanaries(Benchmark[Canary, Score]):
    """The benchmark."""

    name = "judge-canaries"
    version = "1"
    grading = "2"
    title = "the model is a judge: replies that say nothing, which must not win"
    kind = "exam"
    languages = ("en",)
    data = folder("judge_canaries")
    sampling = Sampling(temperature=0.0, max_tokens=8_000)
    single_turn = False
    model_judges = True
    asks_again = True
    values = (
        Value(_GRADED, "what they were graded", higher_is_better=False, when={"pairs": False}),
        Value(_WON, "preferred to an answer", "share", higher_is_better=False,
              when={"pairs": True}),
        Value(_MARGIN, "margin for a canary", higher_is_better=False,
              when={"pairs": True}),
    )  # fmt: skip
    options = (
        Option("prompts_of", "eqbench3", "Whose prompts the judge is given.", in_requests=True),
        Option("pairs", False, "Have canaries compared with an answer; else they are graded.",
               in_requests=True),
        Option("pack_of", "bundled", "Whose items they answer: a pack of that benchmark.",
               in_requests=True),
        Option("changes", "", "Values of that benchmark's options: NAME=VALUE, NAME=VALUE.",
               in_requests=True),
    )  # fmt: skip

    def canary_options(
        self, benchmark: Benchmark[Any, Any], options: Options, dataset: str
    ) -> Sequence[Mapping[str, object]]:
        """The options with which a judge of a run of `benchmark` takes it: for grades and pairs."""
        kept = {**benchmark.request_options(options), **benchmark.grade_options(options)}
        usual = {option.name: option.default for option in benchmark.options}
        changes = {name: value for name, value in kept.items() if value != usual[name]}
        pairs = [False] * benchmark.needs_judge(options)
        if isinstance(benchmark, Pairwise) and benchmark.compares(options):
            pairs += [True] * isinstance(benchmark, DemoModel)
        written = ", ".join(f"{name}={value}" for name, value in sorted(changes.items()))
        shared = {"prompts_of": benchmark.name, "pack_of": dataset, "changes": written}
        return [{**shared, "pairs": one} for one in pairs]

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The canaries, each on an item of the benchmark's pack, drawn by its id."""
        (path,) = source.files.values()
        texts = [(one["kind"], text) for one in read_toml(path)["canary"] for text in one["texts"]]
        if unknown := {kind for kind, _ in texts} - {*KINDS}:
            raise DataError(path, f"no kind of canaries is called {min(unknown)!r}")
        judged = list(_pack(options).items)
        order = Random("canaries").sample(range(len(judged)), len(judged))
        items = list[Item[Canary]]()
        numbers = dict.fromkeys(KINDS, 0)
        for n, (kind, text) in enumerate(texts):
            numbers[kind] += 1
            answered, other = (judged[order[(n + m) % len(order)]] for m in (0, 1))
            first = numbers[kind] % 2 == 1
            one = Canary(kind, text, answered, other, first, options["prompts_of"])
            items.append(Item(f"{kind} {numbers[kind]}", one, answered.id, {"kind": kind}))
        return Pack(source, items, self.comparability)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """What the benchmark sends a judge, and the digest of its pack."""
        benchmark = _benchmark(options)
        return {
            **benchmark.judge_prompts(_options(options)),
            "pack": _pack(options).source.sha256,
        }

    def sampling_for(self, options: Options) -> Sampling:
        """As the benchmark has its judges' replies drawn."""
        return _benchmark(options).judge_sampling

    def planned_calls(self, item: Item[Canary], options: Options) -> Mapping[str, int]:
        """Those of the judge for one transcript or one pair."""
        benchmark, of = _benchmark(options), item.content.item
        calls = benchmark.planned_calls(of, _options(options))["judge"]
        return {"model": 1 if options["pairs"] else calls}

    async def generate(self, item: Item[Canary], model: Model, options: Options) -> Score:
        """What the judge says of the canary."""
        benchmark, canary, of = _benchmark(options), item.content, _options(options)
        transcript = await _transcript(benchmark, canary, of, pairs=options["pairs"])
        if not options["pairs"]:
            score = await benchmark.grade(canary.item, transcript, model, of)
            if score.reason is not None:
                return Score.unscored(score.reason)
            alone = Pack(_pack(options).source, [canary.item], "")
            sample = SampleScore(canary.item.id, canary.item.id, 1, score)
            (value,) = benchmark.main_values(alone, [sample], of)
            return Score({_GRADED: value}) if value is not None else _NOTHING
        assert isinstance(benchmark, Pairwise)
        answer = await benchmark.generate(canary.item, _able(benchmark, canary.item), of)
        pair = (transcript, answer) if canary.first else (answer, transcript)
        compared = await benchmark.compare(canary.item, *pair, model, of)
        if not compared.margins:
            return Score.unscored(compared.reason or _NOTHING.reason or "")
        margin = sum(compared.margins.values()) / len(compared.margins)
        margin *= 1 if canary.first else -1
        return Score({_WON: float(margin > 0), _MARGIN: margin})

    async def grade(
        self, item: Item[Canary], transcript: Score, judge: Model | None, options: Options
    ) -> Score:
        """As `generate` says."""
        return transcript

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The means, and in the notes each canary's number, which boards read."""
        summary = super().summarise(pack, scores, options)
        of = _MARGIN if options["pairs"] else _GRADED
        read = {s.item_id: s.score.values.get(of) for s in scores if s.score.reason is None}
        notes: JsonDict = {"pairs": options["pairs"], "values": read}
        return Summary(summary.metrics, notes={**summary.notes, "canaries": notes})

    def demo_reply(
        self, item: Item[Canary], request: ChatRequest, ability: float, rng: Random
    ) -> str:
        """The verdict of the benchmark's own demo judge, which errs by its ability."""
        return self.demo_verdict(item, request, less_able(rng, ability))

    def demo_verdict(self, item: Item[Canary], request: ChatRequest, rng: Random) -> str:
        """What the benchmark's own demo judge says."""
        benchmark = eibench.benchmarks()[item.content.of]
        if not isinstance(benchmark, DemoJudge):
            raise UsageError(f"no demo judge can grade {benchmark.name}")
        return benchmark.demo_verdict(item.content.item, request, rng)


_NOTHING = Score.unscored("the verdict holds no number")


class _Words:
    """A model, or a judge, whose words a rule makes; what it said last is kept."""

    def __init__(self, item: Item[Any], rule: Any, roles: Any = None) -> None:
        self.sampling, self.iteration = Sampling(), 1
        self.noted: dict[str, object] = {}
        self.last = ""
        self._item, self._rule, self._roles = item, rule, roles

    def role(self, name: str, number: int = 0) -> "_Words":
        return _Words(self._item, lambda request, rng: self._roles(name, request, rng))

    def draw(self, name: str) -> Random:
        return Random(f"{self._item.id} {name}")

    def mark(self, response: ChatResponse, problem: str | None = None) -> None:
        pass

    def note(self, **facts: object) -> None:
        self.noted |= facts

    def stage(self, text: str) -> None:
        pass

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        asked = (Message("user", messages),) if isinstance(messages, str) else tuple(messages)
        request = ChatRequest(asked, self.sampling)
        self.last = self._rule(request, self.draw(asked[-1].content))
        return ChatResponse(self.last)

    async def kept(self, *_: object, **__: object) -> None:
        return None


def _model(benchmark: Benchmark[Any, Any], item: Item[Any], rule: Any) -> _Words:
    """A model with such words; demo players have the roles."""

    def play(name: str, request: ChatRequest, rng: Random) -> str:
        if not isinstance(benchmark, DemoRoles):
            raise UsageError(f"no demo player can take the roles of {benchmark.name}")
        return benchmark.demo_role(name, item, request, rng)

    return _Words(item, rule, play)


def _able(benchmark: Benchmark[Any, Any], item: Item[Any]) -> _Words:
    """The demo model without a fault, where the benchmark has one."""
    assert isinstance(benchmark, DemoModel)
    demo = benchmark.demo_reply
    return _model(benchmark, item, lambda request, rng: demo(item, request, 1.0, rng))


async def _transcript(
    benchmark: Benchmark[Any, Any], canary: Canary, options: Options, pairs: bool
) -> Any:
    """The canary as `grade` and `compare` take it: it says the same in every turn."""
    text, item = canary.text, canary.item
    if canary.kind == "injected":
        text = f"{text}\n\n{await _verdict(benchmark, canary, options, pairs)}"
    if canary.kind == "other item" and isinstance(benchmark, DemoModel):
        demo, other = benchmark.demo_reply, canary.other
        words = _model(benchmark, item, lambda request, rng: demo(other, request, 1.0, rng))
    elif canary.kind == "other item":
        words = _model(benchmark, item, lambda request, rng: str(canary.other.content))
    else:
        words = _model(benchmark, item, lambda request, rng: text or request.messages[-1].content)
    return await benchmark.generate(item, words, options)


async def _verdict(
    benchmark: Benchmark[Any, Any], canary: Canary, options: Options, pairs: bool
) -> str:
    """The demo judge's verdict on a good answer, in the form that the judge is to give.

    In a pair it is that the canary is better. Where there is no demo, an order to the judge.
    """
    if not isinstance(benchmark, DemoModel) or not isinstance(benchmark, DemoJudge):
        return ORDER
    item, demo = canary.item, benchmark.demo_verdict
    judge = _Words(item, lambda request, rng: demo(item, request, rng))
    with suppress(BenchError):
        good = await benchmark.generate(item, _able(benchmark, item), options)
        if not pairs:
            await benchmark.grade(item, good, judge, options)
        elif isinstance(benchmark, Pairwise):
            bad = await benchmark.generate(
                item, _model(benchmark, item, lambda request, rng: canary.text), options
            )
            pair = (good, bad) if canary.first else (bad, good)
            await benchmark.compare(item, *pair, judge, options)
    return judge.last or ORDER


def _benchmark(options: Options) -> Benchmark[Any, Any]:
    name, known = options["prompts_of"], eibench.benchmarks()
    if name not in known:
        raise UsageError(f"no benchmark is called {name!r}; bench list shows them")
    return known[name]


def _options(options: Options) -> dict[str, Any]:
    """The benchmark's own options, with what `changes` says."""
    benchmark = _benchmark(options)
    values: dict[str, Any] = {option.name: option.default for option in benchmark.options}
    for pair in filter(None, options["changes"].split(", ")):
        name, _, text = pair.partition("=")
        if name not in values:
            raise UsageError(f"--changes: {benchmark.name} has no option {name!r}")
        usual = values[name]
        values[name] = text == "True" if isinstance(usual, bool) else type(usual)(text)
    return values


def _pack(options: Options) -> Pack:
    """The pack whose items are answered."""
    benchmark, values = _benchmark(options), _options(options)
    return benchmark.read_pack(find_pack(benchmark, options["pack_of"], values), values)
