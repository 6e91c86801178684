"""Runs as a file: out of one journal, into another, and nothing that is not right."""

import asyncio
import gzip
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.compare import arriving
from eibench.core.errors import DataError, JournalError
from eibench.core.journal import (
    CallKey,
    Failure,
    Journal,
    PersonLabel,
    RunLock,
    RunRecord,
    archives,
)
from eibench.core.journal.archives import write_lines
from eibench.core.journal.merging import Imported
from eibench.core.journal.schema import CALLS, TABLES
from eibench.core.journal.tables import quoted
from eibench.core.journal.transfer import export_lines
from eibench.core.parties.graders import Grader
from eibench.core.parties.party import Party
from eibench.core.types import (
    ChatRequest,
    ChatResponse,
    Finish,
    Message,
    Sampling,
    Score,
    Usage,
)
from tests.checksums import add_functions, bundle

IDENTITY = "0123456789abcdef" * 2
ORDERED = {"runs": "n", "calls": "n", "grades": "grader, item_id", "failures": "item_id",
           "askings": "phase, party, otherwise"}  # fmt: skip
Change = Callable[[list[Any]], Any]


def add_run(journal: Journal, run_id: str = IDENTITY[:8], **columns: Any) -> RunRecord:
    """A run with the least that it needs."""
    given = {
        "run_id": run_id,
        "identity": IDENTITY,
        "ordinal": 1,
        "benchmark": "talk",
        "benchmark_version": "1",
        "model": "openai/model",
        "name": "openai/model",
        "demo": False,
        "pack_name": "custom",
        "pack_sha256": "a" * 64,
        "endpoint": None,
        "settings": {"model": "openai/model", "notes": {}},
    }
    return journal.add_run(**given | columns)


def add_call(journal: Journal, run: RunRecord, item_id: str = "1", text: str = "yes") -> None:
    """An answered call about an item."""
    request = ChatRequest((Message("user", f"About {item_id}: {text}?"),))
    response = ChatResponse(
        text=text,
        reasoning=text,
        finish=Finish.LENGTH,
        finish_raw=text,
        model=text,
        fingerprint=text,
        provider=text,
        request_id=text,
        usage=Usage(1, 2, 3, 4, 5),
        latency_s=0.1,
        attempts=3,
        sent={"temperature": 0.7, "stop": [text]},
        cost_usd=0.0001,
        price_source="table",
    )
    key = CallKey("generate", "d", 0)
    asyncio.run(journal.add_call(run, item_id, 1, key, Party.of("openai/model"), request, response))


def add_all(journal: Journal, text: str = "yes") -> RunRecord:
    """A run with a call, a grade and a failure."""
    run = add_run(journal)
    add_call(journal, run, "1", text)
    score = Score({"v": 1.5, "none": None}, None, (text,), {"said": text})
    journal.add_grade(run, Grader("1"), "1", 1, score)
    journal.add_failure(run, Failure("2", 1, "server", text, 3))
    journal.writer.flush()
    return run


def export(folder: Path, path: Path) -> Path:
    """A file with all runs of a folder."""
    with Journal(folder, create=False) as journal:
        write_lines(path, export_lines(journal, journal.runs()))
    return path


def dump(folder: Path) -> dict[str, list[Any]]:
    """All rows of all tables."""
    with closing(sqlite3.connect(folder / "bench.sqlite")) as database:
        return {
            table: database.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()
            for table, order in ORDERED.items()
        }


