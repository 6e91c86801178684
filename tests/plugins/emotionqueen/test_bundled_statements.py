"""The bundled EmotionQueen statements: their form, their balance, and that each is its own."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations, product
from statistics import mean

import pytest

from eibench import folder
from tests.data.bundled import each

FILE = folder("emotionqueen") / "bundled/statements.jsonl"
LINES = FILE.read_text(encoding="utf-8").splitlines()
STATEMENTS: list[dict[str, str]] = [json.loads(line) for line in LINES]
FIELDS = ["id", "task", "life_scenario", "polarity", "statement", "look_for"]
TASKS = ("key-event", "mixed-event", "implicit-emotion", "intention")
LIFE_SCENARIOS = ("achievements", "family-and-friends", "health", "economic-status", "accidents")
CELLS = set(product(TASKS, LIFE_SCENARIOS))
FIRST_PERSON = re.compile(r"(i|we)(['’](m|ve|d|ll|re))?|me|my|mine|us|ours?")
# Beginnings of words that name a feeling.
FEELINGS = re.compile(
    "proud|pride|happ|joy|glad|delight|jubil|exhilar|relie[vf]|grat[ei]|thankful|content|excite"
    "|thrill|moved|tender|warmth|lov[ei]|peace|ease|sad|grie[fv]|mourn|lonel|alone|afraid|fear|scare"
    "|dread|terrif|anxi|worr[iy]|nervous|panic|ashame|shame|embarrass|guilt|sorry|regret|remorse"
    "|env(y|ious)|jealous|ang(er|ry)|fur(y|ious)|rage|bitter|resent|irritat|hurt|humiliat|dignity"
    "|hopeless|despair|emptiness|shock|disappoint|upset|miser|ecsta|missing|distrust|pang"
)

each_statement = each(
    {f"{FILE.name}:{n} {row['id']}": (row,) for n, row in enumerate(STATEMENTS, start=1)}
)


def words(text: str) -> list[str]:
    """The words of a text, without case or punctuation."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of `length` neighbouring words."""
    said = words(text)
    return {tuple(said[i : i + length]) for i in range(len(said) - length + 1)}


def length(row: dict[str, str]) -> int:
    """Words of a statement, as white space divides them."""
    return len(row["statement"].split())


def shared(field: str, size: int) -> list[tuple[str, ...]]:
    """The runs of words that stand in that field of more than one statement."""
    found = Counter(run for row in STATEMENTS for run in runs(row[field], size))
    return [run for run, count in found.items() if count > 1]


def names_a_feeling(text: str) -> list[str]:
    """The words of a text that begin like a feeling."""
    return [word for word in words(text) if FEELINGS.match(word)]


def counted(rows: Iterable[dict[str, str]], *fields: str) -> Counter[tuple[str, ...]]:
    """How many statements have each combination of those fields."""
    return Counter(tuple(row[field] for field in fields) for row in rows)


def test_manifest_is_of_this_benchmark() -> None:
    """So that the pack is found by the benchmark's name."""
    raw = json.loads((FILE.parent.parent / "manifest.json").read_text(encoding="utf-8"))
    assert raw["benchmark"] == "emotionqueen"
    (file,) = raw["packs"]["bundled"]["files"]
    assert file == {"name": FILE.name, "path": f"bundled/{FILE.name}"}


def test_file_layout() -> None:
    """One object a line in plain UTF-8, nothing escaped, no blank line, a line end at the end."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in STATEMENTS)
    assert FILE.read_text(encoding="utf-8") == text


@each_statement
def test_fields(row: dict[str, str]) -> None:
    """The six fields in their order, each a text without white space around it or twice."""
    assert list(row) == FIELDS
    assert all(type(value) is str and value == " ".join(value.split()) for value in row.values())


def test_ids_say_where_a_statement_belongs() -> None:
    """Task, life scenario, and the number within the two, in the order of the file."""
    seen: Counter[str] = Counter()
    for row in STATEMENTS:
        cell = f"{row['task']}-{row['life_scenario']}"
        seen[cell] += 1
        assert row["id"] == f"{cell}-{seen[cell]:02}"


def test_every_cell_has_three_positive_and_seven_negative() -> None:
    """The paper's five life scenarios in equal number, positive to negative as 3 to 7."""
    wanted = {(*cell, p): n for cell in CELLS for p, n in (("positive", 3), ("negative", 7))}
    assert counted(STATEMENTS, "task", "life_scenario", "polarity") == wanted


