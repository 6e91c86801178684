"""Conversations of other programs with many verdicts each, and with who played a role."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eibench import (
    Benchmark,
    ChatResponse,
    ForeignRun,
    ForeignSample,
    ForeignTurn,
    Item,
    Message,
    Model,
    Options,
    Pack,
    PackSource,
    PluginError,
    Role,
    Score,
    Value,
)
from eibench.core.exchange.replay import (
    PLAYED_ON,
    TOO_FEW,
    TOO_MANY,
    TOO_SHORT,
    UNREAD,
    Unusable,
    replay,
)
from eibench.core.exchange.translate import Import, Source, begin, import_foreign
from eibench.core.journal import Journal
from eibench.core.run.rescore import regrade
from eibench.core.runs.stored_run import StoredRun
from eibench.judges import Reading, ask

SAMPLE = ForeignSample(
    "1",
    1,
    [ForeignTurn("Hello.", "Hm."), ForeignTurn("Well?", "Oh."), ForeignTurn("Bye.", "Bye.")],
    ["3", "5", "7"],
    roles={"user": ["Hello.", "Well?", "Bye."]},
)
RUN = ForeignRun("k", "n", "m", [SAMPLE], "j", roles={"user": "persona"})
PACK = Pack(PackSource("custom", "0" * 64, {}), [Item("1")], "beside nothing")


class Spiral(Benchmark):
    """A user speaks three times; a judge gives each reply a number, all of them together."""

    name = "spiral"
    version = "1"
    title = "A benchmark of the tests"
    judged = True
    foreign_forms = ("spiral",)
    roles: tuple[Role, ...] = (Role("user", "Speaks."),)
    values = (Value("mean", range=(0, 10)),)

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """One item."""
        return PACK

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """What was replied."""
        talk: list[Message] = []
        for turn in range(3):
            said = (await model.role("user").chat(f"{turn}: {talk}")).text
            talk.append(Message("user", said))
            talk.append(Message("assistant", (await model.chat(talk)).text))
        return [m.content for m in talk[1::2]]

    async def grade(
        self, item: Item, transcript: list[str], judge: Model | None, options: Options
    ) -> Score:
        """Their mean; what is no number is asked for again."""
        assert judge is not None
        asked = (ask(judge, [Message("user", t)], _number, form="A number.") for t in transcript)
        values = [outcome.value for outcome in await asyncio.gather(*asked)]
        if None in values:
            return Score.unscored("no number")
        return Score({"mean": sum(filter(None, values)) / 3})


def _number(reply: ChatResponse) -> Reading[int]:
    return Reading(int(reply.text)) if reply.text.isdigit() else Reading(None, "no number")


def source() -> Source:
    """The file, its benchmark and its pack."""
    return Source(Path("f.json"), "spiral", Spiral(), PACK, None)


def replayed(**changes: Any) -> Any:
    """What the conversation comes to."""
    config = begin(source(), RUN).config
    return asyncio.run(replay(config, Item("1"), replace(SAMPLE, **changes)))


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        (["3", "5", "7"], Score({"mean": 5.0}, detail={"judge_replies": 1})),
        (["3", "5"], TOO_FEW.format("2 verdicts")),
        (["3", "5", "7", "9"], TOO_MANY.format("4 verdicts", 3)),
        (["3", "so so", "7", "9"], UNREAD),
        (["3", "5", "so so"], UNREAD),
        ("3", UNREAD),
        ([], None),
        (None, None),
    ],
)
def test_verdicts_are_replies_in_the_order_of_requests(
    verdicts: Sequence[str] | None, score: Score | str | None
) -> None:
    """None slips into the place of another: a wrong number has no score, and says why."""
    expected = Score.unscored(score, flags=("unread",)) if isinstance(score, str) else score
    assert replayed(verdict=verdicts).score == expected


def test_a_role_says_what_it_said() -> None:
    """Its replies are calls of who played it, and no more and no fewer than were asked for."""
    calls = replayed().calls
    phases = ["generate"] * 3 + ["role:user"] * 3 + ["judge"] * 3
    assert [call.key.phase for call in calls] == phases
    assert {str(call.asked) for call in calls[3:6]} == {"imported/persona"}
    for said, reason in (
        (["Hello.", "Well?"], TOO_SHORT),
        (["Hello.", "Well?", "Bye.", "Oh."], PLAYED_ON.format("user")),
    ):
        with pytest.raises(Unusable, match=reason):
            replayed(roles={"user": said})
    with pytest.raises(PluginError, match="has a player of 'users', which is no role"):
        begin(source(), replace(RUN, roles={"users": "persona"}))


def test_an_import_is_graded_again_from_the_journal(tmp_path: Path) -> None:
    """Counted, shown with its player, and scored the same without the file."""
    (one,) = import_foreign(tmp_path, source(), [RUN])
    assert isinstance(one, Import)
    assert (one.usable, one.judged, one.unread) == (1, 3, 0)
    with Journal(tmp_path) as journal:
        (run,) = journal.runs()
        stored = StoredRun(journal, run)
        document = stored.document
        assert document is not None
        assert document["roles"]["user"]["model"] == "imported/persona"
        again = asyncio.run(regrade(stored, one.config, PACK))
    assert again.document["metrics"]["mean"]["value"] == 5.0 == document["metrics"]["mean"]["value"]


def test_a_group_of_roles_is_played_by_one() -> None:
    """Named once; each member's replies are its own."""

    class Ring(Spiral):
        roles = Role.several("user", "Speaks.", 2)

    config = begin(source()._replace(benchmark=Ring()), RUN).config
    assert {n: str(p.spec) for n, p in config.roles.items()} == {
        "user_1": "imported/persona",
        "user_2": "imported/persona",
    }
