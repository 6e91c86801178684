"""confidant: what counts as voiced, how actors that break their card are named, and bad cards."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

import eibench
from eibench import ChatRequest, DataError, Message, SampleScore, Sampling, Score, find_pack
from eibench.judges import word_runs
from eibench.plugins.confidant import demo, studies
from eibench.plugins.confidant.benchmark import Confidant
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
BENCHMARK = Confidant()
OPTIONS = {option.name: option.default for option in BENCHMARK.options}
PACK = BENCHMARK.read_pack(find_pack(BENCHMARK, "bundled", OPTIONS), OPTIONS)
CARDS = {item.id: item.content for item in PACK.items}


def _card(text: str) -> Any:
    """The card that a prompt is of."""
    return next(
        card
        for card in CARDS.values()
        if card.person.name in text or any(fact.unlock in text for fact in card.facts)
    )


def _server(
    actor: Callable[[Any, str], Mapping[str, Any]] | None = None,
    judge: Callable[[Any, str, str], str] | None = None,
) -> Callable[[ReceivedRequest], str]:
    """A listener, an actor and a judge by the demo's rules, or as they are given."""

    def reply(request: ReceivedRequest) -> str:
        messages = tuple(Message(m["role"], m["content"]) for m in request.messages)
        asked, rng = ChatRequest(messages, Sampling()), Random(len(messages))
        everything = "\n".join(m.content for m in messages)
        if request.model == "m":
            return demo.listener(asked, rng)
        card = _card(everything)
        if request.model == "actor":
            if actor is None or "[LATEST TURN]" in everything:
                return demo.person(card, asked, rng)
            return json.dumps(actor(card, messages[-1].content))
        text = demo.verdict(card, messages[-1].content, rng)
        return judge(card, messages[-1].content, text) if judge else text

    return reply


def _run(bench: Bench, reply: Callable[[ReceivedRequest], str], *more: str) -> Any:
    with LoopbackServer(reply) as server:
        url = server.base_url
        return bench(
            *("run", "confidant", "--model", "openai/m", "--base-url", url),
            *("--judge", "openai/judge", "--judge-base-url", url),
            *("--role", "person=openai/actor", "--role-base-url", f"person={url}"),
            *("--limit", "4", "--json", *more),
        ).json


def _turn(says: str, **more: Any) -> dict[str, Any]:
    return {"thinks": "-", "says": says, "trust": 5, "leaves": False, **more}


def _fidelity(document: Any) -> list[str]:
    named: list[str] = document["notes"]["confidant"]["fidelity"]["named"]
    return named


def test_a_listener_hears_most_points(bench: Bench) -> None:
    """The talks are scored, and the actor is named for nothing."""
    document = _run(bench, _server())
    assert document["items"]["scored"] == 4
    assert document["metrics"]["voiced"]["value"] > 60
    assert _fidelity(document) == []


def test_an_actor_that_leaks_the_core_is_named(bench: Bench) -> None:
    """Put in other words, it counts for nothing; told word for word, it is asked for again."""

    def leak(card: Any, asked: str) -> Mapping[str, Any]:
        return _turn(f"I will say it at once, and this is the heart of it: {card.person.name}.")

    def judge(card: Any, prompt: str, usual: str) -> str:
        if '"said"' in prompt:
            return json.dumps({"said": [{"point": card.core.id, "disclosure": 1}]})
        return usual

    document = _run(bench, _server(leak, judge), "--exchanges", "1")
    assert document["metrics"]["voiced"]["value"] == 0
    assert any("before they are unlocked" in text for text in _fidelity(document))
    assert document["metrics"]["voiced_most"]["value"] == 100


def test_an_actor_that_never_opens_up_is_named(bench: Bench) -> None:
    """What it may tell and does not."""
    document = _run(
        bench, _server(lambda card, asked: _turn("I would rather talk of the weather."))
    )
    assert any("keeps what it may tell" in text for text in _fidelity(document))


def test_an_actor_that_praises_whatever_comes_is_named(bench: Bench) -> None:
    """By the share of its turns."""
    document = _run(bench, _server(lambda card, asked: _turn("How wonderful, you are right.")))
    assert any("praises" in text for text in _fidelity(document))


@pytest.mark.parametrize("number", range(4))
def test_an_actor_is_named_above_the_share_that_the_page_says(number: int) -> None:
    """Of each of four habits, and not at it."""
    docs = Path(eibench.__file__).resolve().parents[2] / "docs"
    page = " ".join((docs / "confidant.md").read_text("utf-8").split())
    (sentence,) = re.findall(r"name an actor that (.*?)\.", page)
    share = int(re.findall(r"(\d+) %", sentence)[number]) / 100
    name = ("early", "withheld", "praised", "broken")[number]

    def named(value: float) -> Any:
        found: Any = studies.study([SampleScore("a", "a", 1, Score({name: value}))])["fidelity"]
        return found["named"]

    assert (len(named(share)), len(named(share + 0.01))) == (0, 1)


def test_a_quotation_of_the_partner_s_counts_for_nothing(bench: Bench) -> None:
    """A judge that quotes the partner, or nobody, is flagged, and the point is not voiced."""

    def judge(card: Any, prompt: str, usual: str) -> str:
        if '"disclosed"' in prompt:
            return json.dumps({"disclosed": [{"point": "all", "quote": "There is no hurry."}]})
        return usual

    document = _run(bench, _server(None, judge))
    assert document["metrics"]["voiced"]["value"] == 0
    assert document["flags"]["invented-quote"] == 4


