"""A small pack, and a server that plays the model, the two people and the judge by rules."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import ChatRequest, Item, Message, Model, PackSource, Sampling
from eibench.plugins.mediation_live.benchmark import MediationLive
from eibench.plugins.mediation_live.disputes import Dispute, read_disputes
from eibench.plugins.mediation_live.talk import Talk, hold_talk
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel

NAMES = ("Ada", "Bo")
BENCHMARK = MediationLive()
NO_ONE = '{"met": []}'
FACTS = {
    "the-shed": ("Ada", "Ada sold the old shed to a stranger without a word.", ""),
    "the-letter": ("Bo", "Bo wrote a long letter in May and burned it.", "the-shed"),
    "the-debt": ("Ada", "Ada owes nine hundred crowns to the brewery still.", "the-letter"),
    "the-dog": ("Bo", "Bo feeds the dog of the neighbours every night.", ""),
}


def dispute_row(id: str = "fence", **changes: Any) -> dict[str, Any]:
    """A dispute as a pack has it."""
    people = [
        {
            "name": name,
            "card": f"Card of {name}.",
            "feels": f"{name} is sore.",
            "wants": f"{name} wants the garden.",
            "breaking_point": f"{name} goes when hurried.",
            "opening": f"I am {name} of {id}, and I begin.",
        }
        for name in NAMES
    ]
    facts = [
        {"id": key, "person": who, "text": text, "unlock": f"The mediator asks of {key} itself."}
        | ({"after": after} if after else {})
        for key, (who, text, after) in FACTS.items()
    ]
    row = {"id": id, "title": "t", "situation": f"The situation of {id}.", "note": f"Note of {id}."}
    return {**row, "person": people, "fact": facts, **changes}


def write_pack(path: Path, *rows: Mapping[str, Any]) -> Path:
    """A pack file of these disputes."""
    parts = []
    for row in rows:
        parts.append("[[dispute]]\n" + _keys(row))
        tables = [(name, table) for name in ("person", "fact") for table in row.get(name, ())]
        parts += [f"[[dispute.{name}]]\n{_keys(table)}" for name, table in tables]
    path.write_text("\n".join(parts))
    return path


def _keys(table: Mapping[str, Any]) -> str:
    kept = {k: v for k, v in table.items() if not isinstance(v, list)}
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in kept.items())


def items_of(path: Path) -> list[Item]:
    """The disputes of a file."""
    return read_disputes(PackSource("custom", "0", {path.name: path}))


@pytest.fixture
def dispute(tmp_path: Path) -> Dispute:
    """The small one."""
    (item,) = items_of(write_pack(tmp_path / "one.toml", dispute_row()))
    made: Dispute = item.content
    return made


def said(*lines: tuple[str, str], **changes: Any) -> str:
    """A reply of who plays the two; by default both speak, and nobody moves."""
    lines = lines or tuple((name, f"{name} answers.") for name in NAMES)
    entries = [{"speaker": who, "thinks": f"SECRET of {who}", "says": says} for who, says in lines]
    state = {"trust": dict.fromkeys(NAMES, 5), "leaves": [], "settled": False}
    return json.dumps({"lines": entries, **state, **changes})


def met(**quotes: str) -> str:
    """A reply of the gate."""
    entries = [{"id": id.replace("_", "-"), "quote": quote} for id, quote in quotes.items()]
    return json.dumps({"met": entries})


class Held:
    """A talk from scripts: what the mediator says, and all that who plays the two replies."""

    def __init__(self, turns: list[str], replies: list[str]) -> None:
        self.role = ScriptedModel(*replies)
        self.model = ScriptedModel(*turns, roles={"disputants": self.role})
        self.turns = len(turns)

    async def talk(self, dispute: Dispute) -> Talk:
        """The talk."""
        return await hold_talk(dispute, self.model, self.turns)


def sent(model: Any) -> str:
    """All that was sent to a scripted model."""
    return "\n".join(message.content for r in model.requests for message in r.messages)


# A server that is all three parties

ABLE = "able"
SHAMS = ("silent", "parrot", "flatterer", "lecturer")
_LINES = {
    "silent": "...",
    "flatterer": "What a wonderful person you are. I admire how brilliant you both are.",
    "lecturer": "You must talk to each other. You should show respect, and you have to forgive.",
}


def mediates(name: str, messages: list[Message], dispute: Dispute) -> str:
    """What a model of that name says: a sham, or one that asks for what it was not given."""
    if name == "parrot":
        return messages[-1].content.rpartition(": ")[2]
    if name in _LINES:
        return _LINES[name]
    n = sum(message.role == "assistant" for message in messages)
    aim = dispute.facts[n % len(dispute.facts)].unlock.split("ediator ", 1)[-1]
    return f"I wonder what I am missing here. Let me be somebody who {aim}"


def plays(items: list[Item]) -> Callable[[ReceivedRequest], str]:
    """All parties, each by its own rules; the same request has the same reply."""

    def respond(request: ReceivedRequest) -> str:
        messages = [Message(m["role"], m["content"]) for m in request.messages]
        asked = ChatRequest(tuple(messages), Sampling())
        if request.model == "judge":
            return BENCHMARK.demo_verdict(items[0], asked, Random(request.prompt))
        text = "\n".join(message.content for message in messages)
        about = [item for item in items if item.content.situation in text]
        item = about[0] if about else items[0]
        if request.model in ("disputants", "guest"):
            return BENCHMARK.demo_role("disputants", item, asked, Random(0))
        return mediates(request.model, messages, item.content)

    return respond


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Two small disputes."""
    return write_pack(tmp_path / "disputes.toml", dispute_row("fence"), dispute_row("hedge"))


@pytest.fixture
def server(pack: Path) -> Iterator[LoopbackServer]:
    """Who plays all parties of the small pack."""
    with LoopbackServer(plays(items_of(pack))) as made:
        yield made


def parties(server: LoopbackServer, model: str = ABLE, player: str = "disputants") -> list[str]:
    """The options that name a server's models as the parties."""
    url = server.base_url
    return [
        "--model", f"openai/{model}", "--base-url", url, "--judge", "openai/judge",
        "--judge-base-url", url, "--role", f"disputants=openai/{player}",
        "--role-base-url", f"disputants={url}",
    ]  # fmt: skip


async def graded(talk: Talk, item: Item, judge: Model) -> Any:
    """The score of a talk."""
    return await BENCHMARK.grade(item, talk, judge, {"exchanges": 8})
