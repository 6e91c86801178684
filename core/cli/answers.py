"""`bench prompts` and `bench score`: the requests out, the answers in, no model asked."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from ..benchmark import Benchmark
from ..datasets import find_pack
from ..endpoints.providers import ModelSpec
from ..errors import DataError
from ..guard import guard, no_exit
from ..run.checks import check_stored
from ..run.session import choose_items
from ..settings.resolve import make_config
from ..settings.run_config import Endpoint, RunConfig
from ..stored.score_file import calls_of, sample_requests
from ..text import plural
from ..types import ChatRequest, JsonDict, JsonObject
from ..work import needs_single_turn, score_config, scoring_config
from . import options
from .command import BenchmarkCommand
from .data import get_data, tell_pack
from .session import EXIT, print_result
from .settings import config_option


@click.command("score", cls=BenchmarkCommand)
@options.benchmark_argument
@click.argument("responses", type=click.Path(path_type=Path))
@options.option("--dataset", metavar="NAME|PATH", help="The data that was answered.")
@options.option("--name", help="What to call the model in the result.")
@options.details_option
@options.json_option
@config_option
def score_command(
    benchmark: Benchmark, responses: Path, *, json_output: bool, **params: Any
) -> int:
    """Score answers made elsewhere, one JSON object a line.

    A line is {"item_id": ..., "response": ...} and, if there is more than one per item,
    "iteration": N and "request": N as in the line of bench prompts. Items without a line are
    unscored, and the result is incomplete.
    """
    config = scoring_config(benchmark, options.run_settings(params), responses)
    get_data(config)
    with no_exit():
        result = asyncio.run(score_config(config, responses))
    tell_pack(config)
    print_result(result.document, json_output=json_output)
    return EXIT[result.status]


@click.command("prompts", cls=BenchmarkCommand)
@options.benchmark_argument
@options.data_options
@options.sampling_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File (default: print).")
@config_option
def prompts_command(benchmark: Benchmark, *, output: Path | None, **params: Any) -> None:
    """Write the exact requests, to be answered elsewhere.

    One JSON object a line; bench score takes the answers. Where a sample has several
    requests, they are numbered.
    """
    needs_single_turn(benchmark, "prompts")
    model = Endpoint(ModelSpec("requests", "file"))
    config = make_config(benchmark, options.run_settings(params), model)
    check_stored(config)
    get_data(config)
    with no_exit():
        lines = asyncio.run(_request_lines(config))
    text = "".join(line + "\n" for line in lines)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(output, f"cannot be written: {error.strerror}") from None
    tell_pack(config)
    click.echo(f"{plural(len(lines), 'request')} in {output}", err=True)


async def _request_lines(config: RunConfig) -> list[str]:
    source = find_pack(config.benchmark, config.dataset, config.options)
    pack = guard(config.benchmark).read_pack(source, config.options)
    lines = []
    for iteration in range(1, config.iterations + 1):
        for item in choose_items(pack, config):
            asked = await sample_requests(config, item, iteration)
            place: JsonDict = {"item_id": item.id, "iteration": iteration}
            if calls_of(config, item) == 1:
                lines.append(_line(place, asked[0].request))
                continue
            lines += [
                _line({**place, "request": number}, one.request)
                for number, one in enumerate(asked, start=1)
            ]
    return lines


def _line(place: JsonObject, request: ChatRequest) -> str:
    messages = [{"role": m.role, "content": m.content} for m in request.messages]
    line = {**place, "messages": messages, **request.sampling.sent()}
    return json.dumps(line, ensure_ascii=False)
