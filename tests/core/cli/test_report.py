"""`bench report`: one self-contained page, whatever models and judges have written."""

import json
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from eibench.core.cli.report import run_input
from eibench.core.html import RunInput, run_report
from eibench.core.html.rendering import asset, digest_of
from eibench.core.journal import Journal
from eibench.core.reports.items import ItemRow, ItemSample
from eibench.core.runs.stored_run import StoredRun

Bench = Callable[..., Any]
Demos = Callable[..., list[Any]]

HOSTILE = (
    "<script>window.canary=1</script><img src=x onerror=window.canary=1>"
    "<svg onload=window.canary=1><a href='javascript:window.canary=1'>x</a></textarea></title>"
    '</style></script>{{ 7*7 }}{% raw %}" onmouseover="window.canary=1\x00\x1b[31m\u202e\u2066'
    "\U0001f600\u4f60\u597d"
)
LONG = "A" * 100_000


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.found.append((tag, dict(attrs)))


def hostile(given: RunInput, text: str = HOSTILE) -> RunInput:
    """A run in which models, judges and plugins write the worst they can."""
    rows = [
        ItemRow(text + row.item_id, row.value, row.spread, [
            ItemSample(s.iteration, "unscored", None, s.values, text, [text]) for s in row.samples])
        for row in given.run.items.items
    ]  # fmt: skip
    worse = json.loads(json.dumps(given.run.document))
    worse |= {"name": text, "warnings": [text], "judge": text, "comparability": text}
    worse["conclusions"] = [row | {"text": text} for row in worse["conclusions"]]
    worse["metric_labels"] = {name: [text, text] for name in worse["metrics"]}
    worse["metric_groups"] = dict.fromkeys(list(worse["metrics"])[1:3], text)
    run = given.run._replace(document=worse, items=given.run.items._replace(items=rows))
    texts = [
        item._replace(record=spoilt(item.record, text) | {"item_id": text + item.record["item_id"]})
        for item in given.texts
    ]
    return RunInput(run, hostile_board(given.board, run, text), texts)


def hostile_board(board: Any, run: Any, text: str) -> Any:
    """The run's board likewise."""
    worse: Any = json.loads(json.dumps(board.document))
    worse |= {"judge": text, "warnings": [text], "statement": text, "engine": text}
    unknown = {"rating_length_adjusted": None}
    worse["rows"] = [row | unknown | {"model": row["model"] + text} for row in worse["rows"]]
    worse["conclusions"] = [row | {"text": text} for row in worse["conclusions"]]
    return board._replace(document=worse, runs={**board.runs, run.run.name: run})


