"""More statements, written by a model, checked one by one, and kept apart from the bundled set.

The places are filled in rounds of twenty, so that the set is balanced at every
moment. A statement that does not fit its place, or says again what another one
says, is refused, and its place is asked for again with the reason.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eibench import (
    DataMaker,
    Generated,
    Item,
    JsonDict,
    Metric,
    Model,
    Options,
    Pack,
    PackSource,
    SampleScore,
    Sampling,
    Score,
    Summary,
    folder,
)

from .similarity import SimilarityIndex
from .slots import ROUND, Slot, slots
from .statements import read_statements
from .writing import PROMPT, Draft, Refusal, check, read_draft, schema, writing_prompt

SHOWN = 8
"""Of the statements already written for the same pair, so many are shown to the writer."""


@dataclass
class Collection:
    """What has come of the places so far.

    Attributes:
        kept: Statements by their place, in the order they were kept.
        refused: How many drafts were refused, by kind of reason.
        empty: Places that no draft fitted, and why the last one did not.
    """

    index: SimilarityIndex
    kept: dict[Slot, Draft] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    empty: dict[Slot, Refusal] = field(default_factory=dict)

    def of_pair(self, slot: Slot) -> list[str]:
        """The latest statements of the same task and life scenario."""
        pair_of_slot = (slot.task, slot.life_scenario)
        kept = self.kept.items()
        pair = [draft.statement for p, draft in kept if (p.task, p.life_scenario) == pair_of_slot]
        return pair[-SHOWN:]

    def take(self, slot: Slot, draft: Draft | Refusal) -> Refusal | None:
        """Keep a draft, or say why not."""
        refusal = draft if isinstance(draft, Refusal) else check(draft, slot, self.index)
        if refusal is not None:
            self.refused[refusal.kind] += 1
            return refusal
        assert isinstance(draft, Draft)
        self.kept[slot] = draft
        self.index.add(slot.id, draft.statement)
        return None


class StatementMaker(DataMaker):
    """Writes statements for EmotionQueen."""

    name = "emotionqueen-statements"
    version = "1"
    title = "new statements for emotionqueen"
    data = folder("emotionqueen")
    sampling = Sampling(temperature=1.0, max_tokens=1000)

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """One item: all statements together, with those that they must differ from."""
        items = read_statements(next(iter(source.files.values())))
        texts = [(item.id, item.content.text) for item in items]
        return Pack(source, [Item("statements", texts)], "beside nothing: it makes data")

    async def generate(self, item: Item, model: Model, options: Options) -> Collection:
        """The places filled, round by round."""
        collection = Collection(SimilarityIndex(item.content))
        every_slot = list(slots(options["count"]))
        for start in range(0, len(every_slot), ROUND):
            some = every_slot[start : start + ROUND]
            await _fill(some, collection, model, options["attempts"])
        return collection

    async def grade(
        self, item: Item, transcript: Collection, judge: Model | None, options: Options
    ) -> Score:
        """The statements, and how many drafts were refused."""
        collection = transcript
        values = {"made": float(len(collection.kept)), "refused": float(collection.refused.total())}
        detail = {
            "statements": [_line(slot, collection.kept[slot]) for slot in sorted(collection.kept)],
            "refused": dict(sorted(collection.refused.items())),
            "empty": {slot.id: collection.empty[slot].message for slot in sorted(collection.empty)},
        }
        return Score(values, detail=detail)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """How many were made; too few make no set."""
        if not scores:
            return Summary({"made": Metric(None, label="statements made")})
        values = scores[0].score.values
        kept, refused = (values[name] for name in ("made", "refused"))
        count = options["count"]
        invalid = None if kept == count else f"only {kept:g} of {count} places could be filled"
        return Summary(
            {
                "made": Metric(kept, n=1, label="statements made"),
                "refused": Metric(refused, None, 1, None, label="drafts refused"),
            },
            invalid,
        )

    def prompts(self, options: Options) -> Mapping[str, str]:
        """What the writer is sent."""
        return {"writer": PROMPT}

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """A call for each statement, when none is refused."""
        return {"model": options["count"]}

    def generated(self, score: Score, model: str) -> Generated:
        """The statements with their author; missing where places stayed empty."""
        detail = score.detail
        lines = [{**line, "made_by": model} for line in detail["statements"]]
        empty = [f"{name} ({message})" for name, message in detail["empty"].items()]
        missing = f"{len(empty)} stayed empty: {', '.join(empty[:3])}" if empty else None
        return Generated(lines, missing, {"refused": detail["refused"]})


async def _fill(some: Sequence[Slot], collection: Collection, model: Model, attempts: int) -> None:
    """Ask for one round's statements until each fits, or has been asked for often enough."""
    left: dict[Slot, Refusal | None] = dict.fromkeys(some)
    for _ in range(attempts):
        asked = list(left.items())
        drafts = await asyncio.gather(*(_draft(p, why, collection, model) for p, why in asked))
        outcomes = [
            (slot, collection.take(slot, draft))
            for (slot, _), draft in zip(asked, drafts, strict=True)
        ]
        left = {slot: refusal for slot, refusal in outcomes if refusal is not None}
        if not left:
            return
    collection.empty |= {slot: refusal for slot, refusal in left.items() if refusal is not None}


async def _draft(
    slot: Slot, why: Refusal | None, collection: Collection, model: Model
) -> Draft | Refusal:
    prompt = writing_prompt(slot, collection.of_pair(slot), why)
    return read_draft(await model.chat(prompt, json_schema=schema()))


def _line(slot: Slot, draft: Draft) -> JsonDict:
    return {
        "id": slot.id,
        "task": slot.task,
        "life_scenario": slot.life_scenario,
        "polarity": slot.polarity,
        "statement": draft.statement,
        "look_for": draft.look_for,
    }
