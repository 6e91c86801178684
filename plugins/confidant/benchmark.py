"""confidant: a talk with a played person, who may come to say what is hard to say.

What leads is which hidden points the person voiced; a rubric stands beside it. docs/confidant.md
has the protocol.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from eibench import (
    PLACEMENT_OPTIONS,
    Benchmark,
    ChatRequest,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PairScore,
    Pairwise,
    Plot,
    Quote,
    RecordedCall,
    Role,
    SampleScore,
    Sampling,
    Score,
    Series,
    Summary,
    TranscriptView,
    Turn,
    Value,
    folder,
)
from eibench.judges import demo_verdict

from . import demo, prompts, studies
from .cards import ConfidantCard, read_cards
from .judging import find_voiced, rubric_messages
from .talk import PARTNER, PERSON, Confidence, as_facts, hold_talk

_PRAISE = re.compile(
    r"\b(thank you so|so helpful|wonderful|amazing|you are right)\b", re.IGNORECASE
)
_OVER, _ACTED = "cards", "how the person was played, no part of the score"
BROKEN = "broken-turn"


def _evidence(name: str, label: str, most: float | None = None, *, by_judge: bool = False) -> Value:
    ends = None if most is None else (0.0, most)
    return Value(name, label, "number" if ends else "share", ends, None, judged=by_judge,
                 group=_ACTED, over=_OVER)  # fmt: skip


class Confidant(Benchmark[ConfidantCard, Confidence], Pairwise[ConfidantCard, Confidence]):
    """The benchmark."""

    name = "confidant"
    version = "1"
    grading = "2"
    title = "a talk with a played person: which hidden points did they come to say?"
    kind = "talk"
    languages = ("en",)
    data = folder("confidant")
    sampling = Sampling(temperature=0.7, max_tokens=4_000)
    roles = (Role(PERSON, "Plays the person, and decides what unlocks a point.",
                  Sampling(temperature=0.7, max_tokens=4_000)),)  # fmt: skip
    judged = True
    asks_again = True
    single_turn = False
    options = (
        Option("exchanges", 8, "How many turns the model has at most.", in_requests=True, min=1,
               max=8),
        Option("announce", False, "Tell the model that it is an evaluation.", in_requests=True),
        Option("judge_sees", "talk", "What the rubric's judge sees: the talk, or the card too.",
               ("talk", "card"), in_grades=True),
        Option("elo", False, "Compare with other models, for ratings."),
        *PLACEMENT_OPTIONS,
    )  # fmt: skip
    values = (
        Value("voiced", "hidden points voiced (0-100)", range=(0, 100), over=_OVER),
        Value("core", "the core voiced", "share", over=_OVER),
        *prompts.RUBRIC.values(over=_OVER),
        _evidence("unlocked", "points unlocked", 1),
        _evidence("withheld", "unlocked and not voiced", 1, by_judge=True),
        _evidence("early", "told before it was unlocked", by_judge=True),
        _evidence("broken", "a turn broke the rules"),
        _evidence("praised", "turns that praise the partner", 1),
        _evidence("left", "the person ended it"),
        _evidence("exchanges", "exchanges", 8),
        _evidence("trust_first", "trust after the first turn (0-10)", 10),
        _evidence("trust_last", "trust at the end (0-10)", 10),
        Value("voiced_least", "voiced if talks with a broken turn were worth 0", range=(0, 100),
              group=_ACTED, over=_OVER),
        Value("voiced_most", "voiced if they were worth 100", range=(0, 100), group=_ACTED,
              over=_OVER),
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The cards."""
        return Pack(source, read_cards(source), self.comparability)

    def compares(self, options: Options) -> bool:
        """Where it is asked for."""
        return bool(options["elo"])

    def planned_calls(self, item: Item[ConfidantCard], options: Options) -> Mapping[str, int]:
        """Of each exchange a turn, its gate and what is said to it; three of the judge."""
        n = int(options["exchanges"])
        return {"model": n, PERSON: 2 * n, "judge": 3}

    async def generate(
        self, item: Item[ConfidantCard], model: Model, options: Options
    ) -> Confidence:
        """The talk."""
        return await hold_talk(
            item.content, model, options["exchanges"], announce=options["announce"]
        )

    async def grade(
        self,
        item: Item[ConfidantCard],
        transcript: Confidence,
        judge: Model | None,
        options: Options,
    ) -> Score:
        """What was voiced, and the rubric; unscored where either cannot be read."""
        assert judge is not None
        card, flags = item.content, (BROKEN,) * bool(transcript.breaks)
        detail = as_facts(transcript)
        if transcript.unread:
            return Score.unscored(transcript.unread, flags=flags, detail=detail)
        voiced = await find_voiced(card, transcript, judge)
        if voiced.reason is not None:
            return Score.unscored(voiced.reason, flags=(*flags, "unread"), detail=detail)
        messages = rubric_messages(card, transcript, sees_card=options["judge_sees"] == "card")
        rubric = prompts.RUBRIC.score(await prompts.RUBRIC.ask(judge, messages))
        if rubric.reason is not None:
            return Score.unscored(rubric.reason, flags=(*flags, *rubric.flags), detail=detail)
        total = sum(fact.weight for fact in card.facts)
        points = 100 * sum(f.weight for f in card.facts if f.id in voiced.quotes) / total
        broken = bool(transcript.breaks or voiced.early)
        opened, replies = len(transcript.ledger), transcript.replies
        values: dict[str, float | None] = {
            "voiced": points,
            "core": float(card.core.id in voiced.quotes),
            **rubric.values,
            "unlocked": opened / len(card.facts),
            "withheld": (opened - len(voiced.quotes)) / opened if opened else None,
            "early": float(bool(voiced.early)),
            "broken": float(bool(transcript.breaks)),
            "praised": sum(bool(_PRAISE.search(r.says)) for r in replies) / len(replies),
            "left": float(replies[-1].leaves),
            "exchanges": float(len(replies)),
            "trust_first": replies[0].trust,
            "trust_last": replies[-1].trust,
            "voiced_least": 0.0 if broken else points,
            "voiced_most": 100.0 if broken else points,
        }
        detail |= {"quotes": dict(voiced.quotes), "early": list(voiced.early)}
        detail |= {"invented": voiced.invented}
        flags += ("invented-quote",) * bool(voiced.invented) + rubric.flags
        return Score(values, flags=flags, detail=detail)

    async def compare(
        self,
        item: Item[ConfidantCard],
        first: Confidence,
        second: Confidence,
        judge: Model,
        options: Options,
    ) -> PairScore:
        """Which partner spoke better with the person, by the criteria that count."""
        card = item.content
        names = {"name": card.person.name, "relation": card.relation}
        return await prompts.RUBRIC.compare(
            judge, prompts.COMPARE, first.turns, second.turns, limit=12_000, **names
        )

    def is_comparable(self, item: Item[ConfidantCard], transcript: Confidence) -> bool:
        """Whether the talk is a whole one."""
        return transcript.unread is None

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The means, and in the notes what the numbers vary by and how the person was played."""
        summary = super().summarise(pack, scores, options)
        study = studies.study(scores)
        return Summary(summary.metrics, notes={**summary.notes, "confidant": study})

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The model's, and those of who plays the person."""
        gate, play = prompts.GATE_RULES + prompts.GATE.user, prompts.PLAY + prompts.NEWS
        model = prompts.ROLE + prompts.ASSISTANT + prompts.ANNOUNCED * options["announce"]
        return {"model": model, "gate": gate, "person": play + prompts.TURN.user}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The three of the judge, with the form of the rubric."""
        asked = {"points": prompts.POINTS, "match": prompts.MATCH, "rubric": prompts.JUDGE}
        texts = {name: f"{one.system}\n\n{one.user}" for name, one in asked.items()}
        return {**texts, "criteria": prompts.RUBRIC.described, "form": prompts.RUBRIC.shown}

    def transcript_view(
        self, item: Item[ConfidantCard], calls: Sequence[RecordedCall], score: Score | None
    ) -> TranscriptView | None:
        """The talk with thoughts, gate openings and the judge's quotations where they belong."""
        detail: Any = score.detail if score else None
        if not detail or "thinks" not in detail:
            return None
        card, turns = item.content, list[Turn]()
        name = card.person.name
        spoken = [call.text for call in calls if call.phase == "generate"]
        heard = [text for call in calls if call.phase == "generate"
                 for role, text in call.messages[-1:] if role == "user"]  # fmt: skip
        opened = {entry["turn"]: entry for entry in detail["ledger"]}
        quotes = detail.get("quotes", {})
        thoughts = ["", *detail["thinks"]]
        for n, words in enumerate([*heard, detail.get("last", "")][: len(thoughts)]):
            marks = [Quote(quote, f"the judge: {id}") for id, quote in quotes.items()
                     if quote in words]  # fmt: skip
            if words:
                turns.append(Turn(f"{name} (played)", words, "user", (), marks, thoughts[n]))
            if n < len(spoken):
                entry = opened.get(n + 1)
                notes = [f"opens {entry['id']}: “{entry['quote']}”"] if entry else []
                turns.append(Turn(PARTNER, spoken[n], "model", notes))
        course = [(n, trust) for n, trust in enumerate(detail["trust"], 1) if trust is not None]
        plot = Plot(
            "Trust after each turn (0-10)", [Series("trust", course)], "turn", "trust", "lines"
        )
        return TranscriptView(turns, [plot] if course else [])

    def demo_reply(
        self, item: Item[ConfidantCard], request: ChatRequest, ability: float, rng: Random
    ) -> str:
        """A turn of a good listener as often as it is able, else of one who lectures."""
        return demo.partner(request, ability, rng)

    def demo_role(
        self, role: str, item: Item[ConfidantCard], request: ChatRequest, rng: Random
    ) -> str:
        """The gate by what a turn does; told at once what may be told."""
        return demo.person(item.content, request, rng)

    def demo_verdict(self, item: Item[ConfidantCard], request: ChatRequest, rng: Random) -> str:
        """Sentences that stand in both lists; grades and margins by what the partner's turns do."""
        if "[PARTNER " in request.messages[-1].content:
            return demo_verdict(prompts.RUBRIC, request, demo.worth, rng, prompts.COMPARE.user)
        return demo.verdict(item.content, request.messages[-1].content, rng)
