"""judgemark: a judge of fiction grades texts of known writers, several times.

The model under test is the judge. What its grades come to is in `separation`. Texts of a pack that
has the prompts of Creative Writing before v2 are graded by its rubric, others by one of our own
(docs/judgemark.md).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from eibench import (
    Benchmark,
    ChatRequest,
    DataError,
    Item,
    Metric,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PublishedRow,
    SampleScore,
    Sampling,
    Score,
    Summary,
    folder,
    read_csv_rows,
    read_json,
    read_rows,
    read_toml,
)
from eibench.judges import Rubric, Template, demo_verdict, less_able

from .legacy import FILE as PROMPTS
from .legacy import JUDGE, LegacyItem, read_items
from .separation import SeparationParts, Table, calibrated, interval, parts, table_of

_TEXTS = read_toml(folder("judgemark") / "prompts.toml")
RUBRIC = Rubric(
    _TEXTS["criteria"], 10, lower_is_better=tuple(_TEXTS["less_is_better"]), form="lines"
)
TEMPLATE = Template(**_TEXTS["judge"])
GRADE, ORDER = "grade", "order.csv"
_FIELDS: dict[str, Any] = {"writer": str, "item": str, "text": str}
_OVER = "prompts"


class Written(NamedTuple):
    """A text, who wrote it, for which prompt, and by what it is graded, if not by our rubric."""

    writer: str
    item: str
    text: str
    prompt: str = ""
    legacy: LegacyItem | None = None

    @property
    def rubric(self) -> Rubric:
        """What grades are given on."""
        return self.legacy.rubric if self.legacy else RUBRIC


class Judgemark(Benchmark[Written, Score]):
    """The benchmark."""

    name = "judgemark"
    version = "1"
    grading = "2"
    title = "the model is a judge of fiction: does it tell writers apart, and twice alike?"
    kind = "rubric"
    languages = ("en",)
    data = folder("judgemark")
    cite = data / "citation.bib"
    comparability = "not comparable with published scores: texts and the judge's prompt are others"
    sampling = Sampling(temperature=0.5, top_k=3, max_tokens=4_000)
    iterations = 3
    model_judges = True
    asks_again = True
    ranked_by = "separability"
    options = (
        Option("order", "", "A CSV file (writer,score): what the writers are worth by others.",
               in_grades=True, may_meet=True),
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The texts: JSON lines, or a JSON object by writer and prompt, as upstream has it."""
        path = next(path for name, path in source.files.items() if name not in (ORDER, PROMPTS))
        rows = _upstream(path) if path.suffix == ".json" else _lines(path)
        if PROMPTS in source.files:
            rows = _with_criteria(path, rows, source.files[PROMPTS])
        writers = Counter(row.writer for row in rows)
        if len(writers) < 3:
            raise DataError(path, f"has {len(writers)} writers; three are the least to tell apart")
        seen = Counter((row.writer, row.item) for row in rows)
        if twice := next((key for key, n in seen.items() if n > 1), None):
            raise DataError(path, f"{twice[0]} has two texts for the prompt {twice[1]}")
        _order(self._order_file(source, options), list(writers))
        items = [
            Item(f"{row.writer}: {row.item}", row, row.item, {"writer": row.writer}) for row in rows
        ]
        return Pack(source, items, self.comparability)

    @staticmethod
    def _order_file(source: PackSource, options: Options) -> Path | None:
        return Path(options["order"]) if options["order"] else source.files.get(ORDER)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The judge's prompts: of our rubric with its criteria, and of a pack's."""
        legacy = {"legacy_system": JUDGE.system, "legacy_user": JUDGE.user}
        return {**RUBRIC.judge_prompts(TEMPLATE), **legacy}

    async def generate(self, item: Item[Written], model: Model, options: Options) -> Score:
        """The verdict on a text."""
        row = item.content
        if row.legacy:
            task, reference, rubric, _ = row.legacy
            texts = {"writing_prompt": task.asked(1), "reference": reference}
            return await rubric.grade(model, JUDGE, row.text, **texts)
        return await RUBRIC.grade(model, TEMPLATE, row.text, prompt=row.prompt or "(not given)")

    async def grade(
        self, item: Item[Written], transcript: Score, judge: Model | None, options: Options
    ) -> Score:
        """The mean of the criteria, from 0 to 10, those of which less is better turned round."""
        if transcript.reason is not None:
            return transcript
        total = transcript.values["rubric_score"]
        assert total is not None
        return Score({GRADE: total / 10}, flags=transcript.flags)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """Separability, stability, agreement and the score, of raw and of calibrated grades."""
        texts = {item.id: item.content for item in pack.items}
        grades = {
            (texts[s.item_id].writer, texts[s.item_id].item, s.iteration): grade
            for s in scores
            if (grade := s.score.values.get(GRADE)) is not None
        }
        counts = Counter(writer for writer, *_ in grades)
        writers = sorted(writer for writer, n in counts.items() if n > 1)
        grades = {key: grade for key, grade in grades.items() if key[0] in writers}
        if len(writers) < 3:
            return Summary({name: Metric(None, label=label) for name, (label, _) in _PARTS.items()})
        order = _order(self._order_file(pack.source, options), writers)
        table = table_of(grades, writers)
        metrics = _metrics(table, order)
        raw = table[~np.isnan(table)]
        scaled = table.copy()
        scaled[~np.isnan(table)] = calibrated(raw)
        of = parts(scaled, order)
        notes = {
            "writers": {w: float(np.nanmean(table[n])) for n, w in enumerate(writers)},
            "calibrated": {**of._asdict(), "separability": of.separability, "score": of.score},
        }
        return Summary(metrics, notes={"judgemark": notes})

    def published_rows(self) -> Sequence[PublishedRow]:
        """What `bench reproduce` computes again."""
        from .reproducing import judgemark_rows

        return judgemark_rows()

    def main_values(
        self, pack: Pack, scores: Sequence[SampleScore], options: Options
    ) -> Sequence[float | None]:
        """None: no metric here is a mean over texts."""
        return [None] * len(scores)

    def demo_reply(
        self, item: Item[Written], request: ChatRequest, ability: float, rng: Random
    ) -> str:
        """What the demo judge says, with an error by the ability."""
        return self.demo_verdict(item, request, less_able(rng, ability))

    def demo_verdict(self, item: Item[Written], request: ChatRequest, rng: Random) -> str:
        """By the share of words of seven letters or more, as the page says."""
        return demo_verdict(item.content.rubric, request, _plain, rng)


def _plain(text: str) -> float:
    """What a text is worth to the demo judge: the fewer long words the more."""
    words = text.split()
    long = sum(len(word.strip(".,;:!?\"'")) >= 8 for word in words) / max(1, len(words))
    return min(1.0, max(0.0, 1 - 3 * long))


def _lines(path: Path) -> list[Written]:
    rows: list[dict[str, Any]] = read_rows(path, _FIELDS)
    for n, row in enumerate(rows, start=1):
        for name in _FIELDS:
            if not row[name].strip():
                raise DataError(path, f'"{name}" is empty', f"line {n}")
    return [
        Written(row["writer"], row["item"], row["text"], str(row.get("prompt", ""))) for row in rows
    ]


def _upstream(path: Path) -> list[Written]:
    raw, rows = read_json(path), list[Written]()
    for writer, texts in raw.items():
        if not isinstance(texts, dict):
            raise DataError(path, "must hold the writer's texts by prompt", str(writer))
        for item, text in texts.items():
            if not isinstance(text, str) or not text.strip():
                raise DataError(path, "is no text", f"{writer}, prompt {item}")
            rows.append(Written(writer, item, text))
    return rows


def _with_criteria(path: Path, rows: Sequence[Written], prompts: Path) -> list[Written]:
    """The texts with what their prompts' rubric is, and its reference text."""
    known = {item.id: item.content for item in read_items(prompts)}
    if lacking := next((row for row in rows if row.item not in known), None):
        raise DataError(path, f"{prompts.name} has no prompt {lacking.item!r}", lacking.writer)
    return [row._replace(legacy=known[row.item]) for row in rows]


