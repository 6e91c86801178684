"""Bundles that somebody changed: `verify` refuses or names each, and never fails otherwise.

    python -m benchmarks.mutated_bundles [--bundles N] [--seed N]

Each is a demo bundle with one to three changes of a value, a line or a field; in one of ten a byte
is another one. Half have their hash tree and their last line made anew, as a forger would. An
accepted one must have the grades, the metrics and the claim of the bundle that it was made from.
"""

import argparse
import contextlib
import copy
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from eibench.core.errors import BenchError
from eibench.core.exchange.bundles import Line, make_bundle, manifest_of
from eibench.core.exchange.verifying import verify
from eibench.core.journal import Journal
from eibench.core.journal.lines import file_lines, line_of

from .measuring import BENCH, run

RUNS = (("seceu", "--model", "demo/weak"), ("eqbench3", "--no-elo"))
VALUES: list[Any] = [
    *(None, 5, -1, 0.5, -1e308, 1e300, 99.9, True, "x", "", [], {}, [[1]], "\0", 2**62, "sha256:"),
]


def main() -> None:
    """Mutate, verify, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bundles", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, counts, slowest = Random(args.seed), Counter[str](), 0.0
    with tempfile.TemporaryDirectory() as name:
        originals = [made_by(Path(name) / str(n), words) for n, words in enumerate(RUNS)]
        path = Path(name) / "mutated.eib"
        for n in range(args.bundles):
            original = originals[n % len(originals)]
            path.write_bytes(mutated(original, rng))
            began = time.monotonic()
            counts[outcome(path, original)] += 1
            slowest = max(slowest, time.monotonic() - began)
    for what, count in counts.most_common():
        print(f"{what}: {count}")
    print(f"slowest: {slowest:.1f} s")


def made_by(folder: Path, words: tuple[str, ...]) -> list[Line]:
    """The first line and the rows of the bundle of a demo run, which is made in a folder."""
    run([BENCH, "run", *words, "--runs-dir", str(folder)])
    with Journal(folder / "demo", create=False) as journal:
        lines = make_bundle(journal, journal.runs()).lines
    return [json.loads(line) for line in lines[:-1]]


def outcome(path: Path, original: list[Line]) -> str:
    """What became of a bundle.

    Raises:
        AssertionError: It is accepted with other numbers.
    """
    try:
        verification = verify(path)
    except BenchError:
        return "refused"
    if not verification.holds:
        return "named"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()[:-1]]
    assert numbers(lines) == numbers(original), path.read_text()
    return "accepted"


def numbers(lines: list[Line]) -> object:
    """The claims, the grades and what results say of samples."""
    rows = lines[1:]
    grades = [(r["item_id"], r["iteration"], r["values"]) for r in rows if r["kind"] == "grade"]
    results = [r["document"] for r in rows if r["kind"] == "run"]
    shown = [{name: one[name] for name in ("metrics", "items", "baselines")} for one in results]
    return sorted(grades, key=str), shown, [one["claim"] for one in lines[0]["manifest"]["runs"]]


def mutated(original: list[Line], rng: Random) -> bytes:
    """A bundle with one to three changes."""
    header, *rows = copy.deepcopy(original)
    for _ in range(rng.choice((1, 1, 2, 3))):
        change(rows, rng)
    raw, manifest = [line_of(row) for row in rows], header["manifest"]
    if rng.random() < 0.5:
        with contextlib.suppress(KeyError, TypeError, AttributeError):
            manifest = manifest_of(rows, raw, None, None)
    elif rng.random() < 0.3:
        replace_value(manifest, rng)
    text = b"".join(file_lines(raw, manifest))
    if rng.random() < 0.1:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice([b'"', b"{", b"\xff", b"\0", b"9", b""]) + text[at + 1 :]
    return text


def change(rows: list[Line], rng: Random) -> None:
    """Change a value, remove a field or a line, or repeat a line."""
    n = rng.randrange(len(rows))
    if rng.random() < 0.3:  # runs and grades have most numbers, and are few
        n = rng.choice([i for i, row in enumerate(rows) if row.get("kind") != "call"] or [n])
    kind = rng.randrange(8)
    if kind == 0 and len(rows) > 1:
        del rows[n]
    elif kind == 1:
        rows.insert(n, copy.deepcopy(rng.choice(rows)))
    else:
        replace_value(rows[n], rng)


def replace_value(value: Any, rng: Random) -> None:
    """Replace a value within an object, half of the time by one of its type, or remove it."""
    *path, last = rng.choice([*paths(value)])
    for step in path:
        value = value[step]
    old = value[last]
    if isinstance(value, dict) and rng.random() < 0.1:
        del value[last]
    elif rng.random() < 0.4:
        value[last] = rng.choice(VALUES)
    elif isinstance(old, bool):
        value[last] = not old
    elif isinstance(old, int):
        value[last] = max(0, old + rng.choice((1, -1, 7)))
    elif isinstance(old, float):
        value[last] = old + rng.choice((1.0, -1.0, 0.1, 1e-6))
    elif isinstance(old, str):
        value[last] = rng.choice((old + "7", old[1:], old.replace("1", "2"), old.upper()))
    else:
        value[last] = rng.choice(VALUES)


def paths(value: Any, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to all values within one."""
    if isinstance(value, dict | list):
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*before, name)
            yield from paths(one, (*before, name))


if __name__ == "__main__":
    main()
