"""Whether two versions of eibench give the same results, to the last digit.

    python -m benchmarks.same_results BEFORE AFTER [--keep FOLDER] [--fresh]

BEFORE and AFTER are the Python interpreters of two environments. Each runs the commands
of `frozen_commands` in a fresh folder: on bundled data with demo models, and, where
EIBENCH_OFFICIAL_DATA names it, on official data over a loopback server that answers both
alike. A journal that BEFORE wrote, with a run that was killed, is then continued by each,
in a copy of its own; `--fresh` leaves that out, where AFTER has another form of journal. All
JSON, CSV and exit codes are compared, run ids too, as they come of what a run is; times, versions
and folders are taken out first. The exit code is 1 when a difference is left; its JSON path is
printed.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from .frozen_commands import BUNDLED, CONTINUED, KILLED, OFFICIAL, Command, answer
from .measuring import clean_environment

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

#: Fields that say when, how fast and with what something was made.
_DIFFERS = frozenset(
    ("at", "created_at", "finished_at", "elapsed_s", "latency_s", "request_id", "eibench")
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_ANSWERS_BEFORE_KILL = 40
_LONGEST_S = 900.0
_MOST_SHOWN = 60


@dataclass
class Checkout:
    """One of the two versions, and the folder that it works in.

    Attributes:
        python: Its interpreter.
        folder: Where its commands run.
        run_ids: Of the runs made, by the label of the command.
    """

    python: Path
    folder: Path
    url: str
    run_ids: dict[str, str] = field(default_factory=dict)

    def start(self, command: Command) -> "subprocess.Popen[str]":
        """Start a command as its own process."""
        places = {"official": os.environ.get("EIBENCH_OFFICIAL_DATA", ""), "url": self.url}
        words = command.line.split()
        line = " ".join(words).format_map({**places, **self.run_ids})
        return subprocess.Popen(
            [str(self.python.with_name("bench")), *line.split()],
            cwd=self.folder,
            env=clean_environment(self.folder.parent / "home"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def results(self, commands: Sequence[Command]) -> Json:
        """What each command prints and how it ends, and all files that are there then."""
        found: dict[str, Json] = {}
        for command in commands:
            process = self.start(command)
            out, err = process.communicate(timeout=_LONGEST_S)
            if process.returncode:
                print(f"{command.label}: exit {process.returncode}: {err.strip()[-300:]}")
            found[command.label] = {"exit": process.returncode, "out": _printed(command, out)}
            self._learn(command.label, found[command.label])
        return self._placeless({**found, "files": dict(self._files())})

    def _learn(self, label: str, result: Json) -> None:
        """Keep the id of the run that a command made."""
        document = result["out"] if isinstance(result, dict) else None
        if isinstance(document, dict) and "run_id" in document:
            self.run_ids.setdefault(label, str(document["run_id"]))
            return
        new = [name for name in self._stored() if name not in self.run_ids.values()]
        if len(new) == 1:
            self.run_ids.setdefault(label, new[0])

    def _stored(self) -> list[str]:
        names = (path.stem for path in self.folder.glob("runs/**/*.json"))
        return sorted(name.rpartition("-")[2] for name in names if "." not in name)

    def _files(self) -> Iterator[tuple[str, Json]]:
        """Each JSON, JSONL and CSV file, read; the lines of an export in any order."""
        for path in sorted(self.folder.rglob("*.[jc]s*")):
            name, text = str(path.relative_to(self.folder)), path.read_text(encoding="utf-8")
            name = name.replace("runs/demo/", "runs/")  # where earlier versions have demo runs too
            if path.suffix == ".jsonl":
                lines = [self._placeless(_read(line)) for line in text.splitlines()]
                yield name, sorted(lines, key=_text)
            else:
                yield name, _read(text) if path.suffix == ".json" else _rows(text)

    def _placeless(self, value: Json) -> Json:
        text = _text(comparable(value))
        return _read(text.replace(str(self.folder), "<folder>"))


def _printed(command: Command, text: str) -> Json:
    """What a command printed, if it was for programs."""
    if "--json" in command.line:
        return _read(text) if text else None
    return _rows(text) if "--csv" in command.line else None


def _read(text: str) -> Json:
    value: Json = json.loads(text)
    return value


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _rows(text: str) -> Json:
    return [list(row) for row in csv.reader(text.splitlines())]


def comparable(value: Json) -> Json:
    """A value without the fields that have to differ."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in _DIFFERS and not _is_time(v)}
        return {k: comparable(v) for k, v in kept.items()}
    return [comparable(v) for v in value] if isinstance(value, list) else value


def _is_time(value: Json) -> bool:
    return isinstance(value, str) and bool(_TIME.match(value))


def differences(before: Json, after: Json, path: str = "$") -> Iterator[str]:
    """The JSON paths at which two values differ, each with both values."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from differences(
                before.get(key, "(absent)"), after.get(key, "(absent)"), f"{path}.{key}"
            )
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for n, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{path}[{n}]")
    elif before != after or type(before) is not type(after):
        yield f"{path}: {_text(before)[:300]} | {_text(after)[:300]}"


def _compare(title: str, pair: Sequence[Checkout], commands: Sequence[Command]) -> list[str]:
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        before, after = pool.map(lambda checkout: checkout.results(commands), pair)
    found = list(differences(before, after, title))
    took = time.monotonic() - began
    print(f"{title}: {len(commands)} commands, {len(found)} differences, {took:.0f} s")
    return found


def _kill_midway(checkout: Checkout, answered: Mapping[str, int]) -> None:
    """Begin a run and kill it after some answers."""
    least = answered["ok"] + _ANSWERS_BEFORE_KILL
    with checkout.start(KILLED) as process:
        while answered["ok"] < least and process.poll() is None:
            time.sleep(0.005)
        process.kill()
        process.communicate()


def _copy(source: Checkout, python: Path, name: str) -> Checkout:
    folder = source.folder.parent / name / "work"
    shutil.copytree(source.folder, folder)
    return Checkout(python, folder, source.url, dict(source.run_ids))


def compare(pythons: Sequence[Path], folder: Path, *, fresh: bool = False) -> list[str]:
    """All differences between what two interpreters' `bench` gives."""
    from eibench.testing import LoopbackServer

    def places(name: str) -> list[Checkout]:
        made = [folder / name / which / "work" for which in ("before", "after")]
        for place in made:
            place.mkdir(parents=True)
        return [Checkout(p, m, server.base_url) for p, m in zip(pythons, made, strict=True)]

    with LoopbackServer(answer, latency=0.001, record=False) as server:
        pair = places("bundled")
        found = _compare("bundled", pair, BUNDLED)
        if not fresh:
            _kill_midway(pair[0], server.counts)
            copies = [_copy(pair[0], p, f"go on {n}") for n, p in enumerate(pythons)]
            found += _compare("continued", copies, CONTINUED)
        if os.environ.get("EIBENCH_OFFICIAL_DATA"):
            found += _compare("official", places("official"), OFFICIAL)
    return found


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser("benchmarks.same_results", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--keep", type=Path, help="a new folder to work in, and to leave there")
    parser.add_argument("--fresh", action="store_true", help="continue no journal of BEFORE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).absolute()
        pair = [options.before.absolute(), options.after.absolute()]
        found = compare(pair, folder, fresh=options.fresh)
    print("\n".join(found[:_MOST_SHOWN]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
