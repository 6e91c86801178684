"""The games of a run: centres by year, and the map at the end of each."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from eibench import Drawing, ResultDocument, StoredRun, Table

from .benchmark import centres_table
from .playing import POWERS, new_game

_COLOURS = {
    "AUSTRIA": "#c0392b", "ENGLAND": "#6c5ce7", "FRANCE": "#2e86de", "GERMANY": "#555555",
    "ITALY": "#27ae60", "RUSSIA": "#b8b8b8", "TURKEY": "#e1b12c",
}  # fmt: skip


def section(document: ResultDocument, runs: Sequence[StoredRun]) -> Sequence[Table | Drawing]:
    """A table and a map for each game."""
    run, parts = runs[0], list[Table | Drawing]()
    for item in run.item_documents(sorted({item_id for item_id, _ in run.samples_done})):
        for one in item["iterations"]:
            score: Any = one["score"]
            record = score and score["detail"]
            if not record or "phases" not in record:
                continue
            table = centres_table(record)
            title = f"{item['item_id']}, iteration {one['iteration']}"
            parts.append(table._replace(title=f"{title}: {table.note}"))
            parts.append(Drawing(f"The map at the end of {title}", _map(record)))
    return parts


def _map(record: Mapping[str, Any]) -> str:
    """Provinces where the engine's map has them; centres in their owner's colour, and units."""
    from diplomacy.engine.renderer import Renderer

    game = new_game()
    for entry in record["phases"]:
        for power, orders in entry["orders"].items():
            game.set_orders(power, orders)
        game.process()
    coordinates = Renderer(game).metadata["coord"]
    owners = {at: power for power in POWERS for at in game.get_centers(power)}
    units = {unit.lstrip("*")[2:5]: (unit.lstrip("*")[0], power)
             for power in POWERS for unit in game.get_units(power)}  # fmt: skip
    shapes = []
    for at, position in sorted(coordinates.items()):
        if len(at) != 3 or not at.isupper():
            continue
        x, y = (float(n) for n in position["unit"])
        if at in game.map.scs:
            fill = _COLOURS.get(owners.get(at, ""), "#ffffff")
            shapes.append(f'<circle cx="{x}" cy="{y}" r="24" fill="{fill}" stroke="#333333"/>')
        shapes.append(f'<text x="{x}" y="{y + 44}" font-size="24" text-anchor="middle" '
                      f'fill="#333333">{escape(at)}</text>')  # fmt: skip
        if at in units:
            kind, power = units[at]
            shapes.append(f'<rect x="{x - 13}" y="{y - 13}" width="26" height="26" '
                          f'fill="{_COLOURS[power]}" stroke="#ffffff"/>')  # fmt: skip
            shapes.append(f'<text x="{x}" y="{y + 8}" font-size="24" text-anchor="middle" '
                          f'fill="#ffffff">{kind}</text>')  # fmt: skip
    body = "".join(shapes)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1835 1360">{body}</svg>'
