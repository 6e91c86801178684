"""my-bench: can three agree on what is best for all of them?

The model and two players whom further models play (`--role ana=SPEC --role ben=SPEC`) talk about a
choice. Each sees only what the choices are worth to itself. Then each names one; where all three
name the same, the score is what it is worth to the three, as a share of the best; else it is 0.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import eibench as eb

PLAYERS = ("you", "ana", "ben")
PROMPTS: dict[str, str] = eb.read_toml(Path(__file__).with_name("prompts.toml"))
FIELDS = {"id": str, "what": str, "choices": list, **dict.fromkeys(PLAYERS, list)}
Game = list[tuple[str, str]]
"""Who said what, round by round; in the last round each names a choice."""


class MyBench(eb.Benchmark):
    """Each row of the data holds a choice to be made, and what it is worth to each player."""

    name = "my-bench"
    version = "1"
    title = "agree on what is best for three"
    kind = "game"
    languages = ("en",)
    cite = Path(__file__).with_name("CITATION.bib")
    data = Path(__file__).with_name("data")
    fields = FIELDS
    roles = (eb.Role("ana", "Plays one partner."), eb.Role("ben", "Plays the other."))
    single_turn = False
    options = (eb.Option("rounds", 2, "Rounds of the talk.", in_requests=True, min=1, max=8),)
    values = (
        eb.Value("gain", "worth of what was agreed on", "share", over="games"),
        eb.Value("agreed", "games with an agreement", "share", over="games"),
    )

    def prompts(self, options: eb.Options) -> Mapping[str, str]:
        """What all players are sent: when it changes, the run is another."""
        return PROMPTS

    def planned_calls(self, item: eb.Item, options: eb.Options) -> Mapping[str, int]:
        """A turn of each player in each round, and the choice."""
        return dict.fromkeys(("model", "ana", "ben"), options["rounds"] + 1)

    async def generate(self, item: eb.Item, model: eb.Model, options: eb.Options) -> Game:
        """The game, up to a turn in which nothing is said."""
        game: Game = []
        players = {"you": model, "ana": model.role("ana"), "ben": model.role("ben")}
        for n in range(options["rounds"] + 1):
            for who, player in players.items():
                talk, task = (game, "speak") if n < options["rounds"] else (game[: 3 * n], "name")
                reply = await player.chat(_seen(item.content, who, talk, task))
                if eb.no_answer(reply):
                    return game
                game.append((who, reply.text.strip()))
        return game

    async def grade(
        self, item: eb.Item, transcript: Game, judge: eb.Model | None, options: eb.Options
    ) -> eb.Score:
        """The gain; unscored where somebody falls silent."""
        if len(transcript) < 3 * (options["rounds"] + 1):
            return eb.Score.unscored(f"nobody spoke after turn {len(transcript)}")
        named = {who: text.strip(" .\"'*").lower() for who, text in transcript[-3:]}
        totals, is_one = _totals(item.content), len(set(named.values())) == 1
        together = totals.get(named["you"], 0) if is_one else 0
        values = {"gain": together / max(totals.values()), "agreed": float(together > 0)}
        return eb.Score(values, detail={"named": named})

    def demo_reply(
        self, item: eb.Item, request: eb.ChatRequest, ability: float, rng: Random
    ) -> str:
        """Proposes what is best for all as often as the ability says: for trying it out, free."""
        totals, asked = _totals(item.content), request.messages[-1].content
        best = max(totals, key=lambda choice: totals[choice])
        choice = best if rng.random() < ability else rng.choice(list(totals))
        return _proposed(asked) if PROMPTS["name"] in asked else f"I propose: {choice}"

    def demo_role(self, role: str, item: eb.Item, request: eb.ChatRequest, rng: Random) -> str:
        """Goes along with what was proposed last."""
        return _proposed(request.messages[-1].content)


def _seen(row: dict[str, Any], who: str, talk: Game, task: str) -> str:
    """The rules, the talk and the task, as a player sees them."""
    worths = ", ".join(f"{c} ({w})" for c, w in zip(row["choices"], row[who], strict=True))
    lines = "\n".join(f"{speaker}: {text}" for speaker, text in talk) or "(nothing)"
    rules = PROMPTS["rules"].format(who=who, what=row["what"], worths=worths, talk=lines)
    return rules + PROMPTS[task]


def _totals(row: dict[str, Any]) -> dict[str, int]:
    """What each choice, in small letters, is worth to the three together."""
    worths = zip(*(row[who] for who in PLAYERS), strict=True)
    return dict(zip(map(str.lower, row["choices"]), map(sum, worths), strict=True))


def _proposed(asked: str) -> str:
    """What was proposed last, in the talk that a request shows."""
    return asked.rpartition("I propose: ")[2].partition("\n")[0]