def spoilt(value: Any, text: str) -> Any:
    """A document with every text of calls, verdicts and comparisons replaced."""
    keep = ("phase", "winner", "item_id", "kind")
    if isinstance(value, Mapping):
        return {k: v if k in keep else spoilt(v, text) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [spoilt(part, text) for part in value]
    return text if isinstance(value, str) else value


@pytest.fixture
def given(demos: Demos) -> RunInput:
    """A compared demo run with its transcripts."""
    demos(3)

    def read() -> RunInput:
        with Journal(Path("runs/demo"), create=False) as journal:
            return run_input(StoredRun(journal, journal.runs()[-1]), transcripts=True)

    # A browser of these tests keeps the event loop of its thread.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(read).result()


def report(bench: Bench, *arguments: object) -> str:
    """The page that the command writes."""
    done = bench("report", *arguments, "-o", "page.html")
    assert done.code == 0, done.err
    return Path("page.html").read_text(encoding="utf-8")


def test_a_page_asks_for_nothing(bench: Bench, demos: Demos) -> None:
    """No address is in it that a browser would load, and its policy allows none."""
    ids = [result["run_id"] for result in demos(3)]
    for arguments in (ids[:1], [*ids[:1], "--transcripts"], ids):
        found = Elements(report(bench, *arguments)).found
        for tag, attributes in found:
            assert tag not in {"link", "img", "iframe", "base", "form", "object", "embed"}
            assert not {"src", "srcset", "style", "action"} & attributes.keys()
            assert (attributes.get("href") or "#").startswith("#")
            assert not [name for name in attributes if name.startswith("on")]
        policy = next(a["content"] for t, a in found if a.get("http-equiv"))
        assert policy is not None
        assert policy.startswith("default-src 'none'")
        assert digest_of(asset("page.js")) in policy
        assert "unsafe" not in policy


def test_what_is_said_is_the_result_s(bench: Bench, demos: Demos) -> None:
    """Main number, interval, rating, judge, run and the command that repeats it."""
    result = demos(3)[-1]
    text = report(bench, result["run_id"])
    metric = result["metrics"]["rubric_score"]
    assert f"reaches {metric['value']:.2f} in" in text
    assert f"[{metric['ci95'][0]:.2f}, {metric['ci95'][1]:.2f}]" in text
    assert "DEMO: no result of a real model" in text
    assert "bench run eqbench3 --model demo/medium --judge demo/judge" in text
    assert all(found["text"].split(";")[0] in text for found in result["conclusions"])


def sections_of(page: str) -> dict[str, str]:
    """The sections of a run's page by their names, without drawings and where links lead."""
    found = re.findall(r'<section id="([^"]+)".*?</section>', page, re.DOTALL)
    texts = re.findall(r'<section id="[^"]+"(.*?</section>)', page, re.DOTALL)
    left_out = re.compile(r' ?<span class="aside">.*?</span>|</?a\b[^>]*>|<svg.*?</svg>', re.DOTALL)
    plain = (left_out.sub("", text) for text in texts)
    return dict(zip(found, plain, strict=True))


def words_of(html: str) -> str:
    """What a part of a page says."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_report_says_what_the_site_says(bench: Bench, demos: Demos) -> None:
    """Also of a model that was compared by runs after its own, and of what was asked anew."""
    first = demos(3)[0]
    assert not first["conclusions"]
    assert bench("site", "-o", "site").code == 0
    (path,) = Path("site/models").glob("demo-weak*.html")
    site = sections_of(path.read_text(encoding="utf-8"))
    own = sections_of(report(bench, first["run_id"], "--transcripts"))
    for name in ("abilities", "how", "limits"):
        assert words_of(own[name]) == words_of(site[name])
    gains = re.compile(r"Gains most .*? Loses most .*? board's models")
    both = [gains.search(words_of(of["items"])) for of in (own, site)]
    assert both[0] and both[1] and both[0][0] == both[1][0]
    page = Path("page.html").read_text(encoding="utf-8")
    judged = re.search(r'<ul class="found">.*?</ul>', site["judge"])
    assert judged and judged[0].count("<li>") > 2 and judged[0] in page
    assert "Not tested: nothing was compared" not in page
    assert "Answered from the journal" not in page + site["how"]


def test_a_run_that_no_board_counts_has_its_own_page(bench: Bench, demos: Demos) -> None:
    """With the ratings that its result holds, and its other runs."""
    (older,) = demos(1)
    assert bench("run", "eqbench3", "--model", older["model"], "--judge", "demo/judge",
                 "--dataset", "bundled", "--fresh").code == 0  # fmt: skip
    text = report(bench, older["run_id"])
    assert f"reaches {older['metrics']['rubric_score']['value']:.2f} in" in text
    assert f"This page is of run {older['run_id']} alone" in text
    assert "on the board" not in text


def test_differences_are_those_of_bench_compare(bench: Bench, demos: Demos) -> None:
    """Of each other run less the first, with Holm's p."""
    a, b = (result["run_id"] for result in demos(2))
    found = bench("compare", a, b, "--json").json["differences"]["rubric"]
    text = report(bench, a, b)
    assert f"+{-found['difference']:.2f}" in text
    assert f"[{-found['ci95'][1]:.2f}, {-found['ci95'][0]:.2f}]" in text


def test_without_a_run_the_newest_is_meant(bench: Bench, demos: Demos) -> None:
    """Of those with a result."""
    assert "<h1>demo/medium</h1>" in (demos(3) and report(bench))


def test_runs_of_two_benchmarks_stand_on_no_page(bench: Bench) -> None:
    """As they cannot be compared."""
    names = ("eqbench-v2", "eqbench-v1")
    ids = [bench("run", name, "--limit", 2, "--json").json["run_id"] for name in names]
    done = bench("report", *ids, "-o", "page.html")
    assert done.code == 2
    assert "cannot be compared" in done.err
    assert not Path("page.html").exists()


def test_samples_without_a_number_are_marked(given: RunInput) -> None:
    """With their reason; one that the token limit cut off too."""
    run = given.run
    first, *rest = run.items.items
    sample = first.samples[0]._replace(status="unscored", reason="no verdict", values={})
    items = run.items._replace(items=[first._replace(samples=[sample], value=None), *rest])
    cut_off = frozenset({(first.item_id, 1)})
    document: Any = {**run.document, "status": "incomplete"}
    run = run._replace(items=items, cut_off=cut_off, document=document)
    page = run_report(given._replace(run=run))
    assert "unscored; cut off; no verdict" in page
    assert "The result is INCOMPLETE" in page


@pytest.mark.parametrize("text", [HOSTILE, LONG])
def test_hostile_texts_are_text(given: RunInput, text: str) -> None:
    """No element and no attribute comes of them, in names, verdicts, notes or transcripts."""
    usual = {tag for tag, _ in Elements(run_report(given)).found}
    page = run_report(hostile(given, text))
    found = Elements(page).found
    assert {tag for tag, _ in found} <= usual | {"noscript"}
    for _, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
    assert not re.search("[\x00\x1b\u202e\u2066]", page)
    assert ("{{ 7*7 }}" in page) is ("{{" in text)  # nothing is computed


def test_a_page_without_transcripts_is_small(given: RunInput) -> None:
    """Under 250 kB for 45 scenarios in three iterations."""
    row = given.run.items.items[0]
    samples = [row.samples[0]._replace(iteration=n) for n in (1, 2, 3)]
    rows = [row._replace(item_id=f"scenario-{n}", samples=samples) for n in range(45)]
    run = given.run._replace(items=given.run.items._replace(items=rows))
    assert len(run_report(RunInput(run)).encode()) < 250_000
