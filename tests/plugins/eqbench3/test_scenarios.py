"""Reading packs in both forms, and what is said of broken ones."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError, PackSource
from eibench.core.datasets import find_pack
from eibench.plugins.eqbench3.benchmark import EQBench3
from eibench.plugins.eqbench3.scenarios import Scenarios, read_scenarios

Write = Callable[..., Path]
Source = Callable[[Path], PackSource]
BENCHMARK = EQBench3()
OPTIONS = {"rubric": True, "elo": True}


def by_id(scenarios: Scenarios) -> dict[str, Any]:
    """What each item holds."""
    return {item.id: item.content for item in scenarios.items}


# Our form


def row(id: str, kind: str = "role-play", **changes: Any) -> dict[str, Any]:
    """A scenario of our own form."""
    return {"id": id, "title": f"Title {id}", "kind": kind, "turns": [f"Turn of {id}."], **changes}


def test_a_pack_of_our_form_is_read_in_its_order(own_pack: Write, source: Source) -> None:
    """Texts without the space around them; what may be left out is empty."""
    rows = (
        row("b", turns=["  one\n", "two"], notes="\nwatch the keys\n", category="Work", family="k"),
        row("a", "analysis", family="k"),
        row("c", "drafting"),
    )
    found = read_scenarios(source(own_pack(*rows)))
    assert [(i.id, i.cluster) for i in found.items] == [("b", "k"), ("a", "k"), ("c", "c")]
    first, second, _ = by_id(found).values()
    assert (first.title, first.category, first.turns) == ("Title b", "Work", ("one", "two"))
    assert first.notes == "watch the keys"
    assert (second.kind.name, second.notes, second.category) == ("analysis", "", "")
    assert found.warnings == ()


def test_kinds_of_our_form_bring_prompts_headings_and_criteria(
    own_pack: Write, source: Source
) -> None:
    """From prompts.toml: a judge's instructions apart, so that a provider can cache them."""
    kinds = read_scenarios(source(own_pack(row("a")))).protocol.kinds
    assert len(kinds["role-play"].headings) == len(kinds["drafting"].headings) == 3
    assert kinds["analysis"].headings == ()
    assert kinds["analysis"].debrief is None
    assert kinds["role-play"].debrief
    for kind in kinds.values():
        assert kind.template.system
        assert len(kind.scored) == 6
        assert set(kind.scored) <= set(kind.rubric.criteria)
        assert kind.rubric.scale == 10


