"""Whether what commands of many runs ask and spend lies within the plan that they print first.

Each matrix is drawn: models, benchmarks, judges, panels, iterations, limits, placements, prices,
and what the journal holds before. `--dry-run --json` prints the plan; the same command is then run
against a loopback server that counts each call and prices its tokens.

    python -m benchmarks.plans [N] [--seed S]     prints how many of N hold, and which do not
"""

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from click.testing import CliRunner

from eibench import ChatRequest, Item, Message, Sampling
from eibench.core.benchmark import Benchmark
from eibench.core.cli.app import app
from eibench.core.datasets import find_pack
from eibench.core.plugins import installed
from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings

MODELS = [f"{family}-{n}" for n in range(3) for family in ("gpt-5", "llama-4", "qwen-3", "phi-4")]
JUDGES = ["gpt-judge", "claude-judge", "plain-judge"]
RATED = ("eqbench3", "creative-writing-v3")
_COMPARED = ("[RESPONDENT", "[WRITER")
"""What stands in prompts that compare two texts."""
_COUNTED = 1e-6


class Matrix(NamedTuple):
    """One command, and those before it."""

    words: tuple[str, ...]
    before: tuple[tuple[str, ...], ...]


class Made(NamedTuple):
    """What was asked and spent."""

    models: int
    judges: int
    comparisons: int
    dollars: float

    def since(self, before: "Made") -> "Made":
        """What came after."""
        return Made(
            self.models - before.models,
            self.judges - before.judges,
            self.comparisons - before.comparisons,
            self.dollars - before.dollars,
        )


class Outcome(NamedTuple):
    """A plan, from the least to the most, and what came of it."""

    seed: int
    matrix: Matrix
    plan: dict[str, tuple[float, float]]
    made: Made

    @property
    def excess(self) -> dict[str, float]:
        """By how much more than the most was asked or spent, as a share of the most."""
        over = {n: m / most - 1 if most else 1.0 for n, (_, most), m in self._each if m > most}
        return {name: share for name, share in over.items() if share > _COUNTED}

    @property
    def lack(self) -> dict[str, float]:
        """By how much less than the least, as a share of the least."""
        return {n: 1 - m / least for n, (least, _), m in self._each if m < least * (1 - _COUNTED)}

    @property
    def _each(self) -> Iterator[tuple[str, tuple[float, float], float]]:
        return ((name, self.plan[name], made) for name, made in self.made._asdict().items())


def draw(seed: int) -> Matrix:
    """A matrix."""
    rng = Random(f"matrix {seed}")
    benchmarks = rng.sample(RATED, rng.choice((1, 1, 2))) + rng.choice(([], ["eqbench-v1"]))
    large = rng.random() < 0.06  # enough models for `adaptive`
    models = rng.sample(MODELS, 10 if large else rng.randint(1, 4))
    shared = ["--limit", "1" if large else rng.choice("112"), *_placement(rng, benchmarks)]
    if rng.random() < 0.15:
        shared += ["--iterations", "2"]
    judges = _judging(rng)
    before = []
    for _ in range(rng.choice((0, 0, 1, 2))):
        some = rng.sample(MODELS, rng.randint(1, 3)) if rng.random() < 0.5 else models[:2]
        as_now = rng.random() < 0.7
        before.append((*benchmarks, *_named(some), *(judges if as_now else _judging(rng)), *shared))
    words = [*benchmarks, *_named(models), *judges, *shared]
    words += ["--fresh"] if rng.random() < 0.1 else []
    return Matrix(tuple(words), tuple(before))


def _named(models: Sequence[str]) -> list[str]:
    return [word for model in models for word in ("--model", f"openai/{model}")]


def _judging(rng: Random) -> list[str]:
    judges = rng.sample(JUDGES, rng.choice((1, 1, 2, 3)))
    words = [word for judge in judges for word in ("--judge", f"openai/{judge}")]
    if len(judges) > 1:
        words += ["--panel", rng.choice(("mean", "rotate"))]
        words += ["--exclude-kin"] if rng.random() < 0.3 else []
    return words


def _placement(rng: Random, benchmarks: Sequence[str]) -> list[str]:
    """Options of those that compare, where one is alone: others refuse them."""
    if len(benchmarks) > 1:
        return []
    words = ["--no-elo"] if rng.random() < 0.15 else []
    if not words and rng.random() < 0.5:
        words += ["--orders", rng.choice(("one", "mixed", "both"))]
        words += ["--max-comparisons", str(rng.randint(1, 12))] if rng.random() < 0.3 else []
        words += ["--schedule", rng.choice(("all", "staged"))]
    return words