def rewritten(path: Path, change: Change, *, recount: bool = True) -> Path:
    """The file after a change of its lines, which the last line fits again, or does not count."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines)
    path.write_text(bundle(lines, recount=recount), encoding="utf-8")
    return path


def import_runs(folder: Path, path: Path) -> list[Imported]:
    """What becomes of the runs of a file; their benchmark is not here."""
    return [arrival.imported for arrival in arriving.import_runs(folder, path)]


def came(*, is_new: bool = False, **added: int) -> list[Imported]:
    """That rows of one run came, or none."""
    changed = is_new or bool(added)
    kinds = [kind for kind in TABLES if kind != "run"] if changed else []
    return [Imported(IDENTITY[:8], is_new, changed, {k: added.get(k, 0) for k in kinds})]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A runs folder with one run."""
    with Journal(tmp_path / "here") as journal:
        add_all(journal)
    return tmp_path / "here"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Another runs folder, which is not there yet."""
    return tmp_path / "there"


@pytest.fixture
def file(here: Path, tmp_path: Path) -> Path:
    """The run as a file: line 2 is the run, 3 a call, 4 a grade, 5 a failure, 8 the end."""
    return export(here, tmp_path / "runs.jsonl")


# There and back


@pytest.mark.parametrize(("kind", "table"), [(kind, table.name) for kind, table in TABLES.items()])
def test_a_line_has_every_column_of_its_table(here: Path, kind: str, table: str) -> None:
    """A column that a migration adds must not be forgotten in the file; a checksum is made anew."""
    with closing(sqlite3.connect(here / "bench.sqlite")) as database:
        there = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    assert [c for c in there if c not in ("n", "run") and "crc" not in c] == list(
        TABLES[kind].columns
    )


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.jsonl.gz"])
def test_importing_makes_the_same_journal_and_again_changes_nothing(
    here: Path, there: Path, tmp_path: Path, name: str
) -> None:
    """Every column of every row, then nothing at all."""
    path = export(here, tmp_path / name)
    rows = {"call": 1, "grade": 1, "failure": 1, "party": 1, "asking": 1}
    assert import_runs(there, path) == came(is_new=True, **rows)
    assert dump(there) == dump(here)
    assert import_runs(there, path) == import_runs(here, path) == came()
    assert dump(there) == dump(here)
    assert export(there, tmp_path / f"again-{name}").read_bytes() == path.read_bytes()


def test_labels_of_people_come_along_and_another_answer_is_not_taken(
    here: Path, there: Path, tmp_path: Path
) -> None:
    """Each row as it was; a file that says something else is another half."""
    drawn = (0.25, "", None, "t", None, "by a notice", "")
    label = PersonLabel("a" * 12, "e2", "p-1", "1", 1, None, "v", 0.5, *drawn)
    with Journal(here) as journal:
        journal.add_labels([(journal.runs()[0], label)])
    path = export(here, tmp_path / "runs.jsonl")
    assert [done.added["label"] for done in import_runs(there, path)] == [1]
    assert dump(there) == dump(here)
    with pytest.raises(
        DataError, match="only here: label of item '1', iteration 1; only in the file: label"
    ):
        import_runs(there, rewritten(path, of(8, rating=0.75)))


def test_how_parties_were_asked_comes_along(here: Path, there: Path, tmp_path: Path) -> None:
    """Both ways of a party that was asked in two; an import again, or into the rest, adds none."""
    rest = export(here, tmp_path / "rest.jsonl")
    with Journal(here) as journal:
        meant = ChatRequest((Message("user", "hi"),), Sampling(temperature=0.5))
        key, judge = CallKey("judge", "e" * 32, 0), Party.of("openai/judge")
        for n, sent in enumerate(({"temperature": 0.5}, {})):
            reply, nth = ChatResponse("5", sent=sent), key._replace(occurrence=n)
            run = journal.runs()[0]
            asyncio.run(journal.add_call(run, "1", 1, nth, judge, meant, reply))
    path = export(here, tmp_path / "runs.jsonl")
    import_runs(there, rest)
    for _ in range(2):
        import_runs(there, path)
        with Journal(there) as journal:
            (ways,) = journal.askings().values()
        assert [dict(way.otherwise) for way in ways if way.party == judge] == [
            {"temperature": "not sent"}, {}
        ]  # fmt: skip
    assert dump(there)["askings"] == dump(here)["askings"]


TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
ODD = st.sampled_from(["\0", '"', "'", "\\", "\r\n", "\u2028", "\ud83d", "\U000e0041", "\x85", ""])


@settings(max_examples=40, deadline=None)
@given(text=st.lists(TEXTS | ODD, max_size=4).map("".join))
def test_any_text_survives_the_way(text: str, tmp_path_factory: Any) -> None:
    """NUL, quotes, other ends of lines, half characters: the same journal, the same file."""
    folder = tmp_path_factory.mktemp("runs")
    with Journal(folder / "a") as journal:
        add_run(journal, f"{IDENTITY[:8]}-2", ordinal=2, settings={"notes": {"note": text}})
        add_all(journal, text)
    path = export(folder / "a", folder / "runs.jsonl")
    assert path.read_bytes().count(b"\n") == len(path.read_text("utf-8").splitlines()) == 10
    import_runs(folder / "b", path)
    assert dump(folder / "b") == dump(folder / "a")


def test_the_same_runs_make_the_same_packed_bytes(here: Path, tmp_path: Path) -> None:
    """No time and no name of a file is in it."""
    one, other = export(here, tmp_path / "one.gz"), export(here, tmp_path / "other.gz")
    assert one.read_bytes() == other.read_bytes()


def test_the_first_and_the_last_line_say_what_the_file_is(file: Path) -> None:
    """Its form and version, and how many lines it has."""
    first, *rows, last = map(json.loads, file.read_text().splitlines())
    assert (first["format"], first["version"]) == ("eibench-journal", 7)
    assert [row["kind"] for row in rows] == ["run", "call", "grade", "failure", "party", "asking"]
    *above, _ = file.read_bytes().splitlines(keepends=True)
    assert last == {"kind": "end", "lines": 8, "sha256": sha256(b"".join(above)).hexdigest()}


def test_an_export_is_of_one_moment(here: Path) -> None:
    """What is written while it is read is not in it."""
    with Journal(here) as journal:
        (run,) = journal.runs()
        lines = export_lines(journal, [run])
        begun = [next(lines), next(lines)]
        add_call(journal, run, "9")
        assert len([*begun, *lines]) == 8
        assert journal.count_calls(run) == 2


def test_what_was_there_stays_when_a_file_cannot_be_written(here: Path, tmp_path: Path) -> None:
    """Whole or not at all, and nothing else is left behind."""
    path = export(here, tmp_path / "runs.jsonl")
    before = path.read_bytes()
    with Journal(here) as journal:
        (run,) = journal.runs()
        lines = export_lines(journal, [run])
        next(lines)
        journal.delete_run(run)
        with pytest.raises(JournalError, match="was deleted in the meantime"):
            write_lines(path, lines)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["here", "runs.jsonl"]


def test_what_could_not_be_imported_is_not_exported(here: Path, tmp_path: Path) -> None:
    """A row that another program wrote is told while the run is still there."""
    with closing(sqlite3.connect(here / "bench.sqlite")) as database, database:
        add_functions(CALLS, database)
        database.execute("UPDATE calls SET finish = 'bored'")
        database.execute(f"UPDATE calls SET crc = calls_crc({quoted(CALLS.columns)})")
    with pytest.raises(JournalError, match='the line of a call "finish" must be one of'):
        export(here, tmp_path / "runs.jsonl")
    assert not (tmp_path / "runs.jsonl").exists()


# What is refused


def of(n: int, **fields: Any) -> Change:
    """Set fields of line `n`."""
    return lambda lines: lines[n - 1].update(fields)


def without(n: int, *names: str) -> Change:
    """Take fields of line `n` away; without names, the line itself."""

    def change(lines: list[Any]) -> None:
        for name in names:
            del lines[n - 1][name]
        if not names:
            del lines[n - 1]

    return change


def twice(n: int) -> Change:
    """Repeat line `n`."""
    return lambda lines: lines.insert(n, lines[n - 1])


BROKEN: list[tuple[str, Change, str]] = [
    ("another form", of(1, format="other"), "line 1: is not the first line"),
    ("newer", of(1, version=99, more=1), r"line 1: was written by a newer eibench \(form 99"),
    (
        "older",
        of(1, version=1),
        r"line 1: was written by an eibench before its first release",
    ),
    ("version of no kind", of(1, version="1"), 'line 1: "version" must be a whole number'),
    ("unknown field in the header", of(1, more=1), 'line 1: has an unknown field "more"'),
    ("no header", without(1), "line 1: is not the first line"),
    ("two headers", twice(1), "line 2: is of an unknown kind"),
    ("no end", without(8), "ends after line 7 without its last line"),
    ("no run", lambda lines: lines.__delitem__(slice(1, 7)), "holds no runs"),
    ("no run before a call", without(2), 'line 2: "run" is not the run'),
    ("unknown kind", of(3, kind="thought"), "line 3: is of an unknown kind, 'thought'"),
    ("kind of no kind", of(3, kind=["call"]), "line 3: is of an unknown kind"),
    ("unknown field", of(3, colour="blue"), 'line 3: has an unknown field "colour"'),
    ("missing field", without(4, "values"), 'line 4: needs "values"'),
    ("not an object", lambda lines: lines.insert(2, [1]), "line 3: is not a JSON object"),
    ("the same call twice", twice(3), "line 4: is a call that stands in an earlier line"),
    ("the same run twice", twice(2), "line 3: is a run that stands in an earlier line"),
    ("a path as id", of(2, run_id="../../etc/passwd"), 'line 2: "run_id" must be a run'),
    ("an id of another identity", of(2, run_id="f" * 8), 'line 2: "run_id" is not made from'),
    ("an id of another ordinal", of(2, run_id="01234567-2"), 'line 2: "run_id" is not made from'),
    ("ordinal 0", of(2, ordinal=0), 'line 2: "ordinal" must be a whole number from 1'),
    ("ordinal too large", of(2, ordinal=2**63), 'line 2: "ordinal" must be'),
    ("another run's call", of(3, run="f" * 8), 'line 3: "run" is not the run'),
    ("true is no number", of(3, attempts=True), 'line 3: "attempts" must be a whole number'),
    ("1.0 is not whole", of(3, iteration=1.0), 'line 3: "iteration" must be a whole number'),
    ("below 0", of(3, input_tokens=-1), 'line 3: "input_tokens" must be a whole number from 0'),
    ("a number is no text", of(3, text=7), 'line 3: "text" must be a text'),
    ("null is no text", of(3, text=None), 'line 3: "text" must be a text'),
    ("unknown finish", of(3, finish="bored"), 'line 3: "finish" must be one of'),
    ("messages", of(3, messages=[["user"]]), 'line 3: "messages" holds one that must be a list'),
    ("a time of its own", of(3, at="yesterday"), 'line 3: "at" must be a time'),
    ("no such day", of(3, at="2025-02-30T00:00:00.000+00:00"), 'line 3: "at" is no time'),
    ("half a character", of(3, text="\ud83d"), "line 3: holds half of a character"),
    ("half in JSON", of(3, sent={"\ud83d": 1}), "line 3: holds half of a character"),
    ("values", of(4, values={"v": "high"}), 'line 4: "values" "v" must be a number'),
    ("flags", of(4, flags="odd"), 'line 4: "flags" must be a list'),
    ("NaN", of(4, values={"v": float("nan")}), "line 4: holds NaN"),
    ("a document of nothing", of(2, document={}), 'line 2: "document" needs "run_id"'),
]


@pytest.mark.parametrize(("change", "message"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_line_that_is_not_right_is_told_with_its_number(
    file: Path, there: Path, change: Change, message: str
) -> None:
    """No journal is made, not even a folder."""
    with pytest.raises(DataError, match=message):
        import_runs(there, rewritten(file, change))
    assert not there.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without(4), "line 7: counts 8 lines, but is line 7: lines are missing"),
        (lambda lines: lines.insert(4, {**lines[3], "iteration": 2}), "line 9: counts 8 lines"),
        (of(8, lines=9), "line 8: counts 9 lines"),
        (of(8, lines="8"), 'line 8: "lines" must be a whole number'),
        (twice(8), "line 9: follows the last line"),
    ],
)
def test_a_count_that_does_not_fit_is_told(
    file: Path, there: Path, change: Change, message: str
) -> None:
    """A file that lost or gained a line on the way is noticed."""
    with pytest.raises(DataError, match=message):
        import_runs(there, rewritten(file, change, recount=False))
    assert not there.exists()


HEADER = b'{"format":"eibench-journal","version":7,"eibench":"0"}\n'
RAW: list[tuple[str, bytes, str]] = [
    ("empty", b"", "is empty"),
    ("an empty line", b"\n", "line 1: is not JSON"),
    (
        "no JSON",
        b"hello\n",
        "line 1: is not JSON: Expecting value at character 1; bench import -h lists the --format",
    ),
    ("no text", b"\xff\xfe\n", "line 1: is not JSON: it is no UTF-8"),
    ("byte order mark", b"\xef\xbb\xbf" + HEADER, "line 1: is not JSON"),
    ("a SQLite file", b"SQLite format 3\0" + bytes(99), "line 1: is not JSON"),
    ("cut in a line", HEADER + b'{"kind":"ru', "line 2: is not JSON"),
    ("a key twice", HEADER + b'{"kind":"end","kind":"end"}\n', "line 2: has a key twice"),
    ("too deep", HEADER + b"[" * 100_000 + b"\n", "line 2: is nested too deeply"),
    ("too many digits", HEADER + b'{"a":' + b"9" * 5000 + b"}\n", "line 2: holds 9999"),
    ("an infinity", HEADER + b'{"a":1e999}\n', "line 2: holds 1e999, which is too large"),
    ("two values", HEADER + b"{}{}\n", "line 2: is not JSON: Extra data"),
]


@pytest.mark.parametrize(("raw", "message"), [r[1:] for r in RAW], ids=[r[0] for r in RAW])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_a_file_of_something_else_is_told(
    tmp_path: Path, there: Path, raw: bytes, message: str, packed: bool
) -> None:
    """Whatever it holds, it is one clear error."""
    path = tmp_path / ("f.gz" if packed else "f.jsonl")
    path.write_bytes(gzip.compress(raw) if packed else raw)
    with pytest.raises(DataError, match=message):
        import_runs(there, path)
    assert not there.exists()


@pytest.mark.parametrize("kept", [1, 9, 40, -9, -1])
def test_a_packed_file_that_was_cut_off_is_told(
    here: Path, there: Path, tmp_path: Path, kept: int
) -> None:
    """Wherever it ends, and if only its check sum is missing."""
    path = export(here, tmp_path / "runs.jsonl.gz")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"damaged or cut off|is not gzip"):
        import_runs(there, path)
    assert not there.exists()


def test_a_packed_file_with_a_wrong_byte_is_told(here: Path, there: Path, tmp_path: Path) -> None:
    """Its check sum is looked at before anything is written."""
    path = export(here, tmp_path / "runs.jsonl.gz")
    data = bytearray(path.read_bytes())
    data[-6] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="damaged or cut off"):
        import_runs(there, path)


def test_a_name_that_promises_gzip_is_believed(file: Path, there: Path) -> None:
    """Plain text in a .gz is no file of ours; gzip under another name is one."""
    with pytest.raises(DataError, match=r"is not gzip, though its name ends in \.gz"):
        import_runs(there, file.rename(file.with_suffix(".gz")))
    other = file.with_name("runs.download")
    other.write_bytes(gzip.compress(file.with_suffix(".gz").read_bytes()))
    assert import_runs(there, other)[0].is_new


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_a_huge_line_is_refused(tmp_path: Path, there: Path, packed: bool) -> None:
    """It is not even read to its end; packed, it is a bomb."""
    path = tmp_path / "huge"
    size = archives.LINE_LIMIT + 1
    with gzip.open(path, "wb", 1) if packed else path.open("wb") as file:
        file.write(HEADER)
        for _ in range(1 if not packed else 8):
            file.write(b"0" * size)
    with pytest.raises(DataError, match="line 2: is longer than 32 MiB"):
        import_runs(there, path)


def test_a_bomb_of_right_lines_is_refused(file: Path, there: Path, tmp_path: Path) -> None:
    """Each line is as it must be, but together they are too much for so few bytes."""
    head, run, call = file.read_text().splitlines(keepends=True)[:3]
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wt") as bomb:
        bomb.write(head + run)
        for n in range(40):
            bomb.write(json.dumps({**json.loads(call), "occurrence": n, "text": "0" * 2**20}))
            bomb.write("\n")
    assert path.stat().st_size < 2**17
    with pytest.raises(DataError, match="expands to more than 250 times its size"):
        import_runs(there, path)
    assert not there.exists()


def test_a_packed_file_has_a_limit_in_all(
    here: Path, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what to do about it."""
    monkeypatch.setattr(archives, "EXPANDED_LIMIT", 1000)
    path = export(here, tmp_path / "runs.jsonl.gz")
    with pytest.raises(DataError, match=r"expands to more than .* if you trust it, unpack it"):
        import_runs(there, path)


