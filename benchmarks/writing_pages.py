"""Published pages of Creative Writing v3, replayed: their texts and verdicts, and our rule.

Not a measurement: a loopback server answers as the model and the judge of each page did, `bench
run` asks it, and the numbers that come of it stand beside those that the page prints.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from eibench import PackSource, run, runs
from eibench.plugins.creative_writing.packs import read_items
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
    prompts = {item.id: item.content.prompt for item in read_items(source)}
    shown = {prompts[id].asked(iteration): one for (id, iteration), one in samples.items()}

    def respond(request: ReceivedRequest) -> str:
        if request.is_trial:
            return "OK"
        if request.model == "writer":
            return str(shown[request.prompt]["output"])
        _, _, rest = request.prompt.partition("[PROMPT START]\n\n")
        return str(shown[rest.partition("\n\n[PROMPT END]")[0]]["judge"])

    return respond


def replayed(page: Path, pack: Path, folder: Path, parser: str = "reference") -> Replayed:
    """A page's texts and verdicts as a run, beside the page's numbers."""
    samples = samples_of(page, pack)
    with LoopbackServer(replay(samples, pack)) as server:
        url: dict[str, Any] = {"base_url": server.base_url, "judge_base_url": server.base_url}
        options: dict[str, Any] = {"elo": False, "parser": parser}
        parties: dict[str, Any] = {"model": "openai/writer", "judge": "openai/judge"}
        settings: dict[str, Any] = {"dataset": str(pack), "iterations": 3, "runs_dir": folder}
        result = run("creative-writing-v3", **parties, **url, **settings, options=options)
    metrics = {name: row["value"] or 0.0 for name, row in result.document["metrics"].items()}
    with runs(folder) as stored:
        rows = list(stored[str(result.document["run_id"])].samples())
    scores = {(row.item_id, row.iteration): row.values["rubric_score"] for row in rows
              if row.status == "scored"}  # fmt: skip
    means = {n: one["iteration_average"] for (_, n), one in samples.items()}
    return Replayed(
        len(scores),
        max(abs(scores[key] - samples[key]["score"]) for key in scores),
        max(abs(metrics[f"pooled_{n}"] - mean) for n, mean in means.items()),
        abs(metrics["rubric_score"] - fmean(one["score"] for one in samples.values())),
    )


def table(pack: Path, pages: Path, parser: str) -> Iterator[str]:
    """A row for each page."""
    yield "| page | verdicts read | a piece | an iteration, pooled | run |"
    yield "|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        for page in sorted(pages.glob("*.json.gz")):
            name = page.name.removesuffix(".json.gz")
            yield f"| {name} | {replayed(page, pack, Path(folder, name), parser)} |"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pack", type=Path, help="the official pack's folder")
    arguments.add_argument("pages", type=Path, help="a folder of pages, NAME.json.gz")
    arguments.add_argument("--parser", default="reference", choices=("reference", "strict"))
    chosen = arguments.parse_args()
    for line in table(chosen.pack, chosen.pages, chosen.parser):
        print(line, flush=True)
