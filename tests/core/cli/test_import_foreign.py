"""`bench import --format`: another program's comparisons, made up here in its form."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import Benchmark, ForeignResults, folder, read_toml
from eibench.core.errors import DataError, PluginError
from eibench.core.exchange.files import read_foreign
from eibench.core.journal import archives
from eibench.core.plugins import Catalogue
from eibench.core.ratings.reading import read_comparisons

Bench = Callable[..., Any]
CRITERIA = read_toml(folder("eqbench3") / "official_protocol.toml")["kinds"]["role-play"][
    "pairwise_criteria"
]
ORDERS = ("A0493:test / A0488:other", "A0493:other / A0488:test")


def results(items: int = 9, **changes: Any) -> dict[str, Any]:
    """Three models, each pair on so many scenarios in both orders; its first is better."""
    rows = [
        {
            "scenario_id": str(n),
            "pair": {"test_model": one, "neighbor_model": two, "iteration_index": "1"},
            "order": order,
            "judge_response": dict.fromkeys(CRITERIA, ("A0493" if first else "A0488") + "++"),
            "outcome_for_test_model": 1.0,
            **changes,
        }
        for n in range(100, 100 + items)
        for one, two in (("x", "y"), ("y", "z"), ("x", "z"))
        for order, first in zip(ORDERS, (True, False), strict=True)
    ]
    return {"x": {"elo": 1500}, "__metadata__": {"global_pairwise_comparisons": rows}}


def write(value: Any, name: str = "elo_results.json") -> Path:
    """A file with a value, packed if its name says so."""
    path = Path(name)
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["elo_results.json", "elo_results_eqbench3.json.gz"])
@pytest.mark.parametrize("out", ["out.jsonl", "out.jsonl.gz"])
def test_comparisons_come_out_as_bench_rate_takes_them(bench: Bench, name: str, out: str) -> None:
    """Plain or packed, both ways; no run is made of them."""
    done = bench("import", write(results(), name), "--format", "eqbench3", "-o", out,
                 "--judge", "sonnet")  # fmt: skip
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        f"54 comparisons of 3 models in {out}; no ratings, rubric scores or transcripts are "
        "imported\n"
    )
    assert not Path("runs").exists()
    found = read_comparisons(Path(out))
    assert (len(found), found.judge, found.models) == (54, "sonnet", ("x", "y", "z"))
    document = bench("rate", out, "--json").json
    assert [row["model"] for row in document["ratings"]] == ["x", "y", "z"]
    assert document["diagnostics"]["comparisons"] == 54
    report = bench("judge-report", out, "--json").json
    assert report["orders"]["flips"]["value"] == 0


def test_a_dash_prints_them(bench: Bench) -> None:
    """Lines to standard output, the rest to standard error."""
    done = bench("import", write(results(1)), "--format", "eqbench3", "-o", "-")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert len(lines) == 6
    assert lines[0] == {
        "item": "100", "iteration": 1, "a": "x", "b": "y", "first": "a",
        "margins": dict.fromkeys(CRITERIA, 2),
    }  # fmt: skip
    assert "note: the file does not say who judged" in done.err


def test_what_is_left_out_is_told(bench: Bench) -> None:
    """Each reason with its number, in one line that no name in the file can break."""
    value = results(1)
    rows = value["__metadata__"]["global_pairwise_comparisons"]
    rows[0]["order"] = "\x1b[31m"
    rows[1]["judge_response"]["overall_eq"] = "A0493++ \x1b[31m"
    done = bench("import", write(value), "--format", "eqbench3", "-o", "out.jsonl")
    assert done.code == 0
    assert "4 comparisons of 3 models" in done.err
    assert "left out: 1 x its order is unknown\n" in done.err
    assert "left out: 1 x what the judge said is unread: overall_eq: not one of" in done.err
    assert "\x1b" not in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"a": NaN}', "holds NaN, which is no JSON value"),
        ('{"a": 1e999}', "is too large"),
        ('{"a": 1, "a": 2}', "has a key twice in one object"),
        ('{"a":' + "[" * 200_000 + "]" * 200_000 + "}", "is nested too deeply"),
        ('{"a": 1}', "is no file of EQ-Bench 3"),
    ],
    ids=["empty", "list", "nan", "infinite", "twins", "deep", "other"],
)
@pytest.mark.parametrize("name", ["f.json", "f.json.gz"])
def test_what_is_no_results_file_is_refused(
    bench: Bench, name: str, text: str, message: str
) -> None:
    """In one line; nothing is written."""
    done = bench("import", write(text, name), "--format", "eqbench3", "-o", "out.jsonl")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.startswith(f"Error: {name}: ")
    assert message in done.err
    assert not Path("out.jsonl").exists()


def test_nothing_that_can_be_read_is_an_error(bench: Bench) -> None:
    """With all reasons; nothing is written."""
    done = bench("import", write(results(1, order="?")), "--format", "eqbench3", "-o", "out.jsonl")
    assert done.code == 3
    assert "nothing in it can be read: 6 x its order is unknown" in done.err
    assert not Path("out.jsonl").exists()


def test_a_damaged_or_hostile_package_is_refused(bench: Bench) -> None:
    """Cut off; no gzip under its name; one that expands without end."""
    import_ = ("--format", "eqbench3", "-o", "out.jsonl")
    packed = gzip.compress(json.dumps(results()).encode())
    Path("cut.json.gz").write_bytes(packed[:-20])
    assert "the packed data is damaged or cut off" in bench("import", "cut.json.gz", *import_).err
    Path("plain.json.gz").write_text(json.dumps(results()))
    assert "is not gzip, though its name" in bench("import", "plain.json.gz", *import_).err
    Path("bomb.json.gz").write_bytes(gzip.compress(b" " * 2**25))
    done = bench("import", "bomb.json.gz", *import_)
    assert done.code == 3
    assert "expands to more than 250 times its size" in done.err


def test_a_file_may_be_so_long_and_no_longer(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain and unpacked alike; the limit is made small here."""
    monkeypatch.setattr(archives, "EXPANDED_LIMIT", 1000)
    for name, message in (("f.json", "is longer than"), ("f.json.gz", "expands to more than")):
        done = bench("import", write(results(), name), "--format", "eqbench3", "-o", "out.jsonl")
        assert done.code == 3
        assert message in done.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--format", "eqbench3"),
            "holds comparisons, which go into a file of their own: bench import elo_results.json "
            "--format eqbench3 -o comparisons.jsonl",
        ),
        (
            ("--format", "eqbench3", "-o", "out.jsonl", "--dataset", "official"),
            "--dataset is for runs; comparisons need no data",
        ),
        (("-o", "out.jsonl"), "-o, --judge and --dataset go with --format"),
        (("--judge", "sonnet"), "-o, --judge and --dataset go with --format"),
        (("--dataset", "bundled"), "-o, --judge and --dataset go with --format"),
        (
            ("--format", "helm", "-o", "out.jsonl"),
            "'helm' is not one of 'eqbench3'",
        ),
        (("--format", "eqbench3", "-o", "./elo_results.json"), "is the file to import"),
    ],
)
def test_wrong_options_are_usage_errors(bench: Bench, args: tuple[str, ...], message: str) -> None:
    """Exit 2, one line; the file stays as it was."""
    path = write(results(1))
    before = path.read_bytes()
    done = bench("import", path, *args)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            ZeroDivisionError("oh"),
            "raised ZeroDivisionError: oh",
        ),
        (None, "returned NoneType, not a ForeignResults"),
        (DataError("f", "is odd", "line 3"), "f, line 3: is odd"),
    ],
)
def test_a_plugin_that_fails_is_named(empty_place: Path, made: object, message: str) -> None:
    """Its own data errors are the file's; anything else is laid at its door."""
    from eibench.plugins.eqbench3.benchmark import EQBench3

    class Odd(EQBench3):
        """Reads nothing right."""

        name = "odd"
        foreign_forms = ("odd",)

        def read_foreign_parts(
            self, form: str, parts: Any, origin: Path, judge: str
        ) -> ForeignResults:
            """Whatever the test says."""
            if isinstance(made, Exception):
                raise made
            return made  # type: ignore[return-value]

    catalogue = Catalogue()
    catalogue.benchmarks.add(Odd(), "odd-plugin 1.0")
    kind = DataError if isinstance(made, DataError) else PluginError
    with pytest.raises(kind) as caught:
        read_foreign(catalogue, write({"a": 1}), "odd")
    assert message in str(caught.value)
    assert isinstance(made, DataError) or "read_foreign_parts of odd (" in str(caught.value)


def test_a_benchmark_reads_no_foreign_form_unless_it_says_so() -> None:
    """The default."""
    assert Benchmark.foreign_forms == ()
