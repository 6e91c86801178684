"""The official files: read in full, asked in every prompting, scored as known."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import DataError, PackSource, Result, find_pack, folder
from eibench.plugins.seceu.benchmark import Seceu
from eibench.plugins.seceu.docx import read_paragraphs
from eibench.plugins.seceu.official import read_official, read_templates
from eibench.plugins.seceu.published import standing
from eibench.plugins.seceu.reading import NormedPack
from eibench.plugins.seceu.stories import AskedStory
from eibench.plugins.seceu.wording import PROMPTINGS, WORDING
from eibench.testing import LoopbackServer, ReceivedRequest

SECEU = Seceu()
FACTS = json.loads((folder("seceu") / "norm.json").read_text(encoding="utf-8"))
Docx = Callable[..., Path]


def read(official: Path, **changes: Any) -> NormedPack:
    """The official pack with these options."""
    options = {"prompting": "direct", "lang": "en", "shuffle_options": False} | changes
    return SECEU.read_pack(find_pack(SECEU, str(official), options), options)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_forty_stories_with_four_options_are_read(official: Path, lang: str) -> None:
    """In both languages; ids 1 to 40; each story ends with its question, without headings."""
    pack = read(official, lang=lang)
    assert pack.source.name == "official"
    assert [item.id for item in pack.items] == [str(n) for n in range(1, 41)]
    for item in pack.items:
        asked: AskedStory = item.content
        assert len(set(asked.options)) == 4
        assert all(re.fullmatch(r"[^\W\d_]+", name) for name in asked.options)
        story = asked.prompt.split("\n")[0]
        assert story.endswith((":", "："))
        assert not re.search(r"Options|Item \d|第.+题", story)


def test_both_languages_have_the_same_numbers(official: Path) -> None:
    """Standard scores and pattern template belong to the stories, not to the language."""
    english, chinese = read(official), read(official, lang="zh")
    for one, two in zip(english.items, chinese.items, strict=True):
        assert one.content.reference == two.content.reference
        assert one.content.human == two.content.human
    assert english.source.sha256 != chinese.source.sha256


def test_numbers_are_the_committed_facts(official: Path) -> None:
    """The file of the norm, read here, against the numbers in data/seceu/norm.json."""
    pack = read(official)
    assert [list(item.content.reference) for item in pack.items] == FACTS["standard_scores"]
    assert pack.norm is not None
    assert list(pack.norm.template) == FACTS["template"]
    assert (pack.norm.mean, pack.norm.sd) == (FACTS["mean"], FACTS["sd"])
    assert (pack.norm.people, pack.norm.best) == (541, 1.4)


def test_an_option_with_a_colon_in_place_of_a_semicolon_is_one(official: Path) -> None:
    """English item 26; its second option is one word."""
    paragraphs = read_paragraphs(official / "SECEU_40items_English.docx")
    assert any(re.search(r"\(2\) \w+: \(3\)", p) for p in paragraphs)
    (item,) = [item for item in read(official).items if item.id == "26"]
    assert item.content.options[1] == "Helpless"


@pytest.mark.parametrize("item_id", ["8", "10", "20"])
def test_stories_that_share_a_paragraph_with_their_options_are_cut(
    official: Path, item_id: str
) -> None:
    """Chinese items 8, 10 and 20: the story ends where the first tab is."""
    (item,) = [item for item in read(official, lang="zh").items if item.id == item_id]
    story = item.content.prompt.split("\n")[0]
    assert story.endswith("：")
    assert not any(name in story[-6:] for name in item.content.options)


@pytest.mark.parametrize("prompting", [p for p in PROMPTINGS if p != "direct"])
def test_prompts_are_upstream_s_own(official: Path, prompting: str) -> None:
    """Taken from the pack, with the story and the options of each item in the last question."""
    template = read_templates(official / "Prompts.docx")[prompting]
    ours = WORDING["en"][prompting]
    assert template.count("{story}") == template.count("{options}") == 1
    assert not set(template.split("\n")) & set(ours.split("\n"))
    pack = read(official, prompting=prompting)
    direct = {item.id: item.content for item in read(official).items}
    for item in pack.items:
        story = direct[item.id].prompt.split("\n")[0].removeprefix("Story: ")
        options = "; ".join(f"({n}) {name}" for n, name in enumerate(direct[item.id].options, 1))
        assert f"{story} Options: {options}. " in item.content.prompt
    assert "the prompt is upstream's" in pack.comparability


@pytest.mark.parametrize("prompting", ["two-shot", "two-shot-steps"])
def test_upstream_s_worked_examples_are_read_as_what_they_say(
    official: Path, prompting: str
) -> None:
    """The answer form that models are shown: steps and JSON, both read alike."""
    from eibench.plugins.seceu.answers import read_answer

    lines = read_templates(official / "Prompts.docx")[prompting].split("\n")
    answers = [n for n, line in enumerate(lines) if line.startswith("A: {")]
    assert len(answers) == 2
    for n in answers:
        emotions = json.loads(lines[n].removeprefix("A: ").removesuffix("<end>"))["Emotion"]
        names = [emotion["name"] for emotion in emotions]
        values = tuple(float(emotion["score"]) for emotion in emotions)
        assert sum(values) == 10
        assert read_answer(lines[n - 1], names).values == values
        assert read_answer(lines[n], names).values == values
        assert read_answer("\n".join(lines[n - 1 :]), names).values == values


def test_item_one_is_asked_in_the_very_words_of_the_file(official: Path) -> None:
    """The published prompts show item 1: filling it in gives the file back."""
    pack = read(official, prompting="zero-shot")
    paragraphs = [p.strip() for p in read_paragraphs(official / "Prompts.docx")]
    start = paragraphs.index("Zero-Shot") + 1
    assert pack.items[0].content.prompt == "\n".join(paragraphs[start : start + 3])


def test_prompts_are_ours_where_upstream_has_none(official: Path) -> None:
    """Direct, and all Chinese ones; none repeats a sentence of upstream's."""
    upstream = " ".join(read_paragraphs(official / "Prompts.docx"))
    for lang in ("en", "zh"):
        for prompting in PROMPTINGS:
            for sentence in re.split(r"(?<=[.!?。])\s|\n", WORDING[lang][prompting]):
                assert len(sentence) < 20 or sentence not in upstream
    assert "eibench's wording" in read(official).comparability


