"""The disputes: the bundled ones, and what is wrong with others."""

from pathlib import Path
from typing import Any

import pytest

from eibench import DataError, folder, read_toml
from eibench.judges import word_runs
from eibench.plugins.mediation_live import player, prompts
from tests.plugins.mediation_live.conftest import dispute_row, items_of, write_pack

BUNDLED = folder("mediation_live") / "bundled" / "disputes.toml"


def test_each_of_the_ten_is_a_family_of_its_own() -> None:
    """So that an interval over families is one over disputes."""
    items = items_of(BUNDLED)
    assert len({item.family for item in items}) == len(items) == 10


def test_no_fact_can_be_taken_for_what_everybody_knows() -> None:
    """No six words in a row of one stand in what the player has before it, or in another fact."""
    for item in items_of(BUNDLED):
        dispute = item.content
        known = word_runs(player._play(dispute))
        for fact in dispute.facts:
            assert not known & word_runs(fact.text), fact.id
            known |= word_runs(fact.text)


def test_the_rubric_is_that_of_the_bundled_role_plays() -> None:
    """The same criteria, of which the same count, on the same scale, in the same words."""
    raw = read_toml(folder("eqbench3") / "bundled" / "prompts.toml")
    kind = raw["kinds"]["role-play"]
    assert list(prompts.RUBRIC.criteria) == kind["criteria"]
    assert (list(prompts.QUALITY), prompts.RUBRIC.scale) == (kind["scored"], raw["scale"])
    meanings = [line for line in raw["texts"]["judge_system"].splitlines() if line[:2] == "- "]
    assert [line for line in meanings if line not in prompts.JUDGE.system] == []


def _with_fact(**changes: Any) -> dict[str, Any]:
    row = dispute_row()
    row["fact"][1] |= changes
    return row


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": 3}, 'dispute 1.* needs "id", a text'),
        (dispute_row(note=" "), 'dispute fence.* needs "note", a text'),
        (dispute_row(person=dispute_row()["person"][:1]), "needs two .*of different names"),
        (dispute_row(fact=[]), r"needs \[\[dispute.fact\]\]"),
        (
            _with_fact(unlocks="x"),
            'has "unlocks", which is none of id, person, text, unlock, after',
        ),
        (_with_fact(text=3), 'needs "text", a text'),
        (_with_fact(person="Cy"), "fact the-letter: is of nobody there"),
        (_with_fact(id="the-shed"), "its id stands twice"),
        (_with_fact(after="the-dog"), "no fact before it is called 'the-dog'"),
    ],
)
def test_a_dispute_that_cannot_be_held_is_refused(
    tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    """With file, dispute and what to mend."""
    with pytest.raises(DataError, match=message):
        items_of(write_pack(tmp_path / "bad.toml", row))


def test_a_person_that_is_no_table_is_refused(tmp_path: Path) -> None:
    """As one that is missing."""
    path = tmp_path / "odd.toml"
    path.write_text('[[dispute]]\nid = "fence"\nperson = [3]\n')
    with pytest.raises(DataError, match=r"needs \[\[dispute.person\]\]"):
        items_of(path)


def test_a_file_without_disputes_is_refused(tmp_path: Path) -> None:
    """It is another file."""
    with pytest.raises(DataError, match=r"holds no \[\[dispute\]\]"):
        items_of(write_pack(tmp_path / "empty.toml"))
