"""A real Chromium without a screen, and a site that is made by hand for it."""

import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from eibench.core.html.board_files import board_files, put_file
from eibench.core.html.board_page import board_page
from eibench.core.html.index_page import compare_page
from eibench.core.html.rendering import Page, assets, rendered
from eibench.core.html.transcripts import pack

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking",
)  # fmt: skip
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium: apt-get install chromium"
)
KEY = "tact"


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, which takes a second to start: one is enough for a file of tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A reader of a site: a tab, what it complained of and what it asked for."""

    def __init__(self, browser: Any, folder: Path, **context: Any) -> None:
        self.folder = folder
        self.context = browser.new_context(**context)
        self.tab = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))

    def go(self, page: str) -> "Visit":
        """Open a page at an anchor, and wait until its script is done."""
        self.tab.goto("about:blank")
        self.tab.goto(f"{self.folder.resolve().as_uri()}/{page}")
        if "boards/" in page:
            self.tab.wait_for_selector("#board[data-ready]")
        elif "compare.html#" in page:
            self.tab.wait_for_selector("body[data-ready]")
        return self

    def texts(self, wanted: str) -> list[str]:
        """What the elements say that can be seen."""
        found = self.tab.locator(wanted).all()
        return [node.inner_text() for node in found if node.is_visible()]

    def models(self) -> list[str]:
        """The board's rows in their order."""
        return self.texts("#board tbody th a")

    def end(self) -> None:
        """Fail if a page complained, or asked for anything outside the folder."""
        own = (self.folder.resolve().as_uri(), "about:", "blob:")
        outside = [url for url in self.asked if not url.startswith(own)]
        assert not self.complaints and not outside, (self.complaints, outside)
        self.context.close()


def row(name: str, rating: float, ci95: Sequence[float | None] | None, **more: Any) -> Any:
    """A row of a board."""
    made = {
        "id": f"run-{name}", "model": name, "href": f"models/{name}.html", "family": "maple",
        "size_b": None, "date": "2026-03-01", "partial": False, "changed": None,
        "completeness": "", "output_tokens": None, "seconds": None,
        "status": "complete", "rank": [1, 2], "rank_alone": [1, 2], "rating": rating,
        "rating_ci95": ci95, "score": rating / 20, "score_ci95": None, "chosen": "", "residual": {},
        "criteria": {"warmth": rating / 200, "tact": None}, "cost_usd": 0.5, "scored": 9,
        "total": 9, "tied_with": [], "runs": [f"run-{name}"], "verified": "",
        "weights": None, "prompt_format": None,
    }  # fmt: skip
    return made | more


def document(rows: Sequence[Any], **more: Any) -> Any:
    """A board."""
    criterion = {"group": "abilities (0-10)", "higher_is_better": True, "low": 0.0, "high": 10.0}
    made = {
        "key": KEY, "benchmark": "tact", "title": "Tact", "pack": "bundled",
        "pack_sha256": "0" * 64, "n_items": 9, "judge": "oak/judge", "roles": {}, "options": [],
        "date_from": "2026-03-01", "date_to": "2026-04-01", "version": "1",
        "comparability": "only with itself", "demo": False, "sentence": "Two share first place.",
        "rated": True, "engine": "glicko2", "rows": rows, "published": None, "baselines": [],
        "metric": {"name": "rubric", "label": "rubric score", "group": "",
                   "higher_is_better": True, "low": 0.0, "high": 100.0},
        "criteria": [{"name": n, "label": n, **criterion} for n in ("warmth", "tact")],
        "views": [{"name": "only oak/judge",
                   "ranks": {r["id"]: [n + 1, n + 1] for n, r in enumerate(reversed(rows))},
                   "values": {r["id"]: [1000.0 + n, 990.0 + n, 1030.0 + n]
                              for n, r in enumerate(rows)}}],
        "conclusions": [], "warnings": [], "adjusting": None,
    }  # fmt: skip
    return made | more


def transcript(said: str, verdict: str, compared: Sequence[Sequence[str]] = ()) -> Any:
    """What was said in an iteration, as a page's script reads it, without any cleaning."""
    turns = [
        {"who": who, "kind": who, "text": text, "thinking": "", "cut": False}
        for who, text in (("user", "Say it."), ("model", said))
    ]
    grade = {"failed": None, "reason": None, "facts": [["Flags", verdict]],
             "values": [["warmth", "5.00"]], "verdicts": [["oak/judge", verdict]]}  # fmt: skip
    return {"turns": turns, "beside": [], "compared": list(compared), "grade": grade}


def text_part(texts: Mapping[str, Any]) -> str:
    """Texts of items, each in one iteration, as they are in a file of several."""
    return pack([(item, item, [{"iteration": 1, "read": read}]) for item, read in texts.items()])


def run(name: str, values: Mapping[str, float], texts: bool = True) -> Any:
    """The items of a run, each with one sample."""
    items: list[Any] = [
        {"item": item, "page": f"items/{KEY}/{n}.html",
         "samples": [{"rubric": value, "warmth": value / 10}],
         "texts": f"texts/run-{name}/1#{item}" if texts else None}
        for n, (item, value) in enumerate(values.items())
    ]  # fmt: skip
    facts = [["model", name], ["temperature", "0.7"], ["reasoning effort", "high"]]
    return {"value": "rubric", "graded": f"run-{name}-aa", "facts": facts, "items": items}


def write(folder: Path, board: Any, data: Mapping[str, Any]) -> Path:
    """A board with its page and data, the page that compares, and the script."""
    pages: list[Page] = [compare_page(), board_page(board)]
    parts = [*assets(), *map(rendered, pages), *board_files(board)]
    parts += [put_file(name, value) for name, value in data.items()]
    for part in parts:
        path = folder / part.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(part.content)
    return folder


def axe(folder: Path) -> str:
    """The script of axe-core, by npm and into a folder of the test.

    Args:
        folder: Where it may be unpacked.
    """
    if shutil.which("npm") is None:
        pytest.skip("needs npm, which has axe-core")
    command = ("npm", "pack", "--silent", "axe-core@4.10.3")
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"axe-core could not be had by npm: {error}")
    (packed,) = folder.glob("axe-core-*.tgz")
    with tarfile.open(packed) as archive:
        found = archive.extractfile("package/axe.min.js")
        assert found is not None
        return found.read().decode()


def violations(visit: Visit, script: str) -> list[str]:
    """What axe-core finds on the page that is open, in light and in dark.

    In dark it looks at colours alone: all else is the same there.
    """
    visit.tab.evaluate(f"(() => {{ {script} }})()")
    found: list[str] = []
    for scheme, rules in (("light", None), ("dark", ["color-contrast", "link-in-text-block"])):
        visit.tab.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {line}" for line in visit.tab.evaluate(_VIOLATIONS, rules)]
    return found


_VIOLATIONS = """async (runOnly) => {
    const wanted = { preload: false, resultTypes: ["violations"], ...(runOnly && { runOnly }) };
    const found = await axe.run(document, wanted);
    const said = (v, n) => `${v.id}: ${n.html.slice(0, 120)} ${n.failureSummary}`;
    return found.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => said(v, n)));
}"""