@pytest.mark.parametrize(
    ("changes", "begins"),
    [
        ({}, "comparable with table 1 of Wang et al. (2023)"),
        ({"prompting": "two-shot"}, "comparable with table 1 of Wang et al. (2023)"),
        ({"lang": "zh"}, "not comparable with published scores: models were asked in English"),
        (
            {"shuffle_options": True},
            "not comparable with published scores: those have the options in",
        ),
    ],
    ids=str,
)
def test_comparability_line(official: Path, changes: dict[str, Any], begins: str) -> None:
    """English stories with the options in the pack's order are comparable with table 1."""
    assert read(official, **changes).comparability.startswith(begins)


@pytest.fixture
def wordless(official: Path, tmp_path: Path) -> Path:
    """The official files but for the prompts."""
    folder = tmp_path / "wordless"
    shutil.copytree(official, folder, ignore=shutil.ignore_patterns("Prompts.docx"))
    return folder


@pytest.mark.parametrize(
    "changes",
    [{}, *({"lang": "zh", "prompting": prompting} for prompting in PROMPTINGS)],
    ids=str,
)
def test_a_folder_without_prompts_asks_the_same_where_none_are_taken(
    official: Path, wordless: Path, changes: dict[str, Any]
) -> None:
    """Directly in English, and in any way in Chinese, every request is as with the file."""
    asked = [item.content.prompt for item in read(wordless, **changes).items]
    assert asked == [item.content.prompt for item in read(official, **changes).items]