def test_every_twenty_lines_are_balanced() -> None:
    """So that a run of the first 20, 40, ... statements is balanced, too."""
    for start in range(0, len(STATEMENTS), 20):
        block = STATEMENTS[start : start + 20]
        assert counted(block, "task", "life_scenario") == dict.fromkeys(CELLS, 1)
        assert counted(block, "polarity") == {("positive",): 6, ("negative",): 14}


@each_statement
def test_statement_length(row: dict[str, str]) -> None:
    """A statement has 12 to 60 words."""
    assert 12 <= length(row) <= 60


def test_lengths_vary() -> None:
    """At least fifteen have fewer than 20 words, at least fifteen have 50 or more."""
    lengths = [length(row) for row in STATEMENTS]
    assert sum(n < 20 for n in lengths) >= 15
    assert sum(n >= 50 for n in lengths) >= 15
    assert max(Counter(n // 5 for n in lengths).values()) <= 70


@pytest.mark.parametrize("field", ["task", "life_scenario", "polarity"])
def test_length_tells_nothing_of_the_cell(field: str) -> None:
    """The mean length of each group is within a tenth of that of all."""
    groups = defaultdict(list)
    for row in STATEMENTS:
        groups[row[field]].append(length(row))
    overall = mean(length(row) for row in STATEMENTS)
    assert all(abs(mean(group) - overall) <= overall / 10 for group in groups.values())


@each_statement
def test_first_person(row: dict[str, str]) -> None:
    """Somebody speaks of what happened to them."""
    assert any(FIRST_PERSON.fullmatch(word) for word in words(row["statement"]))


def test_statements_share_no_run_of_words() -> None:
    """No four words in a row occur in two statements."""
    assert shared("statement", 4) == []


def test_no_statement_is_another_with_words_swapped() -> None:
    """Two statements share at most a fifth of the neighbouring pairs of words of the shorter one.

    A template with names and things swapped keeps most of its small words side by side.
    """
    pairs = [runs(row["statement"], 2) for row in STATEMENTS]
    assert all(5 * len(a & b) <= min(len(a), len(b)) for a, b in combinations(pairs, 2))


def test_a_template_would_be_seen() -> None:
    """The measure of the test above finds a statement whose things were swapped."""
    one = "My neighbour sold the boat on Monday, and in the evening we ate soup on the stairs."
    two = "My sister sold the farm on Friday, and in the morning we ate cake on the lawn."
    a, b = runs(one, 2), runs(two, 2)
    assert 5 * len(a & b) > min(len(a), len(b))


def test_openings_differ() -> None:
    """No two statements begin with the same two words, no word begins over an eighth of them."""
    openings = [words(row["statement"])[:2] for row in STATEMENTS]
    assert len({tuple(opening) for opening in openings}) == len(STATEMENTS)
    assert max(Counter(first for first, _ in openings).values()) <= len(STATEMENTS) / 8


def test_implicit_emotions_are_not_named() -> None:
    """No statement of that task holds a word for a feeling."""
    rows = [row for row in STATEMENTS if row["task"] == "implicit-emotion"]
    assert {row["id"]: found for row in rows if (found := names_a_feeling(row["statement"]))} == {}


def test_notes_on_implicit_emotions_name_them() -> None:
    """What the statement leaves unsaid the note for the judge says."""
    rows = [row for row in STATEMENTS if row["task"] == "implicit-emotion"]
    assert [row["id"] for row in rows if not names_a_feeling(row["look_for"])] == []


@each_statement
def test_note_for_the_judge(row: dict[str, str]) -> None:
    """One or two sentences, 8 to 45 words."""
    assert len(re.findall(r"[.!?](?=\s|$)", row["look_for"])) in (1, 2)
    assert row["look_for"].endswith(".")
    assert 8 <= len(row["look_for"].split()) <= 45


def test_notes_share_no_run_of_words() -> None:
    """No five words in a row occur in two notes."""
    assert shared("look_for", 5) == []