@pytest.mark.parametrize(
    ("scenarios", "message"),
    [
        ("", "holds no [[scenario]]"),
        ("scenario = []", "holds no [[scenario]]"),
        ("scenario = 3", "holds no [[scenario]]"),
        ("[[scenario]\n", "not TOML"),
        ("scenario = [3]", "scenario 1"),
        ('[[scenario]]\ntitle = "t"\nkind = "role-play"\nturns = ["x"]', 'scenario 1: needs "id"'),
        ('[[scenario]]\nid = ""\ntitle = "t"', 'needs "id", a text'),
        ('[[scenario]]\nid = 7\ntitle = "t"', 'scenario 7: needs "id", a text'),
        ('[[scenario]]\nid = "a"\nkind = "role-play"\nturns = ["x"]', 'scenario a: needs "title"'),
        ('[[scenario]]\nid = "a"\ntitle = "t"\nturns = ["x"]', 'scenario a: needs "kind"'),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "opera"\nturns = ["x"]',
            "scenario a: its kind 'opera' is none of role-play, drafting, analysis",
        ),
        ('[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"', 'scenario a: needs "turns"'),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"\nturns = "x"',
            'scenario a: needs "turns", a list of texts',
        ),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"\nturns = ["x", " "]',
            'scenario a: needs "turns"',
        ),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"\nturns = ["x"]\nnotes = 5',
            'scenario a: its "notes" is no text',
        ),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"\nturns = ["x"]\nfamily = [1]',
            'scenario a: its "family" is no text',
        ),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"\nturns = ["x"]\nnote = "x"',
            'scenario a: has "note", which is none of',
        ),
        (
            '[[scenario]]\nid = "a"\ntitle = "t"\nkind = "analysis"\nturns = ["x"]\n' * 2,
            "scenario a: is there twice",
        ),
    ],
)
def test_a_broken_scenario_is_named(
    own_pack: Write, source: Source, scenarios: str, message: str
) -> None:
    """File, place, and what is wrong."""
    with pytest.raises(DataError) as error:
        read_scenarios(source(own_pack(scenarios=scenarios)))
    assert "scenarios.toml" in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("scale = 10", "", "lacks 'scale'"),
        ("scale = 10", 'scale = "ten"', "is no protocol of EQ-Bench 3"),
        ("scale = 10", "scale = 0", "is no protocol of EQ-Bench 3"),
        ("[profile]", "[other]", "lacks 'profile'"),
        ('prompt = "role_play"', 'prompt = "ballet"', "lacks 'ballet'"),
        ("{scenario_prompt}", "{scenario}", "has no place {scenario_prompt}"),
        ("{transcript}", "{talk}", "has no place {transcript}"),
        ("{output_format}", "{form}", "has no place {output_format}"),
        ('scored = ["demonstrated_empathy"', 'scored = ["tact"', "scores tact, which its judge"),
        ("scored = [", "scored = []\nwas = [", "role-play scores no criterion"),
        ("criteria = [", 'criteria = ["rubric", ', 'may be called "rubric"'),
        ('truncation = "tokens"', 'truncation = "words"', "characters or tokens, not 'words'"),
        ("\nlimits = [2048]", '\nlimits = ["long"]', "limits of role-play must be whole"),
        ("debrief_limit = 2048", 'debrief_limit = "long"', "limits of role-play must be whole"),
        ('strip = ""', "strip = 3", "strip must be a text"),
        ('strip = ""', 'strip = ""\nconstrained = 1', "constrained must be of the type bool"),
    ],
)
def test_a_broken_protocol_is_named(
    own_pack: Write, source: Source, before: str, after: str, message: str
) -> None:
    """File and what is wrong."""
    from eibench.data import folder

    prompts = (folder("eqbench3") / "bundled" / "prompts.toml").read_text(encoding="utf-8")
    assert before in prompts
    with pytest.raises(DataError) as error:
        read_scenarios(source(own_pack(row("a"), prompts=prompts.replace(before, after))))
    assert "prompts.toml" in str(error.value)
    assert message in str(error.value)


# Upstream's form


def test_a_pack_of_upstream_s_form_is_read(upstream_pack: Write, source: Source) -> None:
    """Kinds by the ids of the protocol; the notes where there are any."""
    found = read_scenarios(source(upstream_pack()))
    contents = by_id(found)
    kinds = {id: s.kind.name for id, s in contents.items()}
    assert kinds == {"1": "role-play", "208": "drafting", "8": "direct", "401": "analysis"}
    assert contents["1"].turns == ("It stops.", "It goes on.")
    assert contents["401"].turns == ("A: hm.\nB: hm.",)
    assert (contents["1"].category, contents["1"].title) == ("Work", "The lift")
    assert [s.notes for s in contents.values()] == [
        "He is afraid of lifts.", "", "", "Nobody listens.",
    ]  # fmt: skip
    assert found.warnings == ()


def test_each_kind_of_upstream_s_form_has_its_own_prompts(
    upstream_pack: Write, source: Source
) -> None:
    """A direct scenario is sent as it is; only role-plays and drafts have headings."""
    kinds = read_scenarios(source(upstream_pack())).protocol.kinds
    assert kinds["role-play"].headings == ("Within", "Without", "Aloud")
    assert kinds["drafting"].headings == ("Reader", "Text")
    assert kinds["direct"].prompt == "{scenario_prompt}"
    assert kinds["direct"].headings == kinds["analysis"].headings == ()
    assert kinds["direct"].debrief == kinds["role-play"].debrief == "Look back."
    assert kinds["analysis"].debrief is None
    criteria = kinds["role-play"].rubric.names
    assert len(criteria) == 7
    assert criteria[-1] == "warmth"
    assert kinds["role-play"].rubric.reasoning == "what you think"