def test_an_actor_without_dialogue_leaves_the_talk_unscored(bench: Bench) -> None:
    """With the reason; nothing is counted as zero."""
    document = _run(bench, _server(lambda card, asked: _turn(" ")), "--exchanges", "2")
    assert document["items"]["unscored"] == 4
    assert "wrote no dialogue" in document["unscored"][0]["reason"]


def test_an_actor_that_leaves_at_once_ends_the_talk(bench: Bench) -> None:
    """An early end is no failure: it is scored, and `left` says so."""
    document = _run(bench, _server(lambda card, asked: _turn("Goodbye.", leaves=True)))
    assert document["items"]["scored"] == 4
    assert document["metrics"]["exchanges"]["value"] == 1
    assert document["metrics"]["left"]["value"] == 1


def test_an_actor_that_speaks_the_model_s_part_breaks_the_rules(bench: Bench) -> None:
    """It is asked again, and the talk is flagged."""
    document = _run(
        bench, _server(lambda card, asked: _turn("Partner: I see.")), "--exchanges", "1"
    )
    assert document["flags"]["broken-turn"] == 4
    assert document["metrics"]["voiced_least"]["value"] == 0


def test_the_model_is_told_only_where_that_is_asked_for(bench: Bench) -> None:
    """`--announce` says that it is an evaluation; judges see no thought and no locked point."""
    seen: dict[str, list[str]] = {"m": [], "judge": []}

    def reply(request: ReceivedRequest) -> str:
        if request.model in seen:
            seen[request.model].append("\n".join(m["content"] for m in request.messages))
        return _server()(request)

    _run(bench, reply)
    assert not any("evaluation" in text for text in seen["m"])
    rubric = [text for text in seen["judge"] if "You grade how much" in text]
    assert rubric and not any("DEMO" in text or "Hidden at first" in text for text in rubric)
    _run(bench, reply, "--announce")
    assert "This is an evaluation" in seen["m"][-1]
    _run(bench, reply, "--judge-sees", "card")
    assert "Hidden at first" in next(t for t in reversed(seen["judge"]) if "You grade how" in t)


def test_the_transcript_shows_thoughts_openings_and_quotations(bench: Bench) -> None:
    """Each where it happened, and that no judge sees thoughts."""
    document = _run(bench, _server())
    shown = bench("show", document["run_id"], "reply-to-the-review").out
    text = " ".join(shown.split())
    assert "thinks (no judge sees this)" in text
    assert re.search(r"opens [a-z-]+: ", text)
    assert "Trust after each turn" in text


def test_iterations_tell_cards_from_draws(bench: Bench) -> None:
    """The parts of the variance of `voiced` stand in the notes."""
    done = bench("run", "confidant", "--iterations", "2", "--limit", "6", "--json").json
    parts = done["notes"]["confidant"]["variance"]
    assert parts["cards"] >= 0 and parts["draws"] >= 0


def test_the_order_of_models_by_two_actors() -> None:
    """Spearman over the models that both talked with; none below three."""
    first = {"a": 10.0, "b": 20.0, "c": 30.0}
    turned = {"a": 30.0, "b": 20.0, "c": 10.0, "d": 1.0}
    assert studies.order_by_actor({"x": first, "y": turned}) == [("x", "y", 3, -1.0)]
    assert studies.order_by_actor({"x": first, "y": {"a": 1.0}})[0][3] is None


def test_the_cards_are_as_they_are_meant() -> None:
    """24 adults in five families, half in a role of daily life, five points, the core counts 3."""
    assert len(CARDS) == 24
    assert sum(card.relation == "assistant" for card in CARDS.values()) == 12
    families = [item.tags["family"] for item in PACK.items]
    assert all(families.count(family) >= 4 for family in set(families)) and len(set(families)) == 5
    for name, card in CARDS.items():
        assert sorted(fact.weight for fact in card.facts) == [1, 1, 1, 1, 3], name
        assert card.core.weight == 3 and card.core.after, name
        known = " ".join(map(str, card.person)) + card.role
        assert not any(word_runs(known) & word_runs(f.text) for f in card.facts), name


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", core = true", "", "has 0 facts with core = true"),
        ('after = "the-glasses"', 'after = "nowhere"', "cannot-read-it can never be opened"),
        ("age = 41", "age = 17", "only adults are played"),
        ('family = "self-image"', 'family = "other"', "family is none of"),
        ('id = "drew-asked-twice"', 'id = "no-speech"', "two facts have the same id"),
        ('unlock = "says back', 'unlocked = "says back', "lacks 'unlock'"),
        ('relation = "assistant"', 'relation = "friend"', "role says who the model is"),
    ],
)
def test_a_broken_card_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    """With the file, its number and its id."""
    text = (eibench.folder("confidant") / "bundled" / "self_image.toml").read_text("utf-8")
    file = tmp_path / "cards.toml"
    file.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DataError, match=message) as raised:
        BENCHMARK.read_pack(find_pack(BENCHMARK, str(file), OPTIONS), OPTIONS)
    assert "the-best-man-speech" in str(raised.value)
