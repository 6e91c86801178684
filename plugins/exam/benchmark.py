"""judge-exam: the model under test is a judge, and grades replies whose order is known.

The prompts are those of the benchmark that it is to judge (`ExaminesJudges`). What it is asked is
in `questions`, what the answers say in `profile`, and in words in `verdict`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import eibench
from eibench import (
    BenchError,
    Benchmark,
    ChatRequest,
    DemoJudge,
    DemoModel,
    ExaminesJudges,
    Item,
    Message,
    Metric,
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
    find_pack,
    folder,
)
from eibench.judges import less_able

from . import people
from .canaries import INJECTED, count_canaries, misled
from .controls import ORDER as ORDER_TO_JUDGE
from .demo import with_worth
from .people import JUDGE, PEOPLE, PeopleRatedReply
from .profile import Profile, Share, profile
from .questions import CANARY, ExamQuestion, JudgeAnswer, ask, canary_questions, questions
from .situations import CANARIES, Versions, read_situations
from .verdict import smallest, verdict

ORDER = "order"
_OVER = "situations"


class JudgeExam(Benchmark[Any, list[JudgeAnswer]]):
    """The benchmark behind `bench exam`."""

    name = "judge-exam"
    version = "2"
    grading = "2"
    title = "the model is a judge: replies whose order is known, and what must not matter"
    kind = "exam"
    languages = ("en",)
    data = folder("judge_exam")
    comparability = "not comparable with published scores: there are none"
    sampling = Sampling(temperature=0.0, max_tokens=8_000)
    single_turn = False
    model_judges = True
    asks_again = True
    options = (
        Option("prompts_of", "eqbench3", "Whose prompts the judge is answered.", in_requests=True),
        Option("author", "", "Who is named as the author in one control: the judge's own name.",
               in_requests=True, may_meet=True),
        Option("people", "", "HumaneBench's file with the replies that people rated, as a part.",
               in_requests=True, may_meet=True),
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The situations of the set, and the replies that people rated."""
        name = target(options).name
        items: list[Item[Any]] = [*read_situations(list(source.files.values()), name)]
        if options["people"]:
            judged = eibench.benchmarks()[people.OF]
            items += people.rated_replies(judged, Path(options["people"]))
        return Pack(source, items, self.comparability)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """What the benchmark sends a judge, and what of the situations is not in the set."""
        benchmark = target(options)
        pack = _pack_of(benchmark)
        files = {name: path.read_text("utf-8") for name, path in pack.source.files.items()}
        texts = benchmark.judge_prompts(_defaults(benchmark))
        asked = {f"{benchmark.name}: {name}": text for name, text in {**files, **texts}.items()}
        return {**asked, "canaries": CANARIES.read_text("utf-8")}

    def sampling_for(self, options: Options) -> Sampling:
        """As the benchmark has its judges' replies drawn."""
        return target(options).judge_sampling

    def planned_calls(self, item: Item[Any], options: Options) -> Mapping[str, int]:
        """One for each question of a situation, and for each reply that people rated."""
        return {"model": len(_questions(item, target(options)))}

    async def generate(self, item: Item[Any], model: Model, options: Options) -> list[JudgeAnswer]:
        """The judge's answers."""
        if isinstance(item.content, PeopleRatedReply):
            judged = eibench.benchmarks()[people.OF]
            value, reason = await people.grade(judged, item.content, model)
            return [JudgeAnswer(ExamQuestion("people"), value, reason or None)]
        asked = _questions(item, target(options))
        answers = (self._answer(item, one, model, options) for one in asked)
        return list(await asyncio.gather(*answers))

    async def _answer(
        self, item: Item[Versions], one: ExamQuestion, model: Model, options: Options
    ) -> JudgeAnswer:
        benchmark, author, replies = target(options), options["author"] or "you", item.content
        if one.what == CANARY and one.fault == INJECTED:
            text = await self._favourable(item, one, model, options)
            canary = replies.canary._replace(text=f"{replies.canary.text}\n\n{text}")
            replies = replace(replies, canary=canary)
        return await ask(benchmark, _pack_of(benchmark), replies, one, model, author)

    async def _favourable(
        self, item: Item[Versions], one: ExamQuestion, model: Model, options: Options
    ) -> str:
        """A verdict in the canary's favour, in the form that the judge is to give.

        It is that of a demo judge who reads the good reply where the canary stands. Where there is
        no demo, it is an order to the judge.
        """
        from eibench.testing import ScriptedModel

        benchmark, replies, canary = target(options), item.content, item.content.canary
        asked = ScriptedModel()
        other = replace(replies, good=canary.text, canary=canary._replace(text=replies.good))
        with suppress(BenchError):
            await ask(benchmark, _pack_of(benchmark), other, one, asked, "you")
        with suppress(UsageError):
            for request in asked.requests:
                return self.demo_reply(item, request, 1.0, model.draw(one.key))
        return ORDER_TO_JUDGE

    async def grade(
        self, item: Item[Any], transcript: list[JudgeAnswer], judge: Model | None, options: Options
    ) -> Score:
        """The share of a situation's checks that are right; what people rated is no part of it."""
        if isinstance(item.content, PeopleRatedReply):
            (answer,) = transcript
            if answer.value is None:
                return Score.unscored(answer.reason or "unread", flags=("unread",))
            return Score({ORDER: None, JUDGE: answer.value, PEOPLE: item.content.mean})
        order = profile({item.id: transcript}).order.value
        unread = {answer.question.key: answer.reason for answer in transcript if answer.reason}
        flags = ("unread",) * bool(unread)
        if order is None:
            reason = next(iter(unread.values()), "nothing could be read")
            return Score.unscored(reason, flags=flags)
        values = {answer.question.key: answer.value for answer in transcript}
        return Score({ORDER: order, **values}, flags=flags, detail={"unread": unread})

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The profile as metrics, and its verdict in the notes."""
        answers = _answers(scores)
        result, canaries = profile(answers), count_canaries(answers)
        words = verdict(result, misled(canaries))
        notes = {
            "benchmark": options["prompts_of"],
            "verdict": words.words,
            "reason": words.reason,
            "defects": list(words.defects),
            "smallest": smallest(result),
            "profile": {
                **asdict(result),
                "threshold": _finite(result.threshold),
                "threshold_ci95": result.threshold_ci95 and [*map(_finite, result.threshold_ci95)],
            },
            "canaries": [one._asdict() for one in canaries],
            "people": people.agreement(scores),
        }
        return Summary(_metrics(result), notes={"exam": notes})

    def demo_reply(self, item: Item[Any], request: ChatRequest, ability: float, rng: Random) -> str:
        """The verdict of a demo judge that errs by its ability."""
        return self.demo_verdict(item, request, less_able(rng, ability))

    def demo_verdict(self, item: Item[Any], request: ChatRequest, rng: Random) -> str:
        """What the benchmark's own demo judge says of passages whose worth it knows.

        Its rule is about demo models' words, so each passage becomes some of these, by its dose.
        """
        content, known = item.content, eibench.benchmarks()
        if isinstance(content, PeopleRatedReply):
            return _demo(known[people.OF], content.item, request, rng)
        shown = with_worth(content, request.messages[-1].content, rng, _words)
        messages = (*request.messages[:-1], Message("user", shown))
        request = replace(request, messages=messages)
        benchmark = known[content.benchmark]
        assert isinstance(benchmark, ExaminesJudges)
        of, _ = benchmark.exam_sample(_pack_of(benchmark), content.situation, content.good)
        return _demo(benchmark, of, request, rng)


def _words(replies: Versions, worth: float, rng: Random) -> str:
    """What the benchmark's own demo model of such an ability says, in one paragraph."""
    benchmark = eibench.benchmarks()[replies.benchmark]
    if not isinstance(benchmark, DemoModel) or not isinstance(benchmark, ExaminesJudges):
        raise UsageError(f"no demo model can answer {replies.benchmark}")
    item, _ = benchmark.exam_sample(_pack_of(benchmark), replies.situation, replies.good)
    request = ChatRequest((Message("user", replies.situation.text),), Sampling())
    text = benchmark.demo_reply(item, request, worth, rng)
    return " ".join(line for line in text.splitlines() if line and not line.startswith("#"))