def test_texts_stay_as_they_are(upstream_pack: Write, source: Source) -> None:
    """Lines end in one way; marks, blank lines and other alphabets are the scenario's own."""
    text = (
        "######## 1 | Work\r\n####### Prompt1\r\n\r\n“Hm…”  \r\n\r\n#### not a heading\r\n—\r\n\r\n"
    )
    (scenario,) = by_id(read_scenarios(source(upstream_pack(scenario_prompts=text)))).values()
    assert scenario.turns == ("“Hm…”  \n\n#### not a heading\n—",)
    assert (scenario.title, scenario.category) == ("", "Work")


def test_a_scenario_without_a_prompt_is_left_out_with_a_warning(
    upstream_pack: Write, source: Source
) -> None:
    """As the published code leaves it out; its id and its line are told."""
    text = "######## 1\n####### Prompt1\nHm.\n\n######## 2\n####### 1\nLost.\n"
    found = read_scenarios(source(upstream_pack(scenario_prompts=text)))
    assert list(by_id(found)) == ["1"]
    (warning,) = found.warnings
    assert "scenario 2 (line 5)" in warning


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("scenario_prompts", "", "holds no scenario"),
        ("scenario_prompts", "######## 1\nHm.", "holds no scenario"),
        ("scenario_prompts", "######## 1\n####### Prompt1\nx\n" * 2, "scenario 1: is there twice"),
        ("scenario_master_prompt", "Speak.", "has no place {scenario_prompt}"),
        ("rubric_scoring_prompt", "{transcript}", "has no place {output_format}"),
        ("rubric_scoring_prompt_analysis", "{output_format}", "has no place {transcript}"),
        ("rubric_scoring_criteria", "warmth", "demonstrated_empathy"),
    ],
)
def test_a_broken_upstream_file_is_named(
    upstream_pack: Write, source: Source, file: str, text: str, message: str
) -> None:
    """What is wrong, and where."""
    with pytest.raises(DataError, match=message.replace("{", r"\{")):
        read_scenarios(source(upstream_pack(**{file: text})))


@pytest.mark.parametrize("name", ["scenarios.toml", "prompts.toml", "scenario_prompts.txt"])
def test_a_file_alone_is_no_pack(tmp_path: Path, source: Source, name: str) -> None:
    """What is missing is named, whichever form the file is of."""
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / name).write_text("x = 1")
    with pytest.raises(DataError, match="beside it belong"):
        read_scenarios(source(tmp_path / "alone"))


def test_a_file_that_is_not_there_is_an_error(upstream_pack: Write, source: Source) -> None:
    """Its name is told."""
    path = upstream_pack()
    (path / "debrief_prompt.txt").unlink()
    with pytest.raises(DataError, match=r"debrief_prompt\.txt"):
        read_scenarios(source(path))


# The official data


@pytest.fixture
def scenarios(official: Path) -> Scenarios:
    """The official pack."""
    return read_scenarios(find_pack(BENCHMARK, str(official), OPTIONS))


def test_the_official_folder_is_the_official_pack(official: Path) -> None:
    """Known by its contents; not the page's prompts, not its scores, until it is whole."""
    source = find_pack(BENCHMARK, str(official), OPTIONS)
    pack = BENCHMARK.read_pack(source, OPTIONS)
    assert source.name == "official"
    assert "eqbench.com" in pack.comparability
    assert len(pack.items) == 45


