"""Words of the demo models and the demo powers, by fixed rules."""

import json
import re
from random import Random

from eibench import ChatRequest

_LEGAL = re.compile(r"^([A-Z]{3}(?:/[NSEW]C)?): (.+)$", re.MULTILINE)
_MOVE = re.compile(r"^[AF] \S+ - ([A-Z]{3})")
_NAMES = """
ANK BEL BER BRE BUD BUL CON DEN EDI GRE HOL KIE LON LVP MAR MOS MUN NAP NWY PAR POR ROM RUM SER SEV
SMY SPA STP SWE TRI TUN VEN VIE WAR
"""
_ALL = frozenset(_NAMES.split())
"""The supply centres."""


def reply(request: ChatRequest, ability: float, rng: Random) -> str:
    """A letter, or orders: the abler, the more of them take centres with support."""
    prompt = request.messages[-1].content
    legal = [some.split(" | ") for _, some in _LEGAL.findall(prompt.rpartition("[/LETTERS]")[2])]
    if not legal:
        letters = [{"to": "ALL", "text": "I shall keep to my borders if you keep to yours."}]
        return json.dumps({"letters": letters * (rng.random() < 0.2), "journal": "DEMO"})
    power = request.messages[0].content.split()[2]
    line = next((text for text in prompt.splitlines() if text.startswith(f"{power}: ")), "")
    mine = {name.strip() for name in line.rpartition("centres ")[2].split(",")}
    able = rng.random() < ability
    orders = _attack(legal, mine, rng) if able else [_hold(some) for some in legal]
    return json.dumps({"orders": orders, "journal": "DEMO"})


def _attack(legal: list[list[str]], mine: set[str], rng: Random) -> list[str]:
    """One move after the other into a centre of others, with all support that there is for it."""
    orders, free = list[str](), list(legal)
    targets = sorted(_ALL - mine)
    rng.shuffle(targets)
    for target in targets:
        moves = [(n, order) for n, some in enumerate(free) for order in some
                 if (match := _MOVE.match(order)) and match[1] == target]  # fmt: skip
        if not moves:
            continue
        mover, move = rng.choice(moves)
        supports = [(n, order) for n, some in enumerate(free) for order in some
                    if n != mover and order.endswith(f" S {move}")]  # fmt: skip
        helping = dict(supports)
        orders += [move, *helping.values()]
        free = [some for n, some in enumerate(free) if n != mover and n not in helping]
    return orders + [_towards(some, rng) for some in free]


def _towards(some: list[str], rng: Random) -> str:
    """A build where one is to be had, else a step anywhere."""
    builds = [order for order in some if order.endswith(" B")]
    moves = [order for order in some if _MOVE.match(order)]
    return rng.choice(builds or moves or some)


def _hold(some: list[str]) -> str:
    return next((order for order in some if order.endswith(" H")), some[0])