# What is there already


CHANGED: list[tuple[str, Change, str]] = [
    (
        "a reply",
        of(3, text="no"),
        "in two places .only here: call of item '1', iteration 1; only in",
    ),
    ("a request", of(3, messages=[["user", "?"]]), "went on in two places"),
    ("null for a text", of(3, request_id=None), "went on in two places"),
    ("tokens and cost", of(3, output_tokens=9, cost_usd=9), "went on in two places"),
    ("a number", of(4, values={"v": 9.5, "none": None}), "here with another grade of item '1'"),
    ("a reason", of(4, reason="odd"), "is here with another grade of item '1'"),
    ("the model", of(2, model="openai/other"), "run 01234567 differs in model"),
    ("the pack", of(2, pack_sha256="b" * 64), "run 01234567 differs in pack_sha256"),
    ("settings", of(2, settings={"model": "openai/x"}), "run 01234567 differs in settings"),
    (
        "another run of that id",
        of(2, identity=IDENTITY[:8] + "f" * 24),
        "run 01234567 is another one here",
    ),
]


@pytest.mark.parametrize(
    ("change", "message"), [c[1:] for c in CHANGED], ids=[c[0] for c in CHANGED]
)
def test_a_run_that_differs_is_refused_and_nothing_is_imported(
    here: Path, file: Path, change: Change, message: str
) -> None:
    """Not even a new run that comes before it in the file."""
    before = dump(here)

    def with_another(lines: list[Any]) -> None:
        change(lines)
        other = {"run_id": "f" * 8, "identity": "f" * 32, "finished_at": None}
        lines.insert(7, {**lines[1], **other})

    rewritten(file, with_another)
    with pytest.raises(DataError, match=message) as error:
        import_runs(here, file)
    assert "nothing was imported: import it into a --runs-dir of its own" in str(error.value)
    assert dump(here) == before
    assert not (here / "locks" / "ffffffff.lock").exists()


