"""`bench prompts` and `bench score`: the requests out, the answers in, no model asked."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from ..benchmark import Benchmark
from ..clients.base import ModelSpec
from ..datasets import find_pack
from ..engine.config import Endpoint, RunConfig
from ..engine.offline import first_request, read_responses, score_responses
from ..engine.session import choose_items
from ..errors import DataError, UsageError
from . import options
from .benchmark_command import BenchmarkCommand, own_options
from .data import get_data
from .results import EXIT, print_result
from .settings import config_option
from .values import read_system


@click.command("score", cls=BenchmarkCommand)
@options.benchmark_argument
@click.argument("responses", type=click.Path(path_type=Path))
@options.option("--dataset", metavar="NAME|PATH", help="The data that was answered.")
@options.option("--name", help="What to call the model in the result.")
@options.json_option
@config_option
def score_command(**params: Any) -> int:
    """Score answers made elsewhere, one JSON object a line.

    A line is {"item_id": ..., "response": ...} and, if there is more than one per item,
    "iteration": N. Items without a line are unscored.
    """
    benchmark: Benchmark = params["benchmark"]
    _needs_single_turn(benchmark, "score")
    if benchmark.judged:
        raise UsageError(f"{benchmark.name} needs a judge, so bench score cannot score it")
    path: Path = params["responses"]
    name = params["name"] or path.stem
    config = RunConfig(
        benchmark=benchmark,
        model=Endpoint(ModelSpec("responses", name)),
        options=own_options(benchmark, params),
        dataset=params["dataset"],
        name=name,
    )
    pack = benchmark.read_pack(_source(config), config.options)
    replies = read_responses(path, pack)
    document = asyncio.run(score_responses(config, pack, list(pack.items), replies))
    print_result(document, json_output=params["json_output"])
    return EXIT[document["status"]]


def _source(config: RunConfig) -> Any:
    get_data(config)
    return find_pack(config.benchmark, config.dataset, config.options)


@click.command("prompts", cls=BenchmarkCommand)
@options.benchmark_argument
@options.data_options
@options.sampling_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File (default: print).")
@config_option
def prompts_command(**params: Any) -> None:
    """Write the exact requests, to be answered elsewhere.

    One JSON object a line; bench score takes the answers.
    """
    benchmark: Benchmark = params["benchmark"]
    _needs_single_turn(benchmark, "prompts")
    config = RunConfig(
        benchmark=benchmark,
        model=Endpoint(ModelSpec("requests", "file")),
        options=own_options(benchmark, params),
        dataset=params["dataset"],
        sampling=options.sampling(params),
        system=read_system(params["system"]),
        iterations=params["iterations"],
        limit=params["limit"],
        items=options.item_ids(params),
    )
    lines = asyncio.run(_request_lines(config))
    text = "".join(line + "\n" for line in lines)
    if params["output"] is None:
        click.echo(text, nl=False)
        return
    try:
        params["output"].write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(params["output"], f"cannot be written: {error.strerror}") from None
    click.echo(f"{len(lines)} requests in {params['output']}", err=True)


async def _request_lines(config: RunConfig) -> list[str]:
    pack = config.benchmark.read_pack(_source(config), config.options)
    lines = []
    for iteration in range(1, config.iterations + 1):
        for item in choose_items(pack, config):
            request = await first_request(config, item, iteration)
            messages = [{"role": m.role, "content": m.content} for m in request.messages]
            line = {"item_id": item.id, "iteration": iteration, "messages": messages}
            lines.append(json.dumps({**line, **request.sampling.sent()}, ensure_ascii=False))
    return lines


def _needs_single_turn(benchmark: Benchmark, command: str) -> None:
    if not benchmark.single_turn:
        raise UsageError(
            f"bench {command} is for benchmarks of one turn; in {benchmark.name} a request "
            "depends on the reply before it, so use bench run"
        )
