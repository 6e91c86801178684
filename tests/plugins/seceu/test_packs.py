"""Packs as JSON: what is read, and that each mistake is named with its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError
from eibench.plugins.seceu.norms import MeanAndSD, Norm
from eibench.plugins.seceu.packs import read_file

Pack = Callable[..., Path]
NORM: dict[str, Any] = {"mean": 2.0, "sd": 0.5, "template": [1.5]}


def test_a_pack_is_read_whole(pack: Pack) -> None:
    """Stories, norm and prompts; scores of people in rising order."""
    norm = NORM | {
        "source": "six friends",
        "people": 6,
        "best": 1.1,
        "similarity": {"mean": 0.2, "sd": 0.1},
        "scores": [1.1, 2, 2.9],
        "similarities": [0.1, 0.3],
    }
    path = pack({}, lang="de", norm=norm, prompts={"direct": "{story} / {options}"})
    found = read_file(path, lang="en")
    (story,) = found.stories
    assert (story.id, story.options[0], story.reference) == ("1", "Angry", (4, 3, 2, 1))
    assert (found.lang, found.prompts) == ("de", {"direct": "{story} / {options}"})
    assert found.norm == Norm(
        "six friends", 2.0, 0.5, (1.5,), 6, 1.1, MeanAndSD(0.2, 0.1), (1.1, 2, 2.9), (0.1, 0.3)
    )


def test_a_pack_need_not_have_a_norm(pack: Pack) -> None:
    """Nor references: those are still to be made then."""
    found = read_file(pack({"reference": None}), lang="zh")
    assert (found.norm, found.lang) == (None, "zh")
    assert found.stories[0].reference is None


@pytest.mark.parametrize(
    ("story", "message"),
    [
        ({"options": ["a", "b", "c"]}, 'item "1": "options" must be a list of four different'),
        ({"options": ["a", "b", "c", "A"]}, "four different emotions"),
        ({"options": ["a", "b", "c", "4"]}, '"options" must be words'),
        ({"options": ["a", "b", "c", "d\ne"]}, '"options" must be one line'),
        ({"options": ["a", "b", "c", "\x1b[31md"]}, '"options" holds a control character'),
        ({"options": ["a", "b", "c", 4]}, '"options" must be a text, not 4'),
        ({"options": "abcd"}, "must be a list of four"),
        ({"reference": [4, 3, 2]}, '"reference" must be a list of 4 numbers'),
        ({"reference": [4, 3, 2, "1"]}, "\"reference\" must be a number, not '1'"),
        ({"reference": [4, 3, 2, 10**400]}, '"reference" must be a number, not 1000'),
        ({"reference": [4, 3, 2, True]}, "must be a number, not True"),
        ({"reference": [5, 3, 2, 1]}, "that sum to 10, not 5, 3, 2, 1"),
        ({"reference": [8, 3, -2, 1]}, "points of 0 or more"),
        ({"story": "  "}, '"story" must be a text'),
        ({"id": ""}, 'item 1: "id" must be a text'),
        ({"id": 1}, '"id" must be a text, not 1'),
        ({"id": " 1"}, '"id" must be one line, without spaces around it'),
    ],
    ids=str,
)
def test_a_mistake_in_a_story_is_named(pack: Pack, story: dict[str, Any], message: str) -> None:
    """By the file, the item and the field."""
    with pytest.raises(DataError) as caught:
        read_file(pack(story), lang="en")
    assert message in str(caught.value)
    assert "pack.json" in str(caught.value)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ({"norm": []}, "norm: must be a JSON object"),
        ({"norm": NORM | {"sd": 0}}, '"sd" must be a number above 0, not 0'),
        ({"norm": NORM | {"mean": None}}, '"mean" must be a number above 0, not None'),
        ({"norm": NORM | {"template": [1, 2]}}, '"template" must be a list of 1 numbers'),
        ({"norm": NORM | {"scores": [2, 1]}}, '"scores" must be in rising order'),
        ({"norm": NORM | {"similarity": 1}}, '"similarity" must be an object'),
        ({"norm": NORM | {"source": "a\nb"}}, '"source" must be one line'),
        ({"prompts": []}, '"prompts" must be an object'),
        ({"prompts": {"best": "{story}{options}"}}, 'prompt "best": no such prompting'),
        ({"prompts": {"direct": "{story}"}}, "must have {options} in one place"),
        ({"prompts": {"direct": "{story}{story}{options}"}}, "must have {story} in one place"),
        ({"lang": 3}, "lang: it must be a text"),
    ],
    ids=str,
)
def test_a_mistake_beside_the_stories_is_named(
    pack: Pack, rest: dict[str, Any], message: str
) -> None:
    """In the norm, the prompts or the language."""
    with pytest.raises(DataError) as caught:
        read_file(pack({}, **rest), lang="en")
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["[]", "{}", '{"items": []}', '{"items": {}}', '{"items": [1]}'])
def test_what_is_no_pack_is_refused(empty_place: Path, text: str) -> None:
    """Valid JSON of another form."""
    path = empty_place / "pack.json"
    path.write_text(text)
    with pytest.raises(DataError, match="must be a JSON object"):
        read_file(path, lang="en")


def test_an_id_that_stands_twice_is_refused(pack: Pack) -> None:
    """Results are kept by id."""
    with pytest.raises(DataError, match='item "1": this id stands twice'):
        read_file(pack({"id": "1"}, {"id": "1"}), lang="en")