def test_a_folder_without_prompts_is_no_official_pack(official: Path, wordless: Path) -> None:
    """It has another SHA-256, and its comparability line says what it lacks."""
    pack = read(wordless)
    assert pack.source.name == "custom"
    assert pack.source.sha256 != read(official).source.sha256
    message = "those are of the official pack, and this folder lacks Prompts.docx"
    assert pack.comparability == f"not comparable with published scores: {message}"


def test_a_result_without_prompts_is_not_put_among_published_ones(wordless: Path) -> None:
    """The EQ of the norm is there, the table of published scores is not."""
    result = scored(wordless, rows(FACTS["standard_scores"]))
    assert round(result.metrics["eq"].value or 0, 2) == 150.91
    assert standing(result.document) is None


@pytest.mark.parametrize("prompting", [p for p in PROMPTINGS if p != "direct"])
def test_a_prompting_without_its_words_is_refused(wordless: Path, prompting: str) -> None:
    """Told with the file, its folder, and what to do."""
    with pytest.raises(DataError) as caught:
        read(wordless, prompting=prompting)
    assert str(caught.value) == (
        f"{wordless / 'Prompts.docx'}: no such file, and --prompting {prompting} takes its words "
        "from it; put it there, take --dataset official, or ask with --prompting direct"
    )


def test_a_folder_without_the_norm_is_refused_as_before(wordless: Path) -> None:
    """Every prompting needs it."""
    (wordless / "SECEU_norm.docx").unlink()
    with pytest.raises(DataError, match=r"it lacks SECEU_norm\.docx"):
        read(wordless)


def scored(official: Path, answers: dict[str, str], **options: Any) -> Result:
    """The result of given answers."""
    return eibench.score("seceu", answers, dataset=str(official), options=options, name="x")


def rows(numbers: list[list[float]]) -> dict[str, str]:
    """An answer per item."""
    return {
        str(i): "; ".join(f"({n}) {v}" for n, v in enumerate(row, start=1))
        for i, row in enumerate(numbers, start=1)
    }


# Computed independently from the published numbers, to the digits given.
@pytest.mark.parametrize(
    ("numbers", "score", "eq", "r"),
    [
        (FACTS["standard_scores"], 0.0, 150.91, None),
        ([[4, 3, 2, 1]] * 40, 1.6089, 121.55, 0.128),
        ([[2.5] * 4] * 40, 2.1238, 112.16, -0.307),
        ([[0] * 4] * 40, 5.4654, 51.18, -0.283),
    ],
    ids=["standard scores", "4,3,2,1", "all equal", "null"],
)
def test_known_answers_score_as_known(
    official: Path, numbers: list[list[float]], score: float, eq: float, r: float | None
) -> None:
    """From the .docx to the result document, to the last digit that is known."""
    result = scored(official, rows(numbers))
    value = {name: metric.value for name, metric in result.metrics.items()}
    assert round(value["seceu_score"] or 0, 4) == score
    assert round(value["eq"] or 0, 2) == eq
    assert value["pattern_r"] == (None if r is None else pytest.approx(r, abs=5e-4))
    assert result.status == ("fail" if numbers[0] == [0] * 4 else "complete")


def test_the_standard_scores_are_beyond_the_best_human(official: Path) -> None:
    """EQ 150.91; the baselines are those known, beside it."""
    document = scored(official, rows(FACTS["standard_scores"])).document
    assert document["notes"]["beyond_best_human"] is True
    assert document["notes"]["band"] == "expert"
    baselines = {name: round(b["value"], 2) for name, b in document["baselines"].items()}
    assert baselines == {"random": 64.26, "uniform": 112.16, "best_constant": 121.55}