def test_a_run_before_the_one_that_differs_is_not_imported_either(
    here: Path, file: Path, tmp_path: Path
) -> None:
    """A file is imported as a whole or not at all."""
    before = dump(here)

    def change(lines: list[Any]) -> None:
        lines[2]["text"] = "no"
        lines.insert(1, {**lines[1], "run_id": "f" * 8, "identity": "f" * 32})

    with pytest.raises(DataError, match="went on in two places"):
        import_runs(here, rewritten(file, change))
    assert dump(here) == before


@pytest.mark.parametrize(
    "change",
    [of(3, text="no"), of(3, digest="f" * 32), of(4, values={"v": 9.5, "none": None})],
    ids=["a reply", "what a reply is known by", "a grade"],
)
def test_a_file_that_was_changed_by_hand_is_refused(
    file: Path, there: Path, change: Change
) -> None:
    """Whatever of it was; the last line knows."""
    *_, last = file.read_text().splitlines()
    *lines, _ = rewritten(file, change).read_text().splitlines()
    file.write_text("\n".join([*lines, last, ""]))
    with pytest.raises(DataError, match="line 8: is of other lines: the file was changed after"):
        import_runs(there, file)
    assert not there.exists()


@pytest.mark.parametrize(
    "change",
    [
        of(3, at="2099-01-01T00:00:00.000+00:00", latency_s=9),
        of(4, at="2099-01-01T00:00:00.000+00:00"),
        of(5, at="2099-01-01T00:00:00.000+00:00", reason="elsewhere"),
        of(2, settings={"model": "openai/model", "notes": {"x": "y"}, "dataset": "/elsewhere"}),
    ],
    ids=["when and how fast", "graded again", "failed again", "notes and paths"],
)
def test_what_is_no_more_than_here_changes_nothing(here: Path, file: Path, change: Change) -> None:
    """It is no conflict, and nothing is written."""
    before = dump(here)
    assert import_runs(here, rewritten(file, change)) == came()
    assert dump(here) == before


