"""Answers and conversations made elsewhere, as a run that import_foreign takes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..benchmark import Pack
from ..benchmark.foreign import ForeignRun, ForeignSample, ForeignTurn
from ..datasets import read_jsonl
from ..errors import DataError
from ..reading.responses import ResponseSet, sample_key
from ..run.score_file import read_answers
from ..settings.run_config import RunConfig
from ..types import digest
from .translate import ANSWERS, Source

ROLES = ("user", "assistant")


def run_of_answers(config: RunConfig, pack: Pack, path: Path, model: str) -> ForeignRun:
    """One model's answers; the same answers are the same run.

    Args:
        config: What was answered; its name is that of the model in tables.
        pack: The data.
        path: The file: answers, or conversations where a request depends on a reply.
        model: What the model is called elsewhere.

    Raises:
        DataError: The file is broken.
    """
    if config.benchmark.single_turn:
        samples = list(_answered(read_answers(config, pack, path)))
    else:
        samples = list(_conversations(path))
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    held = [
        [s.item_id, s.iteration, s.turns, sorted(s.replies.items()), s.failure] for s in samples
    ]
    return ForeignRun(
        digest(held), config.display_name, model, samples, options=config.options, started=made
    )


def source_of(config: RunConfig, pack: Pack, path: Path) -> Source:
    """Where a run of answers comes from."""
    return Source(path, ANSWERS, config.benchmark, pack, config.dataset)


def _answered(answers: ResponseSet) -> Iterator[ForeignSample]:
    for (item_id, iteration), replies in answers.replies.items():
        yield ForeignSample(item_id, iteration, (), replies=replies)
    for (item_id, iteration), reason in answers.failed.items():
        yield ForeignSample(item_id, iteration, (), failure=reason)


def _conversations(path: Path) -> Iterator[ForeignSample]:
    """Each line's conversation.

    Raises:
        DataError: A line is not of the form, or there are two of one sample, or none.
    """
    first: dict[object, str] = {}
    for number, row in read_jsonl(path):
        place = f"line {number}"
        if not isinstance(row, dict):
            raise DataError(path, "not a JSON object", place)
        key = sample_key(path, place, row)[:2]
        if key in first:
            raise DataError(path, f"answers the sample of {first[key]} again", place)
        first[key] = place
        if row.get("error"):
            yield ForeignSample(*key, (), failure=str(row["error"]))
        else:
            yield ForeignSample(*key, _turns(path, place, row.get("messages")))
    if not first:
        raise DataError(path, "holds no conversations")


def _turns(path: Path, place: str, messages: object) -> tuple[ForeignTurn, ...]:
    """The turns of a conversation, in which user and assistant alternate."""
    texts = list(map(_said, messages)) if isinstance(messages, list) else []
    roles = [role for role, _ in texts]
    if not texts or roles != list(ROLES) * (len(texts) // 2):
        message = 'needs "messages" of role and content, user and assistant in turn'
        raise DataError(path, message, place)
    said = [str(text) for _, text in texts]
    return tuple(map(ForeignTurn, said[::2], said[1::2]))


def _said(message: Any) -> tuple[object, str]:
    known = isinstance(message, dict) and isinstance(message.get("content"), str)
    return (message.get("role"), message["content"]) if known else (None, "")
