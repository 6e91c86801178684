"""Published pages of Creative Writing v3 and Longform Writing, replayed by our rule.

Not a measurement: a loopback server answers as the model and the judge of each page did, `bench
run` asks it, and the numbers that come of it stand beside those that the page prints.
"""

import argparse
import gzip
import html
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from eibench import PackSource, run, runs
from eibench.judges import neutralise
from eibench.plugins.creative_writing.packs import read_items
from eibench.plugins.creative_writing.stories import read_stories
from eibench.testing import LoopbackServer, ReceivedRequest

Sample = tuple[str, int]
"""An item and an iteration."""


class Replayed(NamedTuple):
    """A page beside what came of it here, the largest differences in points of 100."""

    read: int
    piece: float
    pooled: float
    run: float

    def __str__(self) -> str:
        """As a row of a table."""
        return f"{self.read} | {self.piece:.3f} | {self.pooled:.3f} | {self.run:.3f}"


def samples_of(page: Path, pack: Path) -> dict[Sample, dict[str, Any]]:
    """What a page shows: prompt, text, verdict and numbers."""
    rows = json.loads((pack / "creative_writing_prompts_v3.json").read_bytes())
    ids = {f"{row['category']}: {row['title']}".casefold(): id for id, row in rows.items()}
    samples = json.loads(gzip.decompress(page.read_bytes()))["samples"]
    return {(ids[one["title"].casefold()], one["iteration"]): one for one in samples}


def replay(
    samples: Mapping[Sample, Mapping[str, Any]], pack: Path
) -> Callable[[ReceivedRequest], str]:
    """Answers as the model and the judge of a page did."""
    source = PackSource("official", "", {path.name: path for path in pack.iterdir()})
    items = {item.id: item.content for item in read_items(source)}
    shown = {items[id].prompt.asked(iteration): one for (id, iteration), one in samples.items()}
    markers = next(iter(items.values())).protocol.judge.markers
    judged = {neutralise(one["output"].strip(), markers): one for one in samples.values()}

    def respond(request: ReceivedRequest) -> str:
        if request.is_trial:
            return "OK"
        if request.model == "writer":
            return str(shown[request.prompt]["output"])
        _, _, rest = request.prompt.partition("[TEST MODEL RESPONSE]\n\n")
        return str(judged[rest.partition("\n\n[TEST MODEL RESPONSE END]")[0]]["judge"])

    return respond


def scores_of(
    benchmark: str,
    respond: Callable[[ReceivedRequest], str],
    pack: Path,
    folder: Path,
    settings: Mapping[str, Any],
) -> tuple[dict[Sample, Mapping[str, float | None]], dict[str, float]]:
    """A run by a server that answers so: the values of what is scored, and the metrics."""
    with LoopbackServer(respond) as server:
        url: dict[str, Any] = {"base_url": server.base_url, "judge_base_url": server.base_url}
        parties: dict[str, Any] = {"model": "openai/writer", "judge": "openai/judge"}
        data: dict[str, Any] = {"dataset": str(pack), "runs_dir": folder}
        result = run(benchmark, **parties, **url, **data, **settings)
    metrics = {name: row["value"] or 0.0 for name, row in result.document["metrics"].items()}
    with runs(folder) as stored:
        rows = list(stored[str(result.document["run_id"])].samples())
    values = {(row.item_id, row.iteration): row.values for row in rows if row.status == "scored"}
    return values, metrics


def replayed(page: Path, pack: Path, folder: Path, parser: str = "reference") -> Replayed:
    """A page's texts and verdicts as a run, beside the page's numbers."""
    samples = samples_of(page, pack)
    settings = {"iterations": 3, "options": {"elo": False, "parser": parser}}
    respond = replay(samples, pack)
    values, metrics = scores_of("creative-writing-v3", respond, pack, folder, settings)
    scores = {key: row["rubric_score"] or 0.0 for key, row in values.items()}
    means = {n: one["iteration_average"] for (_, n), one in samples.items()}
    return Replayed(
        len(scores),
        max(abs(scores[key] - samples[key]["score"]) for key in scores),
        max(abs(metrics[f"pooled_{n}"] - mean) for n, mean in means.items()),
        abs(metrics["rubric_score"] - fmean(one["score"] for one in samples.values())),
    )


