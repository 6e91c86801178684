"""mediation-live: a talk of three parties, graded by a judge.

The model under test mediates; the two people are played by one role, which is given
what the talk has unlocked and nothing else. Its facts are in docs/mediation-live.md.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Literal

from eibench import (
    Benchmark,
    ChatRequest,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    Role,
    Sampling,
    Score,
    Value,
    folder,
)

from . import demo, prompts
from .disputes import Dispute, read_disputes
from .talk import LEFT, ROLE, SETTLED, Talk, hold_talk, judge_messages

SCORE, BROKEN = "rubric_score", "broken-turn"
_OVER = "disputes"
_TALKS = "how the talks went, no part of the score"
_BREAKS = "talks in which the players broke their rules"


def _bound(name: str, label: str) -> Value:
    return Value(name, label, range=(0, 100), group=_BREAKS, over=_OVER)


def _evidence(name: str, label: str, most: float | None = None, group: str = _TALKS) -> Value:
    """What the judge does not give; a share of talks where it has no other range."""
    ends = None if most is None else (0.0, most)
    kind: Literal["number", "share"] = "number" if ends else "share"
    return Value(name, label, kind, ends, None, judged=False, group=group, over=_OVER)


class MediationLive(Benchmark[Dispute, Talk]):
    """The benchmark."""

    name = "mediation-live"
    version = "1"
    grading = "2"
    title = "mediate a dispute between two people whom a further model plays, graded on a rubric"
    kind = "talk"
    languages = ("en",)
    data = folder("mediation_live")
    sampling = Sampling(temperature=0.7, max_tokens=4_000)
    roles = (
        Role(
            ROLE,
            "Plays both people, and decides what unlocks a fact.",
            Sampling(temperature=0.7, max_tokens=4_000),
        ),
    )
    judged = True
    asks_again = True
    single_turn = False
    options = (
        Option(
            "exchanges",
            8,
            "How many turns the mediator has at most.",
            in_requests=True,
            min=1,
            max=8,
        ),
    )
    values = (
        *prompts.RUBRIC.values(over=_OVER),
        _evidence("settled", "settled"),
        _evidence("left", "ended at a breaking point"),
        _evidence("exchanges", "exchanges", 8),
        _evidence("unlocked", "share of facts unlocked", 1),
        _evidence("trust_first", "trust at the end of who is named first (0-10)", 10),
        _evidence("trust_second", "trust at the end of the other (0-10)", 10),
        _evidence("broken", "share of talks", group=_BREAKS),
        _bound("rubric_unbroken", "rubric score without them"),
        _bound("rubric_least", "rubric score if they were worth 0"),
        _bound("rubric_most", "rubric score if they were worth 100"),
    )

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The disputes."""
        return Pack(source, read_disputes(source), self.comparability)

    def planned_calls(self, item: Item, options: Options) -> Mapping[str, int]:
        """Of each exchange a turn, its gate and what is said to it; one verdict."""
        n = int(options["exchanges"])
        return {"model": n, ROLE: 2 * n, "judge": 1}

    async def generate(self, item: Item[Dispute], model: Model, options: Options) -> Talk:
        """The talk."""
        return await hold_talk(item.content, model, options["exchanges"])

    async def grade(
        self, item: Item[Dispute], transcript: Talk, judge: Model | None, options: Options
    ) -> Score:
        """The verdict on what was said aloud, beside how the talk went."""
        assert judge is not None
        detail, flags = transcript.facts, (BROKEN,) * bool(transcript.breaks)
        if transcript.unread:
            return Score.unscored(transcript.unread, flags=flags, detail=detail)
        messages = judge_messages(item.content, transcript)
        score = prompts.RUBRIC.score(await prompts.RUBRIC.ask(judge, messages, cache_prefix=1))
        score = replace(score, flags=(*flags, *score.flags), detail=detail)
        if score.reason is not None:
            return score
        went = {**_went(item.content, transcript), **_bounds(score.values[SCORE], transcript)}
        return replace(score, values={**score.values, **went})

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The model's, and those of who plays the two people."""
        gate = prompts.GATE_RULES + prompts.GATE.user
        play = prompts.PLAY + prompts.CARD + prompts.NEWS + prompts.TURN.user
        return {"mediator": prompts.MEDIATE, "gate": gate, "players": play}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The judge's, with its form."""
        judge = prompts.JUDGE
        return {"system": judge.system, "user": judge.user, "form": prompts.RUBRIC.shown}

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Sentences of a mediator of that ability."""
        return demo.mediator(item.content, request, ability, rng)

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: Random) -> str:
        """The gate by words in common; trust by what the mediator does."""
        return demo.disputants(item.content, request)

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """Grades by the share of the mediator's sentences that ask or wonder."""
        return demo.verdict(request.messages[-1].content, rng)


def _went(dispute: Dispute, talk: Talk) -> dict[str, float]:
    trust = zip(("trust_first", "trust_second"), dispute.names, strict=True)
    return {
        "settled": float(talk.ended == SETTLED),
        "left": float(talk.ended == LEFT),
        "exchanges": float(talk.exchanges),
        "unlocked": len(talk.ledger) / len(dispute.facts),
        **{value: talk.trust[name] for value, name in trust if name in talk.trust},
    }


def _bounds(total: float | None, talk: Talk) -> dict[str, float | None]:
    """What the rubric score becomes where a talk with a broken turn counts otherwise."""
    if talk.breaks:
        return {"broken": 1.0, "rubric_least": 0.0, "rubric_most": 100.0}
    return {"broken": 0.0, "rubric_unbroken": total, "rubric_least": total, "rubric_most": total}