def _order(path: Path | None, writers: Sequence[str]) -> list[float] | None:
    """What each writer is worth by others, NaN where the file does not say."""
    if path is None:
        return None
    worth = {}
    for number, row in read_csv_rows(path):
        if set(row) != {"writer", "score"}:
            raise DataError(path, "needs the columns writer and score", f"line {number}")
        try:
            worth[row["writer"]] = float(row["score"])
        except ValueError:
            raise DataError(path, f"{row['score']!r} is no number", f"line {number}") from None
    if not set(worth) & set(writers):
        raise DataError(path, f"knows none of the writers: {', '.join(sorted(writers)[:5])}")
    return [worth.get(writer, float("nan")) for writer in writers]


_PARTS: dict[str, tuple[str, Callable[[SeparationParts], float | None]]] = {
    "separability": ("separability (0-1)", lambda p: p.separability),
    "stability": ("stability (0-1)", lambda p: p.stability),
    "agreement": ("agreement with the given order (0-1)", lambda p: p.agreement),
    "score": ("score (0-100)", lambda p: p.score),
    "kruskal_wallis": ("Kruskal-Wallis H, as of 2,040 grades", lambda p: p.kruskal),
    "overlap": ("neighbours whose 99 % intervals overlap", lambda p: p.overlap),
    "repeats_tau": ("Kendall's tau of repeats", lambda p: p.tau),
}


def _metrics(table: Table, order: Sequence[float] | None) -> dict[str, Metric]:
    """The parts as metrics, with intervals over prompts."""
    whole, rows = parts(table, order), {}
    for name, (label, value) in _PARTS.items():
        ends = None
        if name in ("separability", "score", "agreement"):
            ends = interval(table, lambda of: value(parts(of, order)))  # noqa: B023
        group = "" if name in ("separability", "stability", "agreement", "score") else "parts"
        better = name != "overlap"
        n = int((~np.isnan(table)).sum())
        rows[name] = Metric(value(whole), ends, n, better, _OVER, label, group)
    return rows
