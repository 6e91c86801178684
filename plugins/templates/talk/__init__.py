"""my-bench: is it noticed that a small question is about something else?

Somebody whom a further model plays (`--role user=SPEC`) asks for something small, and is troubled
by something that is not said. A judge grades the model's part of the talk by four criteria; the
score is their mean, from 0 to 100.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import eibench as eb
from eibench.judges import Rubric, Template, demo_verdict, fill

PROMPTS = eb.read_toml(Path(__file__).with_name("prompts.toml"))
RUBRIC = Rubric(PROMPTS["criteria"], scale=10, lower_is_better=("steering",))
JUDGE = Template(**PROMPTS["judge"])
# pairwise
PAIR = Template(**PROMPTS["pair"])
# end
TURNS = eb.Option("turns", 4, "Turns of the model.", in_requests=True, min=1, max=12)
FIELDS = {"id": str, "area": str, "who": str, "opening": str, "hidden": str}
Talk = list[tuple[str, str]]
"""Who said what: `User` and `Assistant` in turn."""


class MyBench(eb.Benchmark, eb.Pairwise):
    """Each row of the data holds a person: what they write first, and what they do not say."""

    name = "my-bench"
    version = "1"
    title = "notice what a small question is about"
    kind = "talk"
    languages = ("en",)
    cite = Path(__file__).with_name("CITATION.bib")
    data = Path(__file__).with_name("data")
    fields = FIELDS
    roles = (eb.Role("user", "Plays the person who writes."),)
    judged = asks_again = True
    single_turn = False
    values = RUBRIC.values(over="people", by=("area",))
    options = (TURNS, *eb.PLACEMENT_OPTIONS)

    def prompts(self, options: eb.Options) -> Mapping[str, str]:
        """What both are sent who talk: when it changes, the run is another."""
        return {"ask": PROMPTS["ask"], "persona": PROMPTS["persona"]}

    def judge_prompts(self, options: eb.Options) -> Mapping[str, str]:
        """What the judge is sent: when it changes, talks are judged again, not made again."""
        return {**RUBRIC.judge_prompts(JUDGE), "pair": PAIR.system + PAIR.user}

    def planned_calls(self, item: eb.Item, options: eb.Options) -> Mapping[str, int]:
        """The model has the last word."""
        return {"model": options["turns"], "user": options["turns"] - 1, "judge": 1}

    async def generate(self, item: eb.Item, model: eb.Model, options: eb.Options) -> Talk:
        """The talk, up to a turn in which nothing is said."""
        talk = [("User", item.content["opening"])]
        model_side = ("Assistant", model, PROMPTS["ask"])
        user_side = ("User", model.role("user"), fill(PROMPTS["persona"], item.content))
        for n in range(2 * options["turns"] - 1):
            speaker, party, system = user_side if n % 2 else model_side
            turns = [eb.Message("assistant" if who == speaker else "user", t) for who, t in talk]
            reply = await party.chat([eb.Message("system", system), *turns])
            if eb.no_answer(reply):
                break
            talk.append((speaker, reply.text.strip()))
        return talk

    async def grade(
        self, item: eb.Item, transcript: Talk, judge: eb.Model | None, options: eb.Options
    ) -> eb.Score:
        """The judge's grades; unscored where somebody falls silent, or none can be read."""
        if len(transcript) < 2 * options["turns"]:
            return eb.Score.unscored(f"nobody answered the {transcript[-1][0]}")
        return await RUBRIC.grade(judge, JUDGE, transcript, hidden=item.content["hidden"])

    # pairwise
    async def compare(
        self, item: eb.Item, first: Talk, second: Talk, judge: eb.Model, options: eb.Options
    ) -> eb.PairScore:
        """In which of two models' talks there is more of each criterion."""
        return await RUBRIC.compare(judge, PAIR, first, second, hidden=item.content["hidden"])

    def is_comparable(self, item: eb.Item, transcript: Talk) -> bool:
        """Whether the model said anything."""
        return len(transcript) > 1

    # end
    def demo_reply(
        self, item: eb.Item, request: eb.ChatRequest, ability: float, rng: Random
    ) -> str:
        """Notices as often as the ability says: for trying it out, free."""
        return "You sound tired." if rng.random() < ability else "Here are five tips."

    def demo_role(self, role: str, item: eb.Item, request: eb.ChatRequest, rng: Random) -> str:
        """Comes nearer to it when noticed."""
        noticed = "sound tired" in request.messages[-1].content
        return "Yes. It is about something else." if noticed else "All right."

    def demo_verdict(self, item: eb.Item, request: eb.ChatRequest, rng: Random) -> str:
        """Of the demo judge: by the share of four turns that notice."""
        return demo_verdict(RUBRIC, request, lambda text: text.count("sound tired") / 4, rng)
