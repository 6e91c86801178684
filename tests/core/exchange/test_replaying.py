"""A foreign conversation held against a benchmark: what is taken, and what is not."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench import (
    Benchmark,
    ForeignResults,
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
    Score,
    Summary,
)
from eibench.core.clients.thinking import split_thinking
from eibench.core.exchange import replay as replaying
from eibench.core.exchange.files import read_foreign
from eibench.core.exchange.replay import (
    OTHERWISE,
    TOO_LONG,
    UNREAD,
    ReplayedConversation,
    Unusable,
)
from eibench.core.exchange.translate import Source, begin
from eibench.core.parties.party import Party
from eibench.core.parties.providers import ModelSpec
from eibench.core.plugins import Catalogue
from eibench.core.settings.run_config import Endpoint, RunConfig

ASKED = ("Who is it?", "And why?")


class Talk(Benchmark):
    """Two questions; a judge says how many words the answers have."""

    name = "talk"
    version = "1"
    title = "A benchmark of the tests"
    judged = True
    foreign_forms = ("talk",)

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """Is given none."""
        raise NotImplementedError

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """The answers, each with its blanks."""
        talk: list[Message] = []
        for question in ASKED:
            talk.append(Message("user", question))
            reply = await model.chat(talk)
            talk.append(Message("assistant", reply.text.strip() or "..."))
            item.content(reply.text)
        return [m.content for m in talk[1::2]]

    async def grade(
        self, item: Item, transcript: list[str], judge: Model | None, options: Options
    ) -> Score:
        """A number; what is none is asked for again."""
        assert judge is not None
        said = (await judge.chat(" ".join(transcript))).text
        while not said.isdigit():
            said = (await judge.chat(f"{' '.join(transcript)} A number.")).text
        return Score({"words": float(said)})

    def summarise(self, pack: Pack, scores: Any, options: Options) -> Summary:
        """Nothing."""
        return Summary({})


def replay(
    *turns: ForeignTurn, verdict: str | None = None, seen: Any = lambda text: None
) -> ReplayedConversation:
    """What a conversation comes to."""
    judge = Endpoint(ModelSpec("imported", "j"))
    config = RunConfig(Talk(), Endpoint(ModelSpec("imported", "m")), {}, judges=(judge,))
    return asyncio.run(
        replaying.replay(config, Item("1", seen), ForeignSample("1", 1, turns, verdict))
    )


def talk(*replies: str) -> list[ForeignTurn]:
    """A conversation of the item with these replies."""
    return [ForeignTurn(asked, said) for asked, said in zip(ASKED, replies, strict=True)]


@given(st.text(), st.text())
def test_replies_come_out_as_they_are(first: str, second: str) -> None:
    """Word for word but for thinking, unless the model was shown something else than here."""
    turns = talk(first, second)
    if not split_thinking(first).answer.strip():
        with pytest.raises(Unusable):
            replay(*turns)
        return
    calls = replay(*turns).calls
    assert [call.response.text for call in calls] == [
        split_thinking(t.replied).answer for t in turns
    ]
    assert [call.request.messages[-1].content for call in calls] == list(ASKED)


@given(st.sampled_from(range(2)), st.text())
def test_any_other_word_of_the_user_is_told(place: int, asked: str) -> None:
    """To the letter; where the file does not say, anything may have been asked."""
    turns = talk("She.", "So.")
    turns[place] = turns[place]._replace(asked=asked)
    if asked == ASKED[place]:
        replay(*turns)
        return
    with pytest.raises(Unusable, match=OTHERWISE):
        replay(*turns)
    turns[place] = turns[place]._replace(asked=None)
    assert len(replay(*turns).calls) == 2


def test_more_than_was_asked_for_is_told() -> None:
    """Whoever asked for it."""
    with pytest.raises(Unusable, match=TOO_LONG):
        replay(*talk("She.", "So."), ForeignTurn(None, "More."))


def test_a_verdict_is_the_judge_s_only_reply() -> None:
    """Its score, under the label of the judge; what it was shown is not made up."""
    found = replay(*talk("She.", "So."), verdict="2")
    assert found.score == Score({"words": 2.0})
    judged = found.calls[-1]
    assert (judged.asked, judged.key.phase, judged.request.messages) == (
        Party.of("imported/j"),
        "judge",
        (),
    )


def test_a_verdict_that_is_asked_for_again_is_none() -> None:
    """Unscored, with the reason; what was said is kept."""
    found = replay(*talk("She.", "So."), verdict="many")
    assert found.score == Score.unscored(UNREAD, flags=("unread",))
    assert found.calls[-1].response.text == "many"


def test_without_a_verdict_there_is_no_score() -> None:
    """Neither a number nor a reason: nobody was asked."""
    assert replay(*talk("She.", "So.")).score is None


def test_a_benchmark_that_fails_is_named() -> None:
    """It is no fault of the file."""

    def seen(text: str) -> None:
        raise ZeroDivisionError("oh")

    with pytest.raises(
        PluginError,
        match=r"generate of talk \(.*\) raised ZeroDivisionError: oh \(.*\) \(item '1'\)",
    ):
        replay(*talk("She.", "So."), seen=seen)


def test_verdicts_need_a_judge() -> None:
    """The benchmark says whether there are any by the options that it gives the run."""
    pack = Pack(PackSource("custom", "0" * 64, {}), [], "beside nothing")
    source = Source(Path("f.json"), "talk", Talk(), pack, None)
    with pytest.raises(PluginError, match="talk: run 'k' names no judge, and its options ask for"):
        begin(source, ForeignRun("k", "n", "m", []))


def sample(item: str = "1", iteration: int = 1) -> ForeignSample:
    """One that says enough."""
    return ForeignSample(item, iteration, [ForeignTurn(None, "x")])


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([ForeignRun("k", "n", "m", [sample(), sample()])], "run 'k' has a sample twice"),
        ([ForeignRun("k", "n", "m", [sample(iteration=0)])], "an iteration beyond 1000"),
        ([ForeignRun("k", "n", "m", [sample(iteration=1001)])], "an iteration beyond 1000"),
        ([ForeignRun("k", "n", "m", [])] * 2, "two runs have one key"),
    ],
)
def test_what_a_benchmark_makes_of_a_file_is_checked(
    tmp_path: Path, runs: list[ForeignRun], message: str
) -> None:
    """And laid at its door."""

    class Odd(Talk):
        """Reads nothing right."""

        def read_foreign(self, form: str, value: Any, origin: Path, judge: str) -> ForeignResults:
            """Whatever the test says."""
            return ForeignResults(runs=runs)

    path = tmp_path / "f.json"
    path.write_text("{}")
    catalogue = Catalogue()
    catalogue.benchmarks.add(Odd(), "odd-plugin 1.0")
    with pytest.raises(PluginError) as caught:
        read_foreign(catalogue, path, "talk")
    assert message in str(caught.value)
    assert "read_foreign of talk (" in str(caught.value)