def test_a_run_that_went_on_elsewhere_comes_back(here: Path, there: Path, tmp_path: Path) -> None:
    """With its grades, in the order in which its calls came; what is older changes nothing."""
    old = export(here, tmp_path / "a.jsonl")
    import_runs(there, old)
    with Journal(there) as journal:
        (run,) = journal.runs()
        for item in ("9", "3"):
            add_call(journal, run, item)
        journal.add_grade(run, Grader("1"), "9", 1, Score({"v": 2.0}))
    path = export(there, tmp_path / "b.jsonl")
    assert import_runs(here, path) == came(call=2, grade=1)
    assert dump(here) == dump(there)
    assert [row[2] for row in dump(here)["calls"]] == ["1", "9", "3"]
    assert import_runs(here, old) == came()
    assert dump(here) == dump(there)


def test_halves_of_a_run_are_not_put_together(here: Path, there: Path, tmp_path: Path) -> None:
    """A run that went on in two places stays as it is in both."""
    import_runs(there, export(here, tmp_path / "a.jsonl"))
    for folder, item in ((here, "3"), (there, "9")):
        with Journal(folder) as journal:
            add_call(journal, journal.runs()[0], item)
    before = dump(here)
    message = "item '3', iteration 1; only in the file: call of item '9'.*halves are not"
    with pytest.raises(DataError, match=message):
        import_runs(here, export(there, tmp_path / "b.jsonl"))
    assert dump(here) == before