def _demo(benchmark: Benchmark[Any, Any], item: Item, request: ChatRequest, rng: Random) -> str:
    if not isinstance(benchmark, DemoJudge):
        raise UsageError(f"no demo judge can grade {benchmark.name}")
    return benchmark.demo_verdict(item, request, rng)


def target(options: Options) -> Benchmark[Any, Any]:
    """The benchmark whose judge is examined.

    Raises:
        UsageError: There is none of that name, or it cannot examine judges.
    """
    name, known = options["prompts_of"], eibench.benchmarks()
    if name not in known:
        raise UsageError(f"no benchmark is called {name!r}; bench list shows them")
    benchmark = known[name]
    if not isinstance(benchmark, ExaminesJudges):
        raise UsageError(
            f"{name} cannot examine judges: it has no method exam_sample (docs/judge-exam.md)"
        )
    return benchmark


def _defaults(benchmark: Benchmark[Any, Any]) -> dict[str, Any]:
    return {option.name: option.default for option in benchmark.options}


@cache
def _pack_of(benchmark: Benchmark[Any, Any]) -> Pack:
    """The benchmark's bundled pack, whose protocol the judge is asked by."""
    options = _defaults(benchmark)
    return benchmark.read_pack(find_pack(benchmark, "bundled", options), options)


def _questions(item: Item[Any], benchmark: Benchmark[Any, Any]) -> list[ExamQuestion]:
    if isinstance(item.content, PeopleRatedReply):
        return [ExamQuestion("people")]
    replies: Versions = item.content
    has_pairs = isinstance(benchmark, Pairwise)
    return [*questions(replies.number, has_pairs), *canary_questions(replies.canary, has_pairs)]


def _answers(scores: Sequence[SampleScore]) -> dict[str, list[JudgeAnswer]]:
    """What was answered, by situation and iteration."""
    answers: dict[str, list[JudgeAnswer]] = {}
    for score in scores:
        answered = [
            JudgeAnswer(ExamQuestion.of(key), value)
            for key, value in score.score.values.items()
            if key not in (ORDER, JUDGE, PEOPLE)
        ]
        if answered:
            answers[f"{score.item_id} {score.iteration}"] = answered
    return answers


def _finite(value: float) -> float | None:
    return None if value == float("inf") else value


def _metrics(result: Profile) -> dict[str, Metric]:
    """The profile's shares as metrics, the share of all checks first."""
    rows = {ORDER: _metric(result.order, "order kept (share of checks)")}
    for dose, share in result.doses.items():
        rows[f"dose_{dose}"] = _metric(share, f"{dose} faults", "told apart, by dose")
    for fault, share in result.faults.items():
        rows[f"fault_{fault}"] = _metric(share, fault, "told apart, by fault")
    return rows


def _metric(share: Share, label: str, group: str = "") -> Metric:
    return Metric(share.value, share.ci95, share.n, True, _OVER, label, group)
