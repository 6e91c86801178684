"""Packs in other languages than English and German: their prompts show the form themselves."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import eibench
from eibench import ChatRequest, DataError, Message, Pack, UsageError
from eibench.core.datasets import find_pack
from eibench.emotion_ratings import Question
from eibench.plugins.emotion_ratings.parsing import read_strict
from eibench.plugins.eqbench_v2.benchmark import EQBenchV2
from eibench.testing import LoopbackServer, ScriptedModel, uniform_ratings

V2 = EQBenchV2()
POLISH = """Przeczytaj scenę.

Ewa: Znowu się spóźniłeś.
Jan: [patrzy w podłogę] Autobus nie przyjechał.
[Koniec dialogu]

Co czuje Jan na końcu sceny?
Wstyd
Ulga
Złość na siebie
Radość

Oceń każde uczucie w skali 0-10. Potem skrytykuj oceny. Na końcu oceń jeszcze raz.

Odpowiedz tak:

Pierwsza ocena:
Wstyd: <ocena>
Ulga: <ocena>
Złość na siebie: <ocena>
Radość: <ocena>

Krytyka: <twoja krytyka>

Poprawiona ocena:
Wstyd: <nowa ocena>
Ulga: <nowa ocena>
Złość na siebie: <nowa ocena>
Radość: <nowa ocena>

[Koniec odpowiedzi]

Oceny nie muszą dawać żadnej sumy.
"""
JAPANESE = """次の場面を読んでください。

花子：また傘を忘れたの？
太郎：いや、駅で貸してしまったんだ。
［対話終了］

場面の終わりに太郎はどう感じていますか。
誇らしい
気まずい
怒り
安らぎ

それぞれを0から10で評価してください。次に評価を見直してください。最後にもう一度評価してください。

次の形で答えてください：

最初の評価：
誇らしい：＜点数＞
気まずい：＜点数＞
怒り：＜点数＞
安らぎ：＜点数＞

見直し：＜見直しの内容＞

改めた評価：
誇らしい：＜新しい点数＞
気まずい：＜新しい点数＞
怒り：＜新しい点数＞
安らぎ：＜新しい点数＞

［回答終了］

