"""The bundled SECEU stories and the committed facts: their form, balance and sources."""

import csv
import itertools
import json
import math
import re
from collections import Counter
from typing import Any

import pytest

from eibench.data import folder
from tests.data.bundled import each, lines_of

DATA = folder("seceu")
LANGS = ("en", "zh")
RAW = {lang: (DATA / f"bundled/{lang}.json").read_text(encoding="utf-8") for lang in LANGS}
PACKS: dict[str, dict[str, Any]] = {lang: json.loads(text) for lang, text in RAW.items()}
FACTS = json.loads((DATA / "norm.json").read_text(encoding="utf-8"))

LINES = {
    lang: lines_of(
        DATA / f"bundled/{lang}.json",
        {item["id"]: f'"id": "{item["id"]}",' for item in PACKS[lang]["items"]},
    )
    for lang in LANGS
}
each_story = each(
    {LINES[lang][item["id"]]: (lang, item) for lang in LANGS for item in PACKS[lang]["items"]}
)
each_lang = pytest.mark.parametrize("lang", LANGS)


def references(lang: str) -> list[list[int]]:
    """The points of all stories."""
    return [item["reference"] for item in PACKS[lang]["items"]]


def mean_distance(answer: tuple[float, ...], lang: str) -> float:
    """The SECEU score of one answer to every story."""
    rows = references(lang)
    return sum(math.dist(answer, row) for row in rows) / len(rows)


@each_lang
def test_pack(lang: str) -> None:
    """At least twelve stories, numbered from 1, in a file that says its language."""
    pack = PACKS[lang]
    assert list(pack) == ["lang", "title", "items"]
    assert pack["lang"] == lang
    assert len(pack["items"]) >= 12
    assert [item["id"] for item in pack["items"]] == [
        str(n) for n in range(1, len(pack["items"]) + 1)
    ]
    assert str(len(pack["items"])) in pack["title"]


@each_story
def test_story(lang: str, item: dict[str, Any]) -> None:
    """Four different emotions, whole points that sum to 10, one sentence of reasoning."""
    assert list(item) == ["id", "story", "options", "reference", "reasoning"]
    assert len(set(item["options"])) == 4
    assert all(type(points) is int and points >= 0 for points in item["reference"])
    assert sum(item["reference"]) == 10
    assert sorted(item["reference"])[-1] > sorted(item["reference"])[-2], "one is the strongest"
    end = r"would feel:$" if lang == "en" else r"会感到：$"
    assert re.search(end, item["story"])
    sentence = r"[A-Z][^.!?]+\." if lang == "en" else r"[^。！？]+。"
    assert re.fullmatch(sentence, item["reasoning"])


@each_story
def test_english_is_plain_and_chinese_is_chinese(lang: str, item: dict[str, Any]) -> None:
    """No character of the other script."""
    text = "".join([item["story"], *item["options"], item["reasoning"]])
    chinese = re.findall(r"[\u4e00-\u9fff]", text)
    if lang == "en":
        assert not chinese
        assert text.isascii()
    else:
        assert not re.search(r"[A-Za-z]", text)
        assert len(chinese) > 60


def person(lang: str, item: dict[str, Any]) -> str:
    """Whose feelings are asked about: the words before the question, after its last stop."""
    end = "would feel:" if lang == "en" else "会感到："
    stop = r"[.?!] " if lang == "en" else r"[。？！”]"
    name: str = re.split(stop, item["story"].removesuffix(end).strip())[-1]
    return name.strip()


@each_lang
def test_each_person_comes_once(lang: str) -> None:
    """No name is used again, as the person or as somebody beside them."""
    names = [person(lang, item) for item in PACKS[lang]["items"]]
    assert len(set(names)) == len(names)
    text = [item["story"] for item in PACKS[lang]["items"]]
    for name in names:
        assert sum(name.split()[-1] in story for story in text) == 1, name


@each_lang
def test_the_strongest_emotion_stands_in_each_place_alike(lang: str) -> None:
    """Four in sixteen, three in twelve: no place to bet on."""
    places = Counter(row.index(max(row)) for row in references(lang))
    assert set(places.values()) == {len(references(lang)) // 4}


@each_lang
def test_no_constant_answer_scores_well(lang: str) -> None:
    """The best of 286 and the uniform one stay over 40 % of the distance of chance."""
    whole = [w for w in itertools.product(range(11), repeat=4) if sum(w) == 10]
    chance = sum(mean_distance(answer, lang) for answer in whole) / len(whole)
    best = min(mean_distance(answer, lang) for answer in [*whole, (2.5,) * 4])
    assert best > 0.4 * chance


@each_lang
def test_points_are_as_flat_as_people_s(lang: str) -> None:
    """From the strongest to the weakest, on average, within 0.3 points of the official norm."""

    def by_rank(rows: list[list[float]]) -> list[float]:
        """The mean of the strongest, the second, the third and the weakest."""
        return [sum(rank) / len(rows) for rank in zip(*map(sorted, rows), strict=True)]

    ours = by_rank([list(map(float, row)) for row in references(lang)])
    assert ours == pytest.approx(by_rank(FACTS["standard_scores"]), abs=0.3)


@each_lang
def test_neighbours_and_shapes_differ(lang: str) -> None:
    """No two stories in a row have the same points, and no shape is every third story's."""
    rows = references(lang)
    assert all(one != two for one, two in itertools.pairwise(rows))
    shapes = Counter(tuple(sorted(row)) for row in rows)
    assert max(shapes.values()) <= len(rows) / 2
    assert len(shapes) >= 4


@each_lang
def test_no_emotion_is_worn_out(lang: str) -> None:
    """At least thirty different words in sixteen stories, none in more than a third."""
    words = Counter(name for item in PACKS[lang]["items"] for name in item["options"])
    assert len(words) >= 30
    assert max(words.values()) <= len(PACKS[lang]["items"]) / 3


@each_lang
def test_file_layout(lang: str) -> None:
    """Plain UTF-8 with nothing escaped, a line per field."""
    assert "\\u" not in RAW[lang]
    assert RAW[lang].endswith("}\n")
    assert RAW[lang].count("\n") < 10 * len(PACKS[lang]["items"])


def test_facts_of_the_norm() -> None:
    """Forty items; sums as printed; the similarity below which a pattern differs is 0.033."""
    assert len(FACTS["standard_scores"]) == len(FACTS["template"]) == 40
    assert {round(sum(row), 2) for row in FACTS["standard_scores"]} == {9.99, 10.0, 10.01}
    assert FACTS["similarity"]["mean"] - FACTS["similarity"]["sd"] == pytest.approx(0.033)
    # The range of the mean distances that the paper gives (its text on the norm).
    assert (min(FACTS["template"]), max(FACTS["template"])) == (2.19, 3.32)


def test_published_scores_are_whole() -> None:
    """Each of the 18 models has all its numbers, or none and the mark of a failed one."""
    with (DATA / "published_scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18
    for row in rows:
        numbers = [row[n] for n in row if n not in ("model", "prompting")]
        assert all(numbers) if row["prompting"] != "failed" else not any(numbers)


def test_each_file_has_its_source() -> None:
    """SOURCES.md names what is here, and the card says whose the references are."""
    sources = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    for name in ("published_scores.csv", "norm.json", "manifest.json", "bundled/"):
        assert f"`{name}`" in sources
    card = (DATA / "bundled/CARD.md").read_text(encoding="utf-8")
    assert "no human norm" in " ".join(card.split()).lower()