class PageStory(NamedTuple):
    """A story as a page shows it: replies, verdicts, and its two numbers from 0 to 100."""

    replies: list[str]
    verdicts: list[str]
    chapters: float
    whole: float


class ReplayedStories(NamedTuple):
    """A page beside what came of it here: stories, largest differences, and the run's score."""

    read: int
    chapters: float
    whole: float
    score: float

    def __str__(self) -> str:
        """As a row of a table."""
        return f"{self.read} | {self.chapters:.3f} | {self.whole:.3f} | {self.score:.2f}"


def stories_of(page: Path) -> dict[str, PageStory]:
    """What a page of Longform Writing shows, by the id of its prompt."""
    text = gzip.decompress(page.read_bytes()).decode()
    stories = {}
    for part in text.split('<div class="iteration-container">')[1:]:

        def shown(label: str, end: str, part: str = part) -> list[str]:
            texts = re.findall(rf"<strong>{label}:</strong><br>(.*?){end}", part, re.DOTALL)
            return [html.unescape(one).strip() for one in texts]

        numbers = re.findall(r"\(Chapter Avg: ([\d.]+) \| Final: ([\d.]+)\)", part)
        whole = shown(r"Judge Response \(First Entry\)", "<div class")
        verdicts = [*shown("Judge Response", "</div>"), *whole]
        id = re.findall(r"'iteration-\d+-(\d+)'", part)[0]
        stories[id] = PageStory(shown("Model Output", "</div>"), verdicts, *map(float, numbers[0]))
    return stories


def replay_stories(
    stories: Mapping[str, PageStory], pack: Path
) -> Callable[[ReceivedRequest], str]:
    """Answers as the model and the judge of a page did."""
    source = PackSource("official", "", {path.name: path for path in pack.iterdir()})
    shown = {item.content.prompt: stories[item.id] for item in read_stories(source)}

    def respond(request: ReceivedRequest) -> str:
        if request.is_trial:
            return "OK"
        first = str(request.messages[0]["content"])
        if request.model == "writer":
            turn = len(request.messages) // 2
            return next(s for prompt, s in shown.items() if first.startswith(prompt)).replies[turn]
        _, _, rest = request.prompt.partition("[WRITING PROMPT]\n\n")
        story = shown[rest.partition("\n\n[/WRITING PROMPT]")[0]]
        chapter = re.search(r"\[/CHARACTER PROFILES\]\s+\[CHAPTER (\d)\]", rest)
        return story.verdicts[int(chapter[1]) - 1 if chapter else -1]

    return respond


def replayed_stories(
    page: Path, pack: Path, folder: Path, parser: str = "reference"
) -> ReplayedStories:
    """A page's stories and verdicts as a run, beside the page's numbers."""
    stories, settings = stories_of(page), {"options": {"parser": parser}}
    respond = replay_stories(stories, pack)
    values, metrics = scores_of("longform-writing", respond, pack, folder, settings)
    means = {id: fmean(row[f"chapter_{n}"] or 0.0 for n in range(1, 9))
             for (id, _), row in values.items()}  # fmt: skip
    return ReplayedStories(
        len(values),
        max(abs(mean - stories[id].chapters) for id, mean in means.items()),
        max(abs((row["whole"] or 0.0) - stories[id].whole) for (id, _), row in values.items()),
        metrics["rubric_score"],
    )


def table(pack: Path, pages: Path, parser: str) -> Iterator[str]:
    """A row for each page."""
    longform = (pack / "prompt1.txt").exists()
    columns = "verdicts read | a piece | an iteration, pooled | run"
    if longform:
        columns = "stories read | chapters | whole | score"
    yield f"| page | {columns} |"
    yield "|---|---|---|---|---|"
    ending, row_of = (".html.gz", replayed_stories) if longform else (".json.gz", replayed)
    with tempfile.TemporaryDirectory() as folder:
        for page in sorted(pages.glob(f"*{ending}")):
            name = page.name.removesuffix(ending)
            yield f"| {name} | {row_of(page, pack, Path(folder, name), parser)} |"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pack", type=Path, help="the official pack's folder")
    arguments.add_argument(
        "pages", type=Path, help="a folder of pages, NAME.json.gz or, of stories, NAME.html.gz"
    )
    arguments.add_argument("--parser", default="reference", choices=("reference", "strict"))
    chosen = arguments.parse_args()
    for line in table(chosen.pack, chosen.pages, chosen.parser):
        print(line, flush=True)