def work(folder: Path) -> None:
    """A command works on the folder's run for a second."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        journal.end_run(run, "incomplete", seconds=1.0, finished=False)


def test_a_failure_of_later_work_counts(here: Path, there: Path, tmp_path: Path) -> None:
    """A failure is what the last attempt met, and a grade takes its place."""
    import_runs(there, export(here, tmp_path / "a.jsonl"))
    with Journal(there) as journal:
        journal.add_failure(journal.runs()[0], Failure("2", 1, "server", "elsewhere", 3))
    work(there)
    assert import_runs(here, export(there, tmp_path / "b.jsonl"))[0].changed
    assert dump(here)["failures"] == dump(there)["failures"]
    with Journal(there) as journal:
        journal.add_grade(journal.runs()[0], Grader("1"), "2", 1, Score({"v": 2.0}))
    assert import_runs(here, export(there, tmp_path / "c.jsonl"))[0].changed
    assert dump(here)["failures"] == []


def document(run_id: str, value: float) -> Any:
    """A result with what `bench show` relies on."""
    metric = {"value": value, "ci95": None, "n": 1, "higher_is_better": True}
    counts = ("total", "scored", "unscored", "failed", "truncated", "pending", "absent")
    return {
        **dict.fromkeys(("imported", "model", "endpoint", "judge_endpoint", "judged_by", "grader")),
        "not_sent": [],
        "metric_groups": {},
        "metric_notes": {},
        "flags": {},
        "conclusions": [],
        "run_id": run_id,
        "benchmark": "talk",
        "name": "openai/model",
        "status": "complete",
        "demo": False,
        "main": True,
        "judge": None,
        "comparability": "none",
        "benchmark_version": "1",
        "options": {},
        "sampling": {},
        "iterations": 1,
        "notes": {},
        "dataset": {"name": "custom", "sha256": "a" * 64, "n_items": 1},
        "comparisons": {},
        "ratings": [],
        "metrics": {"mean": metric},
        "metric_labels": {"mean": ["Mean", "items"]},
        "invalid": None,
        "baselines": {},
        "items": dict.fromkeys(counts, 0),
        "unscored": [],
        "failed": [],
        "calls": dict.fromkeys(("model", "judge", "replayed", "retries"), 0),
        "tokens": dict.fromkeys(("input", "cached", "output", "reasoning"), 0),
        "cost_usd": None,
        "elapsed_s": 1.0,
        "warnings": [],
    }


def end(folder: Path, value: float, *, finished: bool, seconds: float = 1.0) -> None:
    """A command on the folder's run ends with a result."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        status = "complete" if finished else "interrupted"
        result = document(run.run_id, value)
        journal.end_run(run, status, seconds=seconds, finished=finished, document=result)


