"""The tables of docs/servers.md, made from what servers did when they were last measured.

    EIBENCH_SERVERS=FOLDER pytest tests/servers --measure-servers

measures the servers that are installed in the folder, keeps what they did in `measured.json` beside
this file, and writes the page anew.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.servers.behaviours import ROWS, Fact, measure
from tests.servers.started import SERVERS, Pair, version_of

MEASURED = Path(__file__).with_name("measured.json")
PAGE = Path(__file__).parents[2] / "docs" / "servers.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end of what is measured -->\n"


class Measured(NamedTuple):
    """What one version of a server does, by row."""

    version: str
    facts: dict[str, Fact]


def read() -> dict[str, Measured]:
    """What is kept of each server."""
    kept = json.loads(MEASURED.read_text(encoding="utf-8"))
    return {
        name: Measured(entry["version"], {k: Fact(*fact) for k, fact in entry["facts"].items()})
        for name, entry in kept.items()
    }


def keep(name: str, measured: Measured) -> None:
    """Keep what a server does, for `read`."""
    entries = {name: one._asdict() for name, one in sorted({**read(), name: measured}.items())}
    text = json.dumps(entries, indent=1, ensure_ascii=False)
    MEASURED.write_text(text + "\n", encoding="utf-8")


def measure_server(name: str, pair: Pair) -> Measured:
    """What a running server does."""
    return Measured(version_of(name), measure(pair))


def tables() -> str:
    """Both tables of the page: what each server does, and its words where it refuses."""
    measured = read()
    return "\n".join([*_behaviours(measured), "", *_refusals(measured), ""])


def _behaviours(measured: dict[str, Measured]) -> Iterator[str]:
    names = [name for name in SERVERS if name in measured]
    titles = [f"{SERVERS[name].title} {measured[name].version}" for name in names]
    yield from _head("", *titles, "eibench")
    for row in ROWS:
        cells = (measured[name].facts[row.key].says for name in names)
        yield _line(row.heading, *cells, row.eibench)


def _refusals(measured: dict[str, Measured]) -> Iterator[str]:
    yield from _head("Server", "Asked with", "Its words")
    for name in SERVERS:
        for row in ROWS:
            if name in measured and (fact := measured[name].facts[row.key]).words:
                yield _line(SERVERS[name].title, row.heading, f"{fact.says}: {fact.words}")


def _head(*titles: str) -> Iterator[str]:
    yield _line(*titles)
    yield "|" + "---|" * len(titles)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def page() -> str:
    """The page with the tables of what is kept."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"
