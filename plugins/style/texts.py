"""The texts whose style is looked at: of a JSON-lines file, or what models said in runs."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, StoredRun, UsageError, bench, is_blank, read_jsonl

from .lists import tokens


class StyledText(NamedTuple):
    """One text.

    Attributes:
        id: Its item; of a file its ``id``, or its line.
        family: Texts of one family stay together in intervals.
        text: It; of a sample all that the model said in it, in order.
        shown_by: The command that shows it; empty where it is of a file.
    """

    id: str
    family: str
    text: str
    shown_by: str = ""


class ModelTexts(NamedTuple):
    """The texts of a model.

    Attributes:
        runs: The ids of its runs.
        left_out: What has no words, or failed, and why.
    """

    model: str
    demo: bool
    runs: list[str]
    texts: list[StyledText]
    left_out: list[str]


def read_texts(path: Path) -> list[ModelTexts]:
    """The texts of a JSON-lines file by model, in the file's order.

    A line has ``text``, and may have ``model`` (the file's name without its ending where it has
    none), ``id`` (its line) and ``family`` (its id). Other fields are not looked at.

    Raises:
        DataError: A line is not that, has no words of a to z, or has the id of another of its
            model; or there is no line.
    """
    models: dict[str, ModelTexts] = {}
    ids: dict[tuple[str, str], int] = {}
    for number, row in read_jsonl(path):
        where = f"line {number}"
        if not isinstance(row, dict):
            raise DataError(path, "is no JSON object", where)
        fields = {"text": row.get("text"), "model": row.get("model", path.stem)}
        fields["id"] = row.get("id", where)
        fields["family"] = row.get("family", fields["id"])
        for name, value in fields.items():
            if not isinstance(value, str):
                raise DataError(path, f"{name!r} is missing or no text", where)
            if is_blank(value):
                raise DataError(path, f"{name!r} is empty", where)
        text, model, text_id, family = map(str, fields.values())
        if not tokens(text):
            raise DataError(path, "'text' has no English word (a to z)", where)
        if (first := ids.setdefault((model, text_id), number)) != number:
            raise DataError(path, f"{model!r} has the id {text_id!r} on line {first} too", where)
        of_model = models.setdefault(model, ModelTexts(model, False, [], [], []))
        of_model.texts.append(StyledText(text_id, family, text))
    if not models:
        raise DataError(path, "holds no texts")
    return list(models.values())


def texts_of_runs(runs: Iterable[StoredRun], names: Mapping[str, str] = {}) -> list[ModelTexts]:
    """What the models of runs said, by the models' names, or those that are given by a run's id.

    Replies without an English word, and samples that failed, are left out with the reason.
    """
    models: dict[str, ModelTexts] = {}
    for run in runs:
        name = names.get(run.id, run.name)
        of_model = models.setdefault(name, ModelTexts(name, run.demo, [], [], []))
        of_model.runs.append(run.id)
        for text, reason in _samples(run):
            if reason:
                of_model.left_out.append(f"run {run.id}, {text.id}: {reason}")
            else:
                of_model.texts.append(text)
    return list(models.values())


def _samples(run: StoredRun) -> Iterator[tuple[StyledText, str | None]]:
    """The text of each sample, and why it is left out."""
    families = _families(run)
    for document in run.item_documents(sorted({item_id for item_id, _ in run.samples_begun})):
        item_id = document["item_id"]
        for row in document["iterations"]:
            replies = [call["text"] for call in row["calls"] if call["phase"] == "generate"]
            text = "\n\n".join(replies)
            reason = row["failed"] or (None if tokens(text) else "no English word in its replies")
            shown_by = bench("show", run.id, item_id)
            family = f"{run.benchmark}/{families.get(item_id, item_id)}"
            n = row["iteration"]
            text_id = item_id if n == 1 else f"{item_id}, iteration {n}"
            yield StyledText(text_id, family, text, shown_by), reason


def _families(run: StoredRun) -> dict[str, str]:
    """Each item's family; none where the run's data is not here, so that items stand alone."""
    try:
        return dict(run.pack.clusters)
    except (DataError, UsageError):
        return {}