def value_of(folder: Path) -> Any:
    """The value of the folder's run, if it has a result."""
    with Journal(folder) as journal:
        found = journal.document(journal.runs()[0])
    return found and found["metrics"]["mean"]["value"]


@pytest.mark.parametrize(
    ("ours", "theirs", "kept"),
    [
        (None, (2.0, True, 1), 2.0),
        ((1.0, False, 1), (2.0, True, 2), 2.0),
        ((1.0, True, 2), (2.0, False, 1), 1.0),
        ((1.0, True, 1), (2.0, True, 1), 1.0),
        ((1.0, True, 1), None, 1.0),
    ],
)
def test_the_result_of_the_longer_work_counts(
    here: Path, there: Path, tmp_path: Path, ours: Any, theirs: Any, kept: float
) -> None:
    """Seconds are those of all commands; importing again changes nothing."""
    import_runs(there, export(here, tmp_path / "a.jsonl"))
    for folder, result in ((here, ours), (there, theirs)):
        if result:
            end(folder, result[0], finished=result[1], seconds=result[2])
    path = export(there, tmp_path / "b.jsonl")
    import_runs(here, path)
    assert value_of(here) == kept
    before = dump(here)
    assert import_runs(here, path) == came()
    assert dump(here) == before


def test_a_changed_result_is_not_taken(here: Path, tmp_path: Path) -> None:
    """A better score cannot be written into a run that is here."""
    end(here, 1.0, finished=True)
    path = export(here, tmp_path / "a.jsonl")

    def better(lines: list[Any]) -> None:
        lines[1]["document"]["metrics"]["mean"]["value"] = 99.0

    assert import_runs(here, rewritten(path, better)) == came()
    assert value_of(here) == 1.0


def test_a_result_that_cannot_be_computed_says_so(here: Path, there: Path, tmp_path: Path) -> None:
    """Here its benchmark is not installed; what is said is said in the result too."""
    end(here, 1.0, finished=True)
    (arrival,) = arriving.import_runs(there, export(here, tmp_path / "a.jsonl"))
    assert "its numbers are those of the file, as they cannot be computed here" in arrival.note
    with Journal(there) as journal:
        document = journal.document(journal.runs()[0])
    assert document and document["warnings"] == [arriving.AS_SAID]


def test_a_run_that_is_owned_is_not_imported_into(here: Path, file: Path) -> None:
    """The owner reads the journal as it goes: nothing may change under it."""
    with RunLock(here, IDENTITY[:8]).acquire(), pytest.raises(JournalError, match="is owned by"):
        import_runs(here, file)
    assert import_runs(here, file) == came()


def test_a_damaged_journal_is_not_imported_into(there: Path, file: Path) -> None:
    """It is refused as it is, not taken for an empty one."""
    there.mkdir()
    (there / "bench.sqlite").write_bytes(b"precious")
    with pytest.raises(JournalError, match="damaged or no journal"):
        import_runs(there, file)
    assert (there / "bench.sqlite").read_bytes() == b"precious"