@dataclass
class Server:
    """Answers for all models and judges, and keeps an account of what it was asked.

    A model's replies have a length of their own, and each party a tokeniser.
    """

    rng: Random
    calls: Counter[str] = field(default_factory=Counter)
    dollars: float = 0.0

    def __post_init__(self) -> None:
        self.prices = {
            name: (self.rng.uniform(0.1, 5), self.rng.uniform(0.4, 20)) for name in MODELS + JUDGES
        }
        self._per_token = {name: self.rng.uniform(3, 4) for name in self.prices}
        self._sentences = {name: self.rng.randint(60, 200) for name in MODELS}
        self._fill = uniform_ratings(1)
        self._written: tuple[Benchmark, Item] = _first_item("creative-writing-v3")
        self._played: tuple[Benchmark, Item] = _first_item("eqbench3")

    def settings(self) -> str:
        """The prices as bench.toml has them."""
        rows = self.prices.items()
        return "".join(f'[prices."openai/{n}"]\ninput = {i}\noutput = {o}\n' for n, (i, o) in rows)

    def made(self) -> Made:
        """What was asked and spent so far."""
        calls = self.calls
        return Made(calls["models"], calls["judges"], calls["comparisons"], self.dollars)

    def __call__(self, request: ReceivedRequest) -> Answer:
        """What a model or a judge says."""
        name, text = request.model, self._text(request)
        size = sum(len(str(message["content"])) for message in request.messages)
        taken, output = (round(n / self._per_token[name]) for n in (size, len(text)))
        price_in, price_out = self.prices[name]
        self.dollars += (taken * price_in + output * price_out) / 1e6
        self.calls["models" if name in MODELS else "judges"] += 1
        self.calls["comparisons"] += any(word in request.prompt for word in _COMPARED)
        return Answer(text, input_tokens=taken, output_tokens=output)

    def _text(self, request: ReceivedRequest) -> str:
        rng, prompt = Random(f"{request.model} {request.prompt}"), request.prompt
        if request.model in MODELS:
            form = str(self._fill(request))
            sentence = f"This is {request.model}, and it has thought of {rng.random()}. "
            return form if "\n" in form else sentence * self._sentences[request.model]
        if prompt == "Say OK.":
            return "OK".ljust(200, ".")
        messages = [Message(m["role"], str(m["content"])) for m in request.messages]
        plays = "RESPONDENT" in prompt or '": 0-' in prompt
        benchmark, item = self._played if plays else self._written
        words: Any = benchmark
        verdict: str = words.demo_verdict(item, ChatRequest(tuple(messages), Sampling()), rng)
        return verdict.ljust(400)


def _first_item(name: str) -> tuple[Benchmark, Item]:
    benchmark = installed().benchmark(name)
    options = {option.name: option.default for option in benchmark.options}
    pack = benchmark.read_pack(find_pack(benchmark, "bundled", options), options)
    return benchmark, pack.items[0]


def measure(seed: int) -> Outcome:
    """Plan a matrix and run it in an empty folder."""
    matrix, server = draw(seed), Server(Random(f"server {seed}"))
    with _empty_folder(), LoopbackServer(server) as loopback:
        Path("bench.toml").write_text(server.settings(), encoding="utf-8")
        url = ("--base-url", loopback.base_url, "--judge-base-url", loopback.base_url)
        for words in matrix.before:
            _bench("run", *words, *url, "--dataset", "bundled", "--yes")
        command = ("run", *matrix.words, *url, "--dataset", "bundled", "--json")
        planned, before = json.loads(_bench(*command, "--dry-run")), server.made()
        _bench(*command, "--yes")
        made = server.made().since(before)
    return Outcome(seed, matrix, _plan_in(planned), made)


def _plan_in(document: dict[str, Any]) -> dict[str, tuple[float, float]]:
    total = document["total"]
    return {**{name: tuple(each) for name, each in total["calls"].items()},
            "dollars": tuple(total["cost_usd"])}  # fmt: skip


def _bench(*words: str) -> str:
    done = CliRunner().invoke(app, words, env={"OPENAI_API_KEY": "x"})
    assert done.exit_code in (0, 1), (words, done.exit_code, done.stderr, done.exception)
    return done.stdout


@contextmanager
def _empty_folder() -> Iterator[None]:
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def main(words: Sequence[str] | None = None) -> None:
    """Print what came of the matrices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", nargs="?", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    outcomes = []
    for seed in range(given.seed, given.seed + given.n):
        one = measure(seed)
        outcomes.append(one)
        if one.excess or one.lack:
            print(seed, one.excess, one.lack, one.plan, one.made, one.matrix, flush=True)
    over, under = ([getattr(o, name) for o in outcomes] for name in ("excess", "lack"))
    made = sum(one.made.models + one.made.judges for one in outcomes)
    held = sum(not (a or b) for a, b in zip(over, under, strict=True))
    largest = max((share for each in over for share in each.values()), default=0.0)
    beyond, below = sum(map(bool, over)), sum(map(bool, under))
    print(f"{held} of {len(outcomes)} within, {made:,} calls")
    print(f"above the most: {beyond}, at most by {largest:.1%}; below the least: {below}")


if __name__ == "__main__":
    main()
