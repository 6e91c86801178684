"""diplobench: Austria against six played powers; the score is the game's outcome.

docs/diplobench.md has the protocol and the licence of the engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    DataError,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    RecordedCall,
    Role,
    Sampling,
    Score,
    Table,
    TranscriptView,
    Turn,
    Value,
    folder,
    read_toml,
)

from . import demo, prompts
from .playing import AUSTRIA, OTHERS, POWERS, Record, SevenPlayers, score_of

_OVER = "games"
_SAMPLING = Sampling(temperature=0.0, top_k=3, max_tokens=16_000)


class DiploBench(Benchmark[Mapping[str, str], Record]):
    """The benchmark; an item is a game, its content the characters of the six by power."""

    name = "diplobench"
    version = "2"
    grading = "2"
    title = "full-press Diplomacy: the model plays Austria against six others (Paech 2025)"
    kind = "game"
    languages = ("en",)
    data = folder("diplobench")
    cite = data / "citation.bib"
    comparability = (
        "not comparable with published scores: characters and prompts are ours, and upstream's "
        "players are advised by a trained policy"
    )
    sampling = _SAMPLING
    single_turn = False
    roles = tuple(
        Role(power.lower(), f"Plays {power.capitalize()}.", _SAMPLING, "opponents")
        for power in OTHERS
    )
    options = (
        Option("rounds", 4, "Rounds of letters before the orders of a movement phase.",
               in_requests=True, min=0, max=6),
        Option("max_years", 15, "Years after which a game is a stalemate (published: 50).",
               in_requests=True, min=1, max=50),
    )  # fmt: skip
    values = (
        Value("score", "score (0-100)", range=(0, 100), over=_OVER),
        Value("won", "won", "share", over=_OVER),
        Value("lost", "lost", "share", higher_is_better=False, over=_OVER),
        Value("centres", "centres of Austria at the end", range=(0, 34), over=_OVER),
        Value("most_centres", "most centres at the end of a year", range=(0, 34), over=_OVER),
        Value("years", "years played", range=(0, 50), higher_is_better=None, over=_OVER),
        Value("illegal", "orders that were not legal", "share", higher_is_better=False,
              over=_OVER),
        Value("unread", "replies that could not be read", higher_is_better=False, over=_OVER),
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The games, with the character of each power."""
        (path,) = source.files.values()
        return Pack(source, _games(path), self.comparability)

    def planned_calls(self, item: Item[Mapping[str, str]], options: Options) -> Mapping[str, int]:
        """Each year two movement phases with letters and orders, retreats, and adjustments."""
        each = int(options["max_years"]) * (2 * (int(options["rounds"]) + 1) + 3)
        return {"model": each, **{power.lower(): each for power in OTHERS}}

    async def generate(
        self, item: Item[Mapping[str, str]], model: Model, options: Options
    ) -> Record:
        """The game."""
        others = {power: model.role(power.lower()) for power in OTHERS}
        table = SevenPlayers(model, others, item.content)
        return await table.play(options["rounds"], options["max_years"])

    async def grade(
        self,
        item: Item[Mapping[str, str]],
        transcript: Record,
        judge: Model | None,
        options: Options,
    ) -> Score:
        """By how it ended; a reply that could not be read is counted, and the game went on."""
        mine = [counts[AUSTRIA] for counts in transcript.centres.values()]
        unread = transcript.unread.get(AUSTRIA, 0)
        flags = ("unread-reply",) * bool(unread) + ("illegal-order",) * bool(transcript.illegal)
        values: dict[str, float | None] = {
            "score": score_of(transcript.outcome, transcript.years),
            "won": float(transcript.outcome == "win"),
            "lost": float(transcript.outcome == "loss"),
            "centres": float(mine[-1]),
            "most_centres": float(max(mine)),
            "years": float(transcript.years),
            "illegal": transcript.illegal / transcript.ordered if transcript.ordered else 0.0,
            "unread": float(unread),
        }
        return Score(values, flags=flags, detail=asdict(transcript))

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """What one gets who holds out until the years are over."""
        return {"stalemate": Baseline(50.0, "a stalemate")}

    def prompts(self, options: Options) -> Mapping[str, str]:
        """Those of all seven."""
        return {
            "rules": prompts.RULES + prompts.CHARACTER,
            "letters": prompts.NEGOTIATE.user,
            "orders": prompts.ORDER.user,
        }

    def transcript_view(
        self, item: Item[Mapping[str, str]], calls: Sequence[RecordedCall], score: Score | None
    ) -> TranscriptView | None:
        """Letters and orders turn by turn, and the centres by year."""
        record: Any = score.detail if score else None
        if not record or "phases" not in record:
            return None
        turns = []
        for entry in record["phases"]:
            turns += [
                Turn(f"{entry['phase']}: {sender} to {to}", text,
                     "model" if sender == AUSTRIA else "user")
                for sender, to, text in entry["letters"]
            ]  # fmt: skip
            orders = "\n".join(f"{power}: {', '.join(some) or 'holds'}"
                               for power, some in entry["orders"].items())  # fmt: skip
            turns += [Turn(f"{entry['phase']}: orders", orders, "system")] * bool(orders)
        return TranscriptView(turns, [centres_table(record)])

    def demo_reply(
        self, item: Item[Mapping[str, str]], request: ChatRequest, ability: float, rng: Random
    ) -> str:
        """Orders that take centres, as often as it is able."""
        return demo.reply(request, ability, rng)

    def demo_role(
        self, role: str, item: Item[Mapping[str, str]], request: ChatRequest, rng: Random
    ) -> str:
        """A power that mostly holds."""
        return demo.reply(request, 0.1, rng)


def centres_table(record: Mapping[str, Any]) -> Table:
    """The centres of each power at the end of each year."""
    rows = [(int(year), *(counts[power] for power in POWERS))
            for year, counts in record["centres"].items()]  # fmt: skip
    note = f"{record['outcome']} after {record['years']} years"
    return Table("Centres at the end of each year", ("year", *POWERS), rows, note=note)


def _games(path: Path) -> list[Item[Mapping[str, str]]]:
    """The games of a file.

    Raises:
        DataError: One is not of the form, or names a character that there is not.
    """
    file = read_toml(path)
    characters = {}
    for n, one in enumerate(file.get("character", []), 1):
        if not all(isinstance(one.get(key), str) and one[key].strip() for key in ("id", "text")):
            raise DataError(path, f"[[character]] {n} needs an id and a text")
        characters[one["id"]] = one["text"]
    items = list[Item[Mapping[str, str]]]()
    for n, game in enumerate(file.get("game", []), 1):
        if not isinstance(game.get("id"), str):
            raise DataError(path, f"[[game]] {n} has no id")
        if unknown := [p for p in OTHERS if game.get(p) not in characters]:
            what = f"{unknown[0]} = {game.get(unknown[0])!r} is no id of a [[character]]"
            raise DataError(path, f"[[game]] {n} ({game['id']}): {what}")
        items.append(Item(game["id"], {power: characters[game[power]] for power in OTHERS}))
    if not items:
        raise DataError(path, "has no [[game]]")
    return items
