"""Texts of stored runs as a file of samples, which `bench run judgemark --dataset` takes."""

import json
from pathlib import Path
from typing import NamedTuple

from eibench import RunSet, UsageError, is_blank


class WrittenSamples(NamedTuple):
    """What became of the runs' samples: lines of the file, writers, and what was left out."""

    lines: int
    writers: int
    left_out: int


def write_samples(runs: RunSet, path: Path) -> WrittenSamples:
    """Write what the models of runs said: a line each of writer, item, prompt and text.

    Models of one name, and runs of a model that were not asked alike, are writers each.

    The text of a sample is all that the model said in it. One that failed or says nothing is left
    out, and so are later iterations: a writer has one text for an item.

    Raises:
        UsageError: There is nothing to write, or the file cannot be written.
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    left_out = 0
    for run in runs:
        for document in run.item_documents(sorted({item_id for item_id, _ in run.samples_begun})):
            key = runs.names[run.id], f"{run.benchmark}: {document['item_id']}"
            for row in document["iterations"]:
                calls = [call for call in row["calls"] if call["phase"] == "generate"]
                text = "\n\n".join(call["text"] for call in calls)
                if row["failed"] or is_blank(text) or key in rows:
                    left_out += 1
                    continue
                asked = calls[0]["messages"] or [["user", ""]]
                prompt = asked[-1][1]
                rows[key] = {"id": f"{key[0]}, {key[1]}", "writer": key[0], "item": key[1],
                             "prompt": prompt, "text": text}  # fmt: skip
    if not rows:
        raise UsageError("the runs hold no text of a model")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())
    try:
        path.write_text(lines, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return WrittenSamples(len(rows), len({writer for writer, _ in rows}), left_out)