def test_shuffled_options_are_scored_where_they_belong(official: Path) -> None:
    """The standard scores given in the order shown are perfect; in the old order they are not."""
    shuffled = read(official, shuffle_options=True)
    shown = [[i.content.reference[o] for o in i.content.order] for i in shuffled.items]
    assert scored(official, rows(shown), shuffle_options=True).metrics["seceu_score"].value == 0
    as_before = scored(official, rows(FACTS["standard_scores"]), shuffle_options=True)
    assert (as_before.metrics["seceu_score"].value or 0) > 1


@pytest.mark.parametrize("prompting", PROMPTINGS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_forty_items_run_over_http_in_every_prompting(
    official: Path, empty_place: Path, prompting: str, lang: str
) -> None:
    """Each request as the protocol says, each answer scored: the constant's known EQ comes out."""

    def answer(request: ReceivedRequest) -> str:
        asked = re.findall(r"\(\d\) ([^;；.。\n]+)", request.prompt)[-4:]
        if prompting == "direct":
            return "(1) 4; (2) 3; (3) 2; (4) 1"
        named = [{"name": n, "score": v} for n, v in zip(asked, (4, 3, 2, 1), strict=True)]
        return "1. Fine.\n" + json.dumps({"Emotion": named}, ensure_ascii=False) + "<end>"

    with LoopbackServer(answer) as server:
        result = eibench.run(
            "seceu",
            model="openai/any",
            base_url=server.base_url,
            dataset=str(official),
            options={"prompting": prompting, "lang": lang},
            runs_dir=empty_place / "runs",
        )
        assert len(server.answered) == 40
        bodies = [request.body for request in server.requests]
    sent = {(b["temperature"], b["top_p"], b.get("max_completion_tokens") or b.get("max_tokens"))
            for b in bodies}  # fmt: skip
    assert sent == {(0.1, 1.0, 512) if prompting == "direct" else (0.0, 0.9, 2048)}
    assert result.items.scored == 40
    assert round(result.metrics["eq"].value or 0, 2) == 121.55
    stands = "comparable with table 1" in result.document["comparability"]
    assert stands == (lang == "en")


def test_a_change_of_sampling_is_told_and_more_room_is_none(
    official: Path, empty_place: Path
) -> None:
    """Against the settings of the prompting, not of the default one."""
    with LoopbackServer("(1) 4; (2) 3; (3) 2; (4) 1") as server:

        def run(**changes: Any) -> str:
            result = eibench.run(
                "seceu",
                model="openai/any",
                base_url=server.base_url,
                dataset=str(official),
                options={"prompting": "zero-shot"},
                runs_dir=empty_place / "runs",
                **changes,
            )
            return str(result.document["comparability"])

        assert "comparable with table 1" in run(max_tokens=8192)
        assert "changed: temperature=0.1" in run(temperature=0.1)


NAMES = ("SECEU_40items_English.docx", "SECEU_norm.docx", "Prompts.docx")
ONE = "Options: (1) Glad; (2) Sad: (3) Mad; (4) Calm"
ITEM = ("Item 1", "Story: It rains. Bo would feel:", ONE)
NUMBERS = ("1.00 \t2.00 \t3.00 \t4.00", "The (M) is 2.50, the (SD) is 0.50.", "[2.00]")
QUESTION = "Q: Who? Options: (1) a; (2) b; (3) c; (4) d. Rate & tell."
SECTIONS = ("Zero-Shot", "Zero-Shot + Step-by-step", "Two shot COT", "Two shot COT + Step-by-step")


def test_a_folder_with_other_contents_is_a_custom_pack(docx: Docx, empty_place: Path) -> None:
    """Files of the official form and other contents are read, and not comparable."""
    sections = [p for name in SECTIONS for p in (name, "Rules.", QUESTION, "A:")]
    for name, paragraphs in zip(NAMES, (ITEM, NUMBERS, sections), strict=True):
        docx(paragraphs, name=name)
    pack = read(empty_place, prompting="two-shot")
    assert pack.source.name == "custom"
    assert pack.comparability.startswith("not comparable with published scores")
    assert pack.norm is not None
    assert (pack.norm.mean, pack.norm.people, pack.norm.similarity) == (2.5, None, None)
    (item,) = pack.items
    assert item.content.options == ("Glad", "Sad", "Mad", "Calm")
    assert item.content.prompt == (
        "Rules.\nQ: It rains. Bo would feel: Options: (1) Glad; (2) Sad; (3) Mad; (4) Calm. "
        "Rate & tell.\nA:"
    )


@pytest.mark.parametrize(
    ("items", "norm", "message"),
    [
        (("Title",), NUMBERS, "holds no stories"),
        (("Item 2", *ITEM[1:]), NUMBERS, "item 2: item 1 should stand here"),
        ((*ITEM, "Item 3"), NUMBERS, "item 3: item 2 should stand here"),
        (("Item 1", "Options: (1) a; (2) b; (3) c; (4) d"), NUMBERS, "item 1: has no story"),
        (("Item 1", "It rains.", "Options: (1) a; (2) b"), NUMBERS, "four different options"),
        (("第一题", "下雨了：\ta\tb\tc"), NUMBERS, "four different options"),
        (ITEM, NUMBERS[:2], "template in [] has 0 numbers"),
        (ITEM, NUMBERS[1:], "needs rows of four standard scores"),
        (ITEM, (NUMBERS[0], NUMBERS[2]), "needs rows of four standard scores, the mean"),
        ((*ITEM, "Item 2", *ITEM[1:]), NUMBERS, "of 1 items, but items.docx has 2 stories"),
    ],
)  # fmt: skip
def test_files_of_another_form_are_refused_with_the_place(
    docx: Docx, items: tuple[str, ...], norm: tuple[str, ...], message: str
) -> None:
    """By the file and the item."""
    paths = docx(items, name="items.docx"), docx(norm, name="norm.docx")
    with pytest.raises(DataError) as caught:
        read_official(*paths, None, "en")
    assert message in str(caught.value)


def test_chinese_headings_count_to_forty(docx: Docx) -> None:
    """十, 二十, 二十一: as they are written."""
    tens = ["", "十", "二十", "三十", "四十"]
    names = [f"{tens[n // 10]}{' 一二三四五六七八九'[n % 10].strip()}" for n in range(1, 41)]
    paragraphs = [p for name in names for p in (f"第{name}题", f"{name}：\t甲\t乙\t丙\t丁")]
    norm = ["1.00\t2.00\t3.00\t4.00"] * 40 + [NUMBERS[1], f"[{', '.join(['2.00'] * 40)}]"]
    paths = docx(paragraphs, name="items.docx"), docx(norm, name="norm.docx")
    stories = read_official(*paths, None, "zh").stories
    assert [story.text for story in stories] == [f"{name}：" for name in names]


@pytest.mark.parametrize(
    ("paragraphs", "message"),
    [
        (("Zero-Shot", "Q: x Options: (1) a. y"), "has no section for zero-shot-steps"),
        ((), "has no section for zero-shot"),
        (
            ("Zero-Shot", "x", "Zero-Shot + Step-by-step", "Two shot COT",
             "Two shot COT + Step-by-step"),
            "zero-shot: its last question is not",
        ),
    ],
)  # fmt: skip
def test_prompts_of_another_form_are_refused(
    docx: Docx, paragraphs: tuple[str, ...], message: str
) -> None:
    """A section that is missing, or has no question to fill in."""
    with pytest.raises(DataError) as caught:
        read_templates(docx(paragraphs))
    assert message in str(caught.value)


def test_a_language_without_files_says_how_to_get_them() -> None:
    """The official pack may be there in one language alone."""
    options = {"prompting": "direct", "lang": "zh", "shuffle_options": False}
    with pytest.raises(DataError, match="no stories in 'zh'; bench data fetch seceu"):
        SECEU.read_pack(PackSource("bundled", "0" * 64, {}), options)
