"""How long `bench site` takes, how large its pages are, and how fast a board opens.

    python -m benchmarks.site --models 100 --iterations 3
    python -m benchmarks.site --search 10000

Makes a journal of so many models with 45 items each and transcripts of about 8,000 characters
(benchmarks/site_shape.py), builds the site as whole processes (anew, again, and with one more
model), and opens the largest board from its file in Chromium, several times, by Playwright. So it
does with an entry of which that board is every one of twelve columns. With `--search` it is a
journal of one demo model with so many items, of about 2,000 characters each, whose list is loaded,
filtered and searched.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from eibench import ResultDocument
from eibench.core.html.gather import Gathered
from eibench.core.html.index_page import IndexBoards, index_page
from eibench.core.html.rendering import rendered
from eibench.core.html.shapes import SiteBoardDocument
from eibench.core.journal import Journal, RunRecord
from eibench.core.types import ChatRequest, Message

from . import site_shape
from .eqbench3_shape import words
from .measuring import BENCH, ROOT, Spread, clean_environment, run, table

_METADATA = "Metadata-Version: 2.1\nName: eibench-site-benchmark\nVersion: 0\n"
_ENTRY_POINTS = "[eibench]\nsite-shape = benchmarks.site_shape\n"
_KEPT = ("benchmark", "benchmark_version", "pack_name", "pack_sha256", "endpoint")
CHROMIUM = "/usr/bin/chromium"


SHORT = 2_000
"""Characters of a question and its reply, where they are searched."""
QUERIES = ("zeb", "e t a", "/[xyz]{2} [aeiou]/", "nowhere")
"""A word, words that all texts hold, a pattern, and a word of none."""


def install(folder: Path, items: int, prompt: int, reply: int) -> dict[str, str]:
    """An environment in which `bench` finds the plugin, without installing it anywhere."""
    package = folder / "packages" / "eibench_site_benchmark-0.dist-info"
    package.mkdir(parents=True, exist_ok=True)
    (package / "METADATA").write_text(_METADATA)
    (package / "entry_points.txt").write_text(_ENTRY_POINTS)
    (folder / "pack.txt").write_text(f"{items} {prompt} {reply}\n")
    environment = clean_environment(folder)
    paths = [str(folder / "packages"), str(ROOT), environment.get("PYTHONPATH", "")]
    return environment | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def make_base(folder: Path, environment: dict[str, str], iterations: int) -> None:
    """The run of a demo model, which all others are made like."""
    command = ["run", "site-shape", "--dataset", str(folder / "pack.txt"), "--model", "demo/medium",
               "--iterations", str(iterations), "--runs-dir", str(folder / "base")]  # fmt: skip
    run([BENCH, *command], env=environment, cwd=folder)


def add_models(folder: Path, numbers: range) -> None:
    """Add runs of models to the journal, with texts and scores of their own."""
    with Journal(folder / "base" / "demo") as given, Journal(folder / "runs") as made:
        (base,) = given.runs()
        for n in numbers:
            asyncio.run(_add_model(given, base, made, n))


async def _add_model(given: Journal, base: RunRecord, made: Journal, n: int) -> None:
    run_id, model = f"{n:08x}", f"openai/model-{n}-{(7, 32, 70)[n % 3]}b"
    columns = {name: getattr(base, name) for name in _KEPT}
    own = made.add_run(
        **columns, run_id=run_id, identity=run_id, ordinal=1, model=model, name=model,
        demo=False, settings={**base.settings, "model": model},
    )  # fmt: skip
    ((by, _),) = given.graders(base)
    stored = []
    for call in given.calls(base):
        text = words(site_shape.REPLY, Random(f"{n} {call.item_id} {call.iteration}"))
        answer = replace(call.response, text=text)
        about = (call.item_id, call.iteration, call.key, own.party, ChatRequest(call.messages))
        stored.append(made.add_call(own, *about, answer))
        score = site_shape.score_of([Message("assistant", text)], n / 50)
        made.add_grade(own, by, *about[:2], score)
    await asyncio.gather(*stored)
    _end(given, base, made, own)


def _end(given: Journal, base: RunRecord, made: Journal, own: RunRecord) -> None:
    document = given.document(base)
    assert document is not None
    named: ResultDocument = {
        **document, "run_id": own.run_id, "name": own.name, "model": own.name, "demo": False,
    }  # fmt: skip
    made.end_run(own, "complete", seconds=0.0, finished=True, document=named)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--search", type=int, metavar="TRANSCRIPTS")
    parser.add_argument("--keep", type=Path, help="a folder to make everything in, and to leave")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        if options.search:
            print(table(("what", "figure"), searched(folder, options.search)))
            return 0
        environment = install(folder, site_shape.ITEMS, site_shape.PROMPT, site_shape.REPLY)
        if not (folder / "runs").exists():
            make_base(folder, environment, options.iterations)
            add_models(folder, range(options.models))
        print(table(("bench site", "wall s", "CPU s", "peak MB"), _built(folder, environment)))
        board = max((folder / "site" / "boards").glob("*.html"), key=lambda p: p.stat().st_size)
        print(table(("what", "figure"), [*_sizes(folder / "site", board), *opened(board)]))
        entry = write_entry(folder / "site", board)
        sizes = [["entry of 12 benchmarks, kB", f"{entry.stat().st_size / 1e3:.0f}"]]
        print(table(("what", "figure"), [*sizes, *opened(entry)]))
    return 0


def _built(folder: Path, environment: dict[str, str]) -> list[list[str]]:
    command = [BENCH, "site", "-o", str(folder / "site"), "--texts", "all",
               "--runs-dir", str(folder / "runs")]  # fmt: skip
    rows = []
    for name in ("anew", "again, nothing changed", "with one more model"):
        if name == "with one more model":
            with Journal(folder / "runs") as made:
                n = len(made.runs())
            add_models(folder, range(n, n + 1))
        cost = run(command, env=environment, cwd=folder)
        rows.append([name, f"{cost.wall_s:.1f}", f"{cost.cpu_s:.1f}", f"{cost.peak_mb:.0f}"])
    return rows


def _sizes(site: Path, board: Path) -> list[list[str]]:
    files = [path for path in site.rglob("*") if path.is_file()]
    total = sum(path.stat().st_size for path in files) / 1e6
    data = sum(path.stat().st_size for path in (site / "boards").glob(f"{board.stem}*.js")) / 1e3
    return [
        ["board page, kB", f"{board.stat().st_size / 1e3:.0f}"],
        ["its scripts of data, kB", f"{data:.0f}"],
        ["the site, MB in files", f"{total:.0f} in {len(files):,}"],
    ]


def write_entry(site: Path, board: Path, columns: int = 12) -> Path:
    """The entry of a site that has the same board so many times."""
    document: SiteBoardDocument = json.loads(board.with_suffix(".json").read_text())
    boards: list[SiteBoardDocument] = [
        {**document, "title": f"{document['title']}-{n}"} for n in range(columns)
    ]
    page = index_page(IndexBoards(boards, []), Gathered([], [], []), "2026-01-01")
    path = site / "twelve.html"
    path.write_bytes(rendered(page).content)
    return path


def opened(page: Path, times: int = 5) -> list[list[str]]:
    """From the address to the end of loading, by the browser's own clock."""
    if not find_spec("playwright"):
        return [["opens in", "not measured: Playwright is not installed"]]
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = [_loaded(browser.new_page(), page) for _ in range(times)]
        browser.close()
    return [["opens in, s", Spread.of(found).text()]]


