"""`bench report`: one self-contained page, whatever models and judges have written."""

import json
import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from eibench.core.cli.report import run_input
from eibench.core.html import RunInput, render_report
from eibench.core.html.environment import asset, digest_of
from eibench.core.journal import Journal
from eibench.core.reports.items import ItemRow, ItemSample

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
            ItemSample(s.iteration, "unscored", s.values, text, [text]) for s in row.samples])
        for row in given.items.items
    ]  # fmt: skip
    worse = json.loads(json.dumps(given.document))
    worse |= {"name": text, "warnings": [text], "judge": text, "comparability": text}
    worse["ratings"] = [row | {"model": text} for row in worse["ratings"]]
    worse["conclusions"] = [row | {"text": text} for row in worse["conclusions"]]
    worse["metric_labels"] = {name: [text, text] for name in worse["metrics"]}
    worse["metric_groups"] = dict.fromkeys(list(worse["metrics"])[1:3], text)
    worse["notes"]["rating"]["engine"] = text
    items = given.items._replace(items=rows)
    texts = [
        item._replace(record=spoilt(item.record, text) | {"item_id": text + item.record["item_id"]})
        for item in given.texts
    ]
    return given._replace(document=worse, items=items, command=text, texts=texts)


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
    with Journal(Path("runs"), create=False) as journal:
        return run_input(journal, journal.runs()[-1], transcripts=True)


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
    first, *rest = given.items.items
    sample = first.samples[0]._replace(status="unscored", reason="no verdict", values={})
    items = given.items._replace(items=[first._replace(samples=[sample], value=None), *rest])
    cut_off = frozenset({(first.item_id, 1)})
    document: Any = {**given.document, "status": "incomplete"}
    page = render_report([given._replace(items=items, cut_off=cut_off, document=document)])
    assert "unscored; cut off; no verdict" in page
    assert "The result is INCOMPLETE" in page


@pytest.mark.parametrize("text", [HOSTILE, LONG])
def test_hostile_texts_are_text(given: RunInput, text: str) -> None:
    """No element and no attribute comes of them, in names, verdicts, notes or transcripts."""
    usual = {tag for tag, _ in Elements(render_report([given])).found}
    page = render_report([hostile(given, text)])
    found = Elements(page).found
    assert {tag for tag, _ in found} <= usual | {"noscript"}
    for _, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
    assert not re.search("[\x00\x1b\u202e\u2066]", page)
    assert "49" not in re.findall(r"\{\{.*?\}\}|>49<", page)


def test_a_page_without_transcripts_is_small(given: RunInput) -> None:
    """Under 1 MB for 45 scenarios in three iterations."""
    row = given.items.items[0]
    samples = [row.samples[0]._replace(iteration=n) for n in (1, 2, 3)]
    rows = [row._replace(item_id=f"scenario-{n}", samples=samples) for n in range(45)]
    page = render_report([given._replace(items=given.items._replace(items=rows), texts=())])
    assert len(page.encode()) < 250_000