合計はいくつでもかまいません。
"""
WORDED_OTHERWISE = JAPANESE.replace("最初の評価：", "一回目の点数: ").replace(
    "［対話終了］", "[会話の終わり]"
)
PACKS = {
    "pl": ({"1": POLISH}, ("Wstyd", "Ulga", "Złość na siebie", "Radość")),
    "ja": ({"1": JAPANESE, "b": WORDED_OTHERWISE}, ("誇らしい", "気まずい", "怒り", "安らぎ")),
}
each_language = pytest.mark.parametrize("language", PACKS)


def written(folder: Path, prompts: dict[str, str], names: tuple[str, ...]) -> Path:
    """A pack of prompts whose reference is 1, 2, 3, 4."""
    numbered = list(enumerate(names, 1))
    reference: dict[str, Any] = {f"emotion{i}": name for i, name in numbered}
    reference |= {f"emotion{i}_score": i for i, _ in numbered}
    rows = {
        item_id: {"prompt": prompt, "reference_answer_fullscale": reference}
        for item_id, prompt in prompts.items()
    }
    path = folder / "pack.json"
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


def read(path: Path, **changes: Any) -> Pack:
    """The pack as it is read with some options, in a language without a form of its own."""
    options = {"lang": "xx", "parser": "strict", "revise": False} | changes
    return V2.read_pack(find_pack(V2, str(path), options), options)


@each_language
@pytest.mark.parametrize("revise", [False, True])
def test_a_translated_pack_runs_as_it_is(tmp_path: Path, language: str, revise: bool) -> None:
    """Over real HTTP, answered in the form that each prompt shows, and by demo models."""
    path, options = written(tmp_path, *PACKS[language]), {"revise": revise, "lang": language}
    with LoopbackServer(uniform_ratings()) as server:
        result = eibench.run(
            "eqbench-v2", model="openai/x", base_url=server.base_url, dataset=path, options=options
        )
    passes = ["first_pass", "revised"] if revise else ["first_pass"]
    assert (result.status, result.items.scored) == ("complete", len(PACKS[language][0]))
    assert all(result.metrics[name].value is not None for name in passes)
    strong, weak = (
        eibench.run("eqbench-v2", model=f"demo/{name}", dataset=path, options=options).value or 0
        for name in ("strong", "weak")
    )
    assert strong > weak


@each_language
def test_the_prompt_is_cut_at_its_own_marks(tmp_path: Path, language: str) -> None:
    """One pass is asked for in the first sentence of the instructions, without any heading."""
    prompts, names = PACKS[language]
    path = written(tmp_path, prompts, names)
    for full, cut in zip(read(path, revise=True).items, read(path).items, strict=True):
        form, prompt = full.content.form, cut.content.prompt
        assert not [h for h in (form.first, form.critique, form.revised) if h in prompt]
        assert all(prompt.count(name) == 2 for name in names)
        assert "0-10. Potem" not in prompt
        assert "次に" not in prompt
        assert form.answer_end in prompt


def test_headings_that_were_read_are_told(tmp_path: Path) -> None:
    """In the result, each wording once, so that a wrong one is seen."""
    (warning,) = read(written(tmp_path, *PACKS["ja"])).warnings
    assert warning.endswith(": 最初の評価：, 一回目の点数:; 改めた評価：; ［回答終了］")


@each_language
async def test_demo_answers_are_read_in_full(tmp_path: Path, language: str) -> None:
    """Both passes, without a flag: the form that is shown is the plain one."""
    for item in read(written(tmp_path, *PACKS[language]), revise=True).items:
        request = ChatRequest((Message("user", item.content.prompt),))
        words = V2.demo_reply(item, request, 0.9, Random(1))
        options = {"parser": "strict", "revise": True}
        transcript = await V2.generate(item, ScriptedModel(words, sampling=V2.sampling), options)
        assert (transcript.n_scored, transcript.flags) == (2, ())


def japanese(tmp_path: Path) -> Question:
    """The first Japanese question."""
    question: Question = read(written(tmp_path, *PACKS["ja"])).items[0].content
    return question


@pytest.mark.parametrize(
    ("rating", "value"),
    [("７", 7), ("7点", 7), ("（7）", 7), ("7／10", 7), ("７／１０", 7), ("7．5", 7.5),
     ("7〜8", None), ("7／5", None), ("－1", None), ("11", None)],
)  # fmt: skip
def test_full_width_numbers_are_read_like_others(
    tmp_path: Path, rating: str, value: float | None
) -> None:
    """Neither half of a range nor of another scale is taken for a rating."""
    question = japanese(tmp_path)
    reply = f"誇らしい：{rating}\n気まずい：1\n怒り：1\n安らぎ：1"
    reading = read_strict(reply, question.emotions, revise=False, form=question.form).first_pass
    assert (reading.values[0] if reading.values else None) == value


def test_names_of_the_form_are_read_where_the_reference_has_others(tmp_path: Path) -> None:
    """Such as an untranslated reference; a warning names each pair."""
    path = written(tmp_path, {"1": POLISH}, ("Shame", "Relief", "Anger", "Joy"))
    found = read(path)
    assert found.warnings[1] == (
        'question 1 asks for "Wstyd", but its reference says "Shame": either name is read'
    )
    question: Question = found.items[0].content
    reply = "Wstyd: 1\nUlga: 2\nAnger: 3\nRadość: 4"
    reading = read_strict(
        reply, question.emotions, revise=False, form=question.form, others=question.others
    ).first_pass
    # Two emotions have two names in the form: "Złość na siebie" is "Anger".
    assert reading.values == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Pierwsza ocena:\n", "Pierwsza ocena\n", "a colon above 'Wstyd: <ocena>'"),
        ("Poprawiona ocena:\n", "-\n", "a colon above 'Wstyd: <nowa ocena>'"),
        ("Poprawiona ocena:", "Pierwsza ocena:", "revised scores: 'Pierwsza ocena:'"),
        ("Krytyka: <twoja krytyka>", "", "critique above the heading 'Poprawiona ocena:'"),
        ("[Koniec odpowiedzi]", "Koniec", "no line in brackets right below the revised scores"),
        ("[Koniec dialogu]", "Koniec", "no line in brackets before its answer form"),
        (": <", " ", "shows 0 blocks of 4 lines such as 'NAME: <score>', not 2"),
    ],
)  # fmt: skip
def test_what_a_prompt_lacks_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    """With its item and the heading or mark."""
    path = written(tmp_path, {"7": POLISH.replace(old, new)}, PACKS["pl"][1])
    with pytest.raises(DataError) as caught:
        read(path)
    assert 'item "7": its prompt ' in str(caught.value)
    assert message in str(caught.value)


def test_the_published_code_reads_no_other_language(tmp_path: Path) -> None:
    """So `--parser reference` is refused rather than English rules applied."""
    with pytest.raises(UsageError, match="reads English and German only"):
        read(written(tmp_path, *PACKS["pl"]), parser="reference")


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("en", 'item "1": its prompt lacks the heading "First pass scores:"; --lang with the code'),
        ("de", 'lacks the heading "Erste Bewertung:"'),
    ],
)
def test_a_translated_pack_needs_its_language(tmp_path: Path, lang: str, message: str) -> None:
    """So that no result says that it is of English questions; the message says how to go on."""
    with pytest.raises(DataError) as caught:
        read(written(tmp_path, *PACKS["pl"]), lang=lang)
    assert message in str(caught.value)


@pytest.mark.parametrize("dataset", [None, "bundled"])
def test_a_language_without_a_pack_is_told(dataset: str | None) -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="has no language 'ja', but en, de; --dataset FILE"):
        find_pack(V2, dataset, {"lang": "ja"})