def searched(folder: Path, transcripts: int) -> list[list[str]]:
    """The list of items of a demo model: to build, to open, to filter, to load texts, to search."""
    environment = install(folder, transcripts, SHORT // 4, SHORT * 3 // 4)
    if not (folder / "base").exists():
        make_base(folder, environment, 1)
    command = [BENCH, "site", "-o", str(folder / "site"), "--texts", "all",
               "--runs-dir", str(folder / "base")]  # fmt: skip
    cost, site = run(command, env=environment, cwd=folder), folder / "site"
    (page,) = site.glob("items/*.html")
    parts = [*site.glob("texts/*/*.js")]
    size = sum(path.stat().st_size for path in parts) / 1e6
    return [["bench site, s", f"{cost.wall_s:.1f}"],
            ["texts to search, MB in files", f"{size:.1f} in {len(parts)}"],
            *_found(page)]  # fmt: skip


def _found(page: Path) -> list[list[str]]:
    """By the page's own clock: a filter until its rows are laid out, a search until its hits."""
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto(page.as_uri())
        rows = [["opens in, s", _since(tab, 0)]]
        for query in ("from=50", "differ=1&margin=1", "sort=-value", QUERIES[-1], *QUERIES):
            state = query if "=" in query else f"q={quote(query)}"
            start = tab.evaluate(_GO, state)
            name = f"filter {query}" if "=" in query else f"search {query}"
            name += ", with loading the texts" if len(rows) == 4 else ""
            rows.append([f"{name}, s", _since(tab, start)])
        browser.close()
    return rows


_GO = """(state) => { delete document.body.dataset.ready; const start = performance.now();
    location.hash = state; return start; }"""


def _since(tab: Any, start: float) -> str:
    tab.wait_for_selector("body[data-ready]", timeout=60_000)
    tab.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    end = float(tab.evaluate("+document.body.dataset.at"))
    count = tab.inner_text(".count")
    return f"{(end - start) / 1000:.2f} ({count})"


def _loaded(tab: Any, page: Path) -> float:
    tab.goto(page.as_uri(), wait_until="load")
    took = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    tab.close()
    return float(took) / 1000


if __name__ == "__main__":
    raise SystemExit(main())
