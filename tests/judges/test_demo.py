"""Demo judges with leanings: what each makes of the same texts."""

import json
from statistics import fmean, pstdev
from typing import Any

import pytest

from eibench import ChatRequest, Message, Sampling
from eibench.core.clients.demo import JUDGES, JudgeRandom
from eibench.judges import Checklist, Rubric, demo_verdict

RUBRIC = Rubric(("tact", "pressure"), 10, lower_is_better=("pressure",))
SHORT, LONG = "Well said, all of it.", "Much that says little, over and over. " * 200


def said(
    judge: str, form: Rubric | Checklist, *replies: str, worth: float = 0.5
) -> list[dict[str, Any]]:
    """What a demo judge replies to a prompt with one reply or two, a hundred times."""
    codes = ("",) if len(replies) == 1 else (" A1", " A2")
    shown = (f"[REPLY{c}]\n{t}\n[/REPLY{c}]" for c, t in zip(codes, replies, strict=True))
    request = ChatRequest((Message("user", "\n".join(shown)),), Sampling())
    read = []
    for seed in range(100):
        rng = JudgeRandom(seed)
        rng.leaning = JUDGES[judge]
        read.append(json.loads(demo_verdict(form, request, lambda _: worth, rng)))
    return read


def grades(judge: str, text: str, worth: float) -> list[float]:
    """How tactful it takes a text to be, of 10."""
    return [verdict["tact"] for verdict in said(judge, RUBRIC, text, worth=worth)]


def test_the_first_takes_texts_for_what_they_are_worth() -> None:
    """Their length is nothing to it."""
    for text in (SHORT, LONG):
        assert fmean(grades("judge", text, 0.5)) == pytest.approx(5, abs=0.3)


def test_the_second_is_noisier_on_a_narrower_scale() -> None:
    """From 2 to 7 of 10, where the first one goes from 0 to 10."""
    low, high = (fmean(grades("judge-b", SHORT, worth)) for worth in (0, 1))
    assert [low, high] == pytest.approx([2, 7], abs=0.5)
    assert pstdev(grades("judge-b", SHORT, 0.5)) > 2 * pstdev(grades("judge", SHORT, 0.5))


def test_the_third_favours_length() -> None:
    """In grades, in answers of yes and no, and in comparisons of texts that are worth as much."""
    assert fmean(grades("judge-length", LONG, 0.5)) > fmean(grades("judge-length", SHORT, 0.5)) + 3
    checks = Checklist({"kind": "Is it kind?"})
    yes = [fmean(v["kind"] for v in said("judge-length", checks, t)) for t in (SHORT, LONG)]
    assert yes[1] > yes[0] + 0.2
    picks = [{v["tact"][:2] for v in said(j, RUBRIC, SHORT, LONG)} for j in JUDGES]
    assert picks == [{"A1", "A2"}, {"A1", "A2"}, {"A2"}]
    assert {v["pressure"][:2] for v in said("judge-length", RUBRIC, SHORT, LONG)} == {"A1"}
