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
    Item,
    JsonDict,
    Made,
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

from .places import ROUND, Place, SimilarityIndex, places
from .statements import read_statements
from .writing import PROMPT, Draft, Refusal, check, read_draft, schema, writing_prompt

SHOWN = 8
"""Of the statements already written for the same pair, so many are shown to the writer."""


@dataclass
class Collection:
    """What has come of the places so far: drafts in order, counts of refusals, empty places."""

    shelf: SimilarityIndex
    kept: dict[Place, Draft] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    empty: dict[Place, Refusal] = field(default_factory=dict)

    def of_pair(self, place: Place) -> list[str]:
        """The latest statements of the same task and life scenario."""
        wanted = (place.task, place.life_scenario)
        kept = self.kept.items()
        pair = [draft.statement for p, draft in kept if (p.task, p.life_scenario) == wanted]
        return pair[-SHOWN:]

    def take(self, place: Place, draft: Draft | Refusal) -> Refusal | None:
        """Keep a draft, or say why not."""
        refusal = draft if isinstance(draft, Refusal) else check(draft, place, self.shelf)
        if refusal is not None:
            self.refused[refusal.kind] += 1
            return refusal
        assert isinstance(draft, Draft)
        self.kept[place] = draft
        self.shelf.add(place.id, draft.statement)
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
        there = read_statements(next(iter(source.files.values())))
        texts = [(item.id, item.content.text) for item in there]
        return Pack(source, [Item("statements", texts)], "beside nothing: it makes data")

    async def generate(self, item: Item, model: Model, options: Options) -> Collection:
        """The places filled, round by round."""
        made = Collection(SimilarityIndex(item.content))
        wanted = list(places(options["count"]))
        for start in range(0, len(wanted), ROUND):
            await _fill(wanted[start : start + ROUND], made, model, options["attempts"])
        return made

    async def grade(
        self, item: Item, transcript: Collection, judge: Model | None, options: Options
    ) -> Score:
        """The statements, and how many drafts were refused."""
        made = transcript
        values = {"made": float(len(made.kept)), "refused": float(made.refused.total())}
        detail = {
            "statements": [_line(place, made.kept[place]) for place in sorted(made.kept)],
            "refused": dict(sorted(made.refused.items())),
            "empty": {place.id: made.empty[place].message for place in sorted(made.empty)},
        }
        return Score(values, detail=detail)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """How many were made; too few make no set."""
        if not scores:
            return Summary({"made": Metric(None, label="statements made")})
        values = scores[0].score.values
        made, refused = (values[name] for name in ("made", "refused"))
        wanted = options["count"]
        invalid = None if made == wanted else f"only {made:g} of {wanted} places could be filled"
        return Summary(
            {
                "made": Metric(made, n=1, label="statements made"),
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

    def made(self, score: Score, model: str) -> Made:
        """The statements with their author; missing where places stayed empty."""
        detail = score.detail
        lines = [{**line, "made_by": model} for line in detail["statements"]]
        empty = [f"{name} ({message})" for name, message in detail["empty"].items()]
        missing = f"{len(empty)} stayed empty: {', '.join(empty[:3])}" if empty else None
        return Made(lines, missing, {"refused": detail["refused"]})


async def _fill(some: Sequence[Place], made: Collection, model: Model, attempts: int) -> None:
    """Ask for one round's statements until each fits, or has been asked for often enough."""
    left: dict[Place, Refusal | None] = dict.fromkeys(some)
    for _ in range(attempts):
        asked = list(left.items())
        drafts = await asyncio.gather(*(_draft(p, why, made, model) for p, why in asked))
        outcomes = [
            (place, made.take(place, draft))
            for (place, _), draft in zip(asked, drafts, strict=True)
        ]
        left = {place: refusal for place, refusal in outcomes if refusal is not None}
        if not left:
            return
    made.empty |= {place: refusal for place, refusal in left.items() if refusal is not None}


async def _draft(
    place: Place, why: Refusal | None, made: Collection, model: Model
) -> Draft | Refusal:
    prompt = writing_prompt(place, made.of_pair(place), why)
    return read_draft(await model.chat(prompt, json_schema=schema()))


def _line(place: Place, draft: Draft) -> JsonDict:
    return {
        "id": place.id,
        "task": place.task,
        "life_scenario": place.life_scenario,
        "polarity": place.polarity,
        "statement": draft.statement,
        "look_for": draft.look_for,
    }