def test_the_official_pack_has_45_scenarios_and_a_warning(scenarios: Scenarios) -> None:
    """25 role-plays, one draft, 19 analyses; 409's prompt heading is malformed (design 7)."""
    kinds = Counter(item.content.kind.name for item in scenarios.items)
    assert kinds == {"role-play": 25, "drafting": 1, "analysis": 19}
    assert "409" not in by_id(scenarios)
    assert by_id(scenarios)["208"].kind.name == "drafting"
    (warning,) = scenarios.warnings
    assert "scenario 409 " in warning


def test_the_official_pack_has_92_turns_and_26_debriefs(scenarios: Scenarios) -> None:
    """With 45 verdicts that makes 163 calls an iteration."""
    options = {"rubric": True, "elo": True}
    calls = [BENCHMARK.planned_calls(item, options) for item in scenarios.items]
    turns = sum(len(item.content.turns) for item in scenarios.items)
    debriefs = sum(item.content.kind.debrief is not None for item in scenarios.items)
    assert (turns, debriefs) == (92, 26)
    assert [sum(c[party] for c in calls) for party in ("model", "judge")] == [118, 45]


#: The analysis items that reuse a role-play's text, read off the official file.
FAMILIES = [
    {"3", "406", "411", "412"}, {"6", "408", "413", "414"}, {"15", "417", "418"}, {"1", "410"},
    {"2", "405"}, {"4", "407"}, {"9", "415"}, {"11", "416"}, {"131", "420"}, {"137", "419"},
    {"301", "402"}, {"302", "403"}, {"303", "401"}, {"304", "404"},
]  # fmt: skip


def test_the_official_pack_has_26_families(scenarios: Scenarios) -> None:
    """Those that share a text, and each of the others by itself."""
    clusters: dict[str, set[str]] = {}
    for item in scenarios.items:
        clusters.setdefault(item.cluster, set()).add(item.id)
    assert len(clusters) == 26
    shared = [members for members in clusters.values() if len(members) > 1]
    assert sorted(map(sorted, shared)) == sorted(map(sorted, FAMILIES))


def test_families_of_the_official_pack_do_share_a_text(scenarios: Scenarios) -> None:
    """An analysis holds the title scene of its role-play: long common stretches of words."""
    contents = by_id(scenarios)
    for family in FAMILIES:
        (talk,) = (id for id in family if int(id) < 400)
        words = _stretches(" ".join(contents[talk].turns))
        for id in family - {talk}:
            assert words & _stretches(contents[id].turns[0]), (talk, id)


def _stretches(text: str, n: int = 12) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {tuple(words[i : i + n]) for i in range(len(words) - n)}


def test_thirteen_scenarios_of_the_official_pack_have_notes(scenarios: Scenarios) -> None:
    """For the judge; design 7."""
    assert sum(bool(item.content.notes) for item in scenarios.items) == 13


def test_the_official_criteria(scenarios: Scenarios) -> None:
    """18 and 6, six of each scored, from 0 to 20."""
    kinds = scenarios.protocol.kinds
    assert {name: len(kind.rubric.criteria) for name, kind in kinds.items()} == {
        "role-play": 18, "drafting": 18, "direct": 18, "analysis": 6,
    }  # fmt: skip
    assert all(len(kind.scored) == 6 for kind in kinds.values())
    assert {kind.rubric.scale for kind in kinds.values()} == {20}
    assert set(kinds["analysis"].scored) == set(kinds["analysis"].rubric.criteria)
    assert scenarios.protocol.strip == "*#"


def test_what_comparisons_need_of_the_official_protocol(scenarios: Scenarios) -> None:
    """Limits in characters, anchors, one plus at most for analyses (design 7)."""
    protocol = scenarios.protocol
    assert protocol.truncation == "characters"
    assert protocol.kinds["role-play"].limits == (2200, 1600, 1600)
    assert protocol.kinds["role-play"].debrief_limit == 4000
    assert protocol.kinds["analysis"].limits == (6000,)
    assert protocol.kinds["analysis"].margin_cap == 1
    assert protocol.anchors[0] == {"o3": 1500, "llama-3.2-1b-instruct": 200}
