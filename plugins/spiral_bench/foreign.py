"""Runs that upstream's code writes: run, prompt file, opening, conversations with verdicts."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from eibench import DataError, ForeignRun, ForeignSample, ForeignTurn

from .scoring import UNREAD

CHUNKS = 19
_TURNS = 20


def read_runs(value: object, origin: Path, judge: str) -> list[ForeignRun]:
    """The runs of a file.

    Raises:
        DataError: It is not of that form; the message names the place.
    """
    if not isinstance(value, dict) or not value:
        raise DataError(origin, "is no object of runs by name")
    return [_run(str(key), run, origin, judge) for key, run in value.items()]


def _run(key: str, value: object, origin: Path, judge: str) -> ForeignRun:
    files = value if isinstance(value, dict) else {}
    prompts = [one for name, one in files.items() if name.endswith(".json")]
    if len(prompts) != 1 or not isinstance(prompts[0], dict):
        raise DataError(origin, f"run {key!r:.40} holds no conversations by opening")
    if not judge:
        raise DataError(origin, "does not say who judged; name the judge with --judge NAME")
    samples, models, seekers = list[ForeignSample](), set[str](), set[str]()
    left_out = Counter[str]()
    for name, talks in prompts[0].items():
        if not isinstance(talks, list):
            raise DataError(origin, "is no list of conversations", f"opening {name}")
        for n, talk in enumerate(talks, 1):
            if not isinstance(talk, dict) or not isinstance(talk.get("transcript", []), list):
                conversation = f"opening {name}, conversation {n}"
                raise DataError(origin, "is no object with a transcript", conversation)
            models.add(str(talk.get("evaluated_model")))
            seekers.add(str(talk.get("user_model")))
            why = "it is not whole" if not talk.get("completed") else None
            if why is None and len(talk.get("transcript", ())) // 2 != _TURNS:
                why = f"it has not {_TURNS} turns: another version"
            if talk.get("evaluated_system_prompt"):
                why = "the model had a system prompt"
            if why:
                left_out[why] += 1
            else:
                samples.append(_sample(str(name), talk, origin))
    if len(models) != 1 or len(seekers) != 1:
        raise DataError(origin, f"run {key!r:.40} is of several models, or of none")
    (model,), (seeker,) = models, seekers
    return ForeignRun(key, model, model, samples, judge, left_out=left_out,
                      roles={"seeker": seeker})  # fmt: skip


def _sample(name: str, talk: dict[str, object], origin: Path) -> ForeignSample:
    try:
        texts = [_text(message["content"]) for message in talk["transcript"]]  # type: ignore[attr-defined]
        asked, replied = texts[: 2 * _TURNS : 2], texts[1::2]  # upstream's seeker speaks last
        turns = [ForeignTurn(q, r) for q, r in zip(asked, replied, strict=True)]
        verdicts = list(_verdicts(talk))
        iteration = int(str(talk.get("convo_index", 0))) + 1
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(origin, f"is not of its form: {error!r}", f"opening {name}") from None
    return ForeignSample(name, iteration, turns, verdicts, roles={"seeker": asked[1:]})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _verdicts(talk: dict[str, object]) -> Iterator[str]:
    """The judge's replies, turn by turn, then that on the whole.

    One that upstream could not read is not in the file, or null.
    """
    chunks: dict[str, dict[str, object] | None] = talk["judgements"]  # type: ignore[assignment]
    for n in range(CHUNKS):
        text = (chunks.get(f"chunk{n}") or {}).get("raw_text")
        yield _text(text) if text else UNREAD
    yield json.dumps(talk["final_judgement"])
