"""EmoBench (Sabour et al. 2024): questions with choices, asked in several orders.

EA asks what to do in a dilemma, EU what somebody feels and why. What is upstream's and what is
ours is in docs/emobench.md.
"""

import asyncio
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import Any

from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    ChatResponse,
    DataError,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    Sampling,
    Score,
    Value,
    folder,
    read_rows,
    read_toml,
)
from eibench.judges import VOTES, chance, fill, lettered, read_choices, shuffled, vote

PARTS = {
    "EA": {"answer": ("choices", "label")},
    "EU": {part: (f"{part}_choices", f"{part}_label") for part in ("emotion", "cause")},
}
"""What each task asks, with the columns of the choices and of the right one."""
CHOICES, RIGHT = 0, 1
TEXTS = read_toml(folder("emobench") / "prompts.toml")
CATEGORY = {"EA": "category", "EU": "coarse_category"}
Row = dict[str, Any]
Asked = tuple[Mapping[str, Sequence[str]], ChatResponse]
"""The choices of each part in the order in which they were shown, and the reply."""


class EmoBench(Benchmark[Row, list[Asked]]):
    """A question counts where all its parts are right."""

    name = "emobench"
    version = "1"
    grading = "2"
    title = "choose what to do in a dilemma, or what is felt and why (Sabour et al. 2024)"
    kind = "choice"
    data = folder("emobench")
    cite = data / "citation.bib"
    comparability = "not comparable with published accuracies: wording, orders and vote are ours"
    limit_over = "category"
    sampling = Sampling(temperature=0.6, max_tokens=4000)
    answer_tokens = 1024
    options = (
        Option("task", "EA", "What to do (EA), or what is felt and why (EU).", tuple(PARTS), True),
        Option("lang", "en", "Language of the questions.", ("en", "zh"), True),
        Option("shuffles", 5, "How often to ask, in another order.", (), True, min=1, max=9),
        Option("vote", VOTES[0], "What the replies become.", VOTES, in_grades=True),
    )
    values = (
        Value("right", "right answers", "share", by=("category",), over="scenarios"),
        Value("emotion", "", "share", group="parts", over="scenarios", when={"task": "EU"}),
        Value("cause", "", "share", group="parts", over="scenarios", when={"task": "EU"}),
    )

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The questions of a task in a language; those about one scenario are a family."""
        task, items, families = options["task"], list[Item[Row]](), dict[str, str]()
        path = source.files.get(f"{task}.jsonl") or next(iter(source.files.values()))
        lists, labels = zip(*PARTS[task].values(), strict=True)
        texts = ("qid", "language", "scenario", "subject", CATEGORY[task], *labels)
        rows: list[Row] = read_rows(path, dict.fromkeys(texts, str) | dict.fromkeys(lists, list))
        for row in (row for row in rows if row["language"] == options["lang"]):
            name = f"{task}-{row['qid']}"
            if any(row[choices].count(row[label]) != 1 for choices, label in PARTS[task].values()):
                raise DataError(path, "a label must be one of its choices, once", name)
            family = families.setdefault(row["scenario"], name)
            items.append(Item(name, row, family, {"category": row[CATEGORY[task]]}))
        if not items:
            raise DataError(path, f"holds no question in the language {options['lang']}")
        return Pack(source, items, self.comparability)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The request, and what it calls a question of each type."""
        return dict(TEXTS[options["task"]][options["lang"]])

    def planned_calls(self, item: Item[Row], options: Options) -> Mapping[str, int]:
        """One for each order."""
        return {"model": options["shuffles"]}

    async def generate(self, item: Item[Row], model: Model, options: Options) -> list[Asked]:
        """A reply to each order."""
        texts, choices = self.prompts(options), _parts(item, CHOICES)
        by_part = [shuffled(of, model, options["shuffles"], part) for part, of in choices.items()]
        shown = [dict(zip(choices, order, strict=True)) for order in zip(*by_part, strict=True)]
        fields = {key: item.content[key] for key in ("scenario", "subject")}
        fields["kind"] = texts.get(item.content.get("question type", ""), "")
        lists = [{part: lettered(of) for part, of in order.items()} for order in shown]
        replies = (model.chat(fill(texts["ask"], {**fields, **listed})) for listed in lists)
        return list(zip(shown, await asyncio.gather(*replies), strict=True))

    async def grade(
        self, item: Item[Row], transcript: list[Asked], judge: Model | None, options: Options
    ) -> Score:
        """1 where all parts are right, by a vote over the orders."""
        answers = [read_choices(reply, shown) for shown, reply in transcript]
        return vote(answers, _parts(item, RIGHT), options["vote"], "right")

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random letters, put to the same vote."""
        shuffles, rule = options["shuffles"], options["vote"]
        choices = [_parts(item, CHOICES).values() for item in pack.items]
        values = [prod(chance(len(of), shuffles, rule) for of in parts) for parts in choices]
        return {"random": Baseline(sum(values) / len(values), "random letters")}

    def demo_reply(self, item: Item[Row], request: ChatRequest, ability: float, rng: Random) -> str:
        """The right choice of each part as often as the ability says, else any."""
        picks = _parts(item, RIGHT)
        for part, choices in _parts(item, CHOICES).items():
            picks[part] = picks[part] if rng.random() < ability else rng.choice(choices)
        return "\n".join(f"{part}: {pick}" for part, pick in picks.items())


def _parts(item: Item[Row], column: int) -> dict[str, Any]:
    """Of each part the choices, in the order of the data, or the right one."""
    return {part: item.content[names[column]] for part, names in PARTS[item.id[:2]].items()}
