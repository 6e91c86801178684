"""The page and the table that people get: no name of a model, no score, nothing from elsewhere."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from eibench.text import csv_text

from .sets import ANSWERS, Entry, LabelSet
from .showing import ShownTurn

_HERE = Path(__file__).parent
_TITLES = {
    "single": "How good is each reply?",
    "pair": "Which of two replies is better?",
    "take": "How do these people feel?",
}
_INSTRUCTIONS = {
    "single": "You will read {n} conversations between a person and a program that replies. "
    "Rate each reply: {question} Judge by yourself, read all of it, and take your time.",
    "pair": "You will read {n} pairs of replies to the same situation. Say which is better. "
    "If you cannot tell, say so. Judge by yourself, read all of both, and take your time.",
    "take": "You will read {n} short scenes and say how strongly somebody feels each of the "
    "emotions named. There are no trick questions; answer as you think it is.",
}
CONSENT = (
    "Taking part is voluntary. You can stop at any time, and nothing is sent from this page: you "
    "save a file and hand it in. It holds your answers and the code that you were given; the study "
    "keeps them under another code, which only its key leads back to yours. Do you agree that your "
    "answers are used for research?"
)


class Words(NamedTuple):
    """What a page says: texts for people, and the names of the two ends of the scale."""

    question: str
    instructions: str
    consent: str
    ends: tuple[str, str]


def words_of(labels: LabelSet, label: str, instructions: str, consent: str) -> Words:
    """Those of a set, where its texts are empty our own.

    Args:
        labels: The set.
        label: What is rated, for people.
        instructions: The study's.
        consent: Likewise.
    """
    kind, total = labels.kind, labels.total
    take = "How strongly?" if total is None else f"Share out {total:g} points, by how strongly"
    questions = {"single": f"{label}?", "pair": "Which is better?", "take": take}
    text = _INSTRUCTIONS[kind].format(n=len(labels.entries), question=questions[kind])
    if total is not None:
        text += f" Share out {total:g} points among the emotions of each scene."
    ends = ("lowest", "highest")
    return Words(questions[kind], instructions or text, consent or CONSENT, ends)


Shown = Mapping[str, Sequence[Sequence[ShownTurn]]]
"""By entry, the transcripts in the order of the page: one, or left and right; or a question."""


def page(labels: LabelSet, shown: Shown, words: Words) -> str:
    """The page as one file, which works without a network."""
    titles = {"single": ["The conversation"], "pair": ["Left", "Right"], "take": ["The scene"]}
    data = {
        "set": labels.id,
        "kind": labels.kind,
        "question": words.question,
        "instructions": words.instructions,
        "consent": words.consent,
        "choices": choices(labels, words),
        "low": labels.scale[0] if labels.scale else None,
        "high": labels.scale[-1] if labels.scale else None,
        "total": labels.total,
        "entries": [
            {
                "id": entry.id,
                "shown": entry.shown,
                "options": list(entry.options),
                "texts": list(zip(titles[labels.kind], shown[entry.id], strict=True)),
            }
            for entry in labels.entries
        ],
    }
    style, script = ((_HERE / f"page.{end}").read_text("utf-8") for end in ("css", "js"))
    parts = {
        "{title}": html.escape(_TITLES[labels.kind]),
        "{style_hash}": _hash(style),
        "{script_hash}": _hash(script),
        "{style}": style,
        "{script}": script,
        # No text can end the element, or begin a comment, that it stands in.
        "{data}": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
    }
    pieces = (_HERE / "page.html").read_text("utf-8")
    for name in ("{title}", "{style_hash}", "{script_hash}", "{style}"):
        pieces = pieces.replace(name, parts[name])
    before, _, rest = pieces.partition("{data}")
    between, _, after = rest.partition("{script}")
    return "".join([before, parts["{data}"], between, parts["{script}"], after])


def choices(labels: LabelSet, words: Words) -> list[tuple[float | str, str]]:
    """What can be answered, with what the page calls it."""
    if labels.kind == "pair":
        names = {
            "left": "Left is better",
            "neither": "Neither is better",
            "right": "Right is better",
        }
        return [(answer, names[answer]) for answer in ANSWERS]
    if labels.kind == "take":
        return []
    if labels.scale == (0.0, 1.0):
        return [(0.0, "No"), (1.0, "Yes")]
    ends = {0: f" ({words.ends[0]})", len(labels.scale) - 1: f" ({words.ends[1]})"}
    return [(step, f"{step:g}{ends.get(n, '')}") for n, step in enumerate(labels.scale)]


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


COLUMNS = ("set", "entry", "shown", "answer", "comment", "person", "consent", "recruited")
"""Of the table; behind them stand the texts."""


def table(labels: LabelSet, shown: Shown) -> str:
    """The same for a spreadsheet: a line a question, to be filled in from `answer` on."""
    texts = {"single": ("text",), "pair": ("left", "right"), "take": ("text", "options")}
    rows: list[Sequence[str]] = [(*COLUMNS, *texts[labels.kind])]
    for entry in labels.entries:
        cells = ["\n\n".join(_words(one) for one in part) for part in shown[entry.id]]
        cells += [_options(entry)] * (labels.kind == "take")
        rows.append((labels.id, entry.id, entry.shown, "", "", "", "", "", *cells))
    return csv_text(rows)


def _words(turn: ShownTurn) -> str:
    return f"{turn.who}: {turn.text}" if turn.who else turn.text


def _options(entry: Entry) -> str:
    return "; ".join(entry.options)
