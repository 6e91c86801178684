"""What people see beside a result: where the numbers vary, how the person was played, actors."""

from collections.abc import Sequence
from typing import Any

from eibench import Paragraph, ResultDocument, Table
from eibench.text import number

from .studies import LIMITS, order_by_actor
from .talk import PERSON

_PARTS = {"cards": "between cards", "draws": "between draws of one card"}


def section(document: ResultDocument) -> Sequence[Paragraph | Table] | None:
    """Variance told apart, and fidelity."""
    notes: Any = document["notes"].get("confidant")
    if not notes:
        return None
    parts: list[Paragraph | Table] = []
    if variance := notes["variance"]:
        total = variance["cards"] + variance["draws"]
        parts_of = {key: 100 * variance[key] / total if total else 0.0 for key in _PARTS}
        rows = [(what, number(variance[key], 1), f"{parts_of[key]:.0f} %")
                for key, what in _PARTS.items()]  # fmt: skip
        note = "draws: of actor, model and judge together; --judge given twice tells judges apart"
        parts.append(Table("What points voiced vary by", ("part", "variance", "share"), rows,
                           note=note, right=(1, 2)))  # fmt: skip
    shares = notes["fidelity"]["shares"]
    rows = [(text, f"{100 * shares[name]:.0f} %", f"{100 * most:.0f} %")
            for name, (most, text) in LIMITS.items() if name in shares]  # fmt: skip
    parts.append(Table("How the person was played", ("what", "share", "named above"), rows,
                       right=(1, 2)))  # fmt: skip
    named = "; ".join(notes["fidelity"]["named"]) or "the actor is named for nothing"
    parts.append(Paragraph(named, "Fidelity"))
    return parts


def page(documents: Sequence[ResultDocument]) -> Sequence[Paragraph | Table] | None:
    """How each actor played each model, and how far the order of models moves with the actor."""
    mine = [d for d in documents if d["benchmark"] == "confidant"]
    if not mine:
        return None
    voiced: dict[str, dict[str, float]] = {}
    rows = []
    for document in mine:
        actor = document.get("roles", {}).get(PERSON)
        value = document["metrics"]["voiced"]["value"]
        if actor is None or value is None:
            continue
        voiced.setdefault(str(actor["model"]), {})[document["name"]] = value
        shares = document["notes"]["confidant"]["fidelity"]["shares"]
        cells = [number(shares.get(name), 2) for name in (*LIMITS, "trust_first", "left")]
        rows.append((str(actor["model"]), document["name"], number(value, 1), *cells))
    columns = ("actor", "model", "voiced", *LIMITS, "first trust", "left")
    parts: list[Paragraph | Table] = [Table("How each model's person was played", columns, rows)]
    if len(voiced) > 1:
        pairs = [(a, b, n, number(rho, 2) if rho is not None else "–")
                 for a, b, n, rho in order_by_actor(voiced)]  # fmt: skip
        note = "Spearman over the models that both talked with; not below three"
        columns = ("actor", "actor", "models", "rank correlation")
        title = "Does the order of models hang on the actor?"
        parts.append(Table(title, columns, pairs, note=note))
    return parts
