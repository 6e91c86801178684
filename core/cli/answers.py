"""`bench prompts` and `bench score`: the requests out, the answers in, no model asked."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import click

from ..benchmark import Benchmark, Pack
from ..benchmark.foreign import ForeignRun, ForeignSample, ForeignTurn
from ..errors import DataError, JournalError, UsageError
from ..exchange.translate import ANSWERS, Source, import_foreign
from ..guard import no_exit
from ..journal import Journal
from ..parties.providers import ModelSpec
from ..plugins import installed
from ..reading.formats import read_jsonl, write_text
from ..reading.responses import BATCH, batch_request, sample_key
from ..run.checks import check_stored
from ..run.score_file import (
    GivenAnswers,
    GivenReply,
    calls_of,
    needs_single_turn,
    read_answers,
    sample_requests,
    score_config,
    scoring_config,
)
from ..run.task import choose_items, read_pack
from ..settings.resolve import make_config
from ..settings.run_config import Endpoint, RunConfig
from ..text import plural
from ..types import Json, JsonDict, digest
from ..types.result_document import ResultDocument
from . import options
from .command import BenchmarkCommand, command
from .data import get_data, tell_pack
from .import_foreign import tell_run
from .rejudge import judge_again
from .session import EXIT, print_result
from .settings import config_option


def _run_of_answers(config: RunConfig, pack: Pack, path: Path, model: str) -> ForeignRun:
    """One model's answers as a run to import; the same answers are the same run.

    The file holds answers, or conversations where a request depends on a reply; `model` is what
    the model is called elsewhere.
    """
    if config.benchmark.single_turn:
        samples = list(_answered(read_answers(config, pack, path)))
    else:
        samples = list(_conversations(path))
    started = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
    key = digest(
        [[s.item_id, s.iteration, s.turns, _in_order(s.replies), s.failure] for s in samples]
    )
    name, options = config.display_name, config.options
    return ForeignRun(key, name, model, samples, options=options, started=started)


def _in_order(replies: Mapping[int, GivenReply]) -> list[Json]:
    """Replies as JSON has them; those of which only the text is known as that text."""
    return [
        [n, one if isinstance(one, str) else one.as_json()]
        for n, one in sorted(replies.items(), key=lambda pair: pair[0])
    ]


def _answered(answers: GivenAnswers) -> Iterator[ForeignSample]:
    for key, replies in answers.replies.items():
        yield ForeignSample(*key, (), replies=replies)
    for key, reason in answers.failed.items():
        yield ForeignSample(*key, (), failure=reason)


def _conversations(path: Path) -> Iterator[ForeignSample]:
    """Each line's conversation; `DataError` if there are none, or two of one sample."""
    first: dict[object, str] = {}
    for number, row in read_jsonl(path):
        line = f"line {number}"
        if not isinstance(row, dict):
            raise DataError(path, "not a JSON object", line)
        key = sample_key(path, line, row)[:2]
        if key in first:
            raise DataError(path, f"answers the sample of {first[key]} again", line)
        first[key] = line
        if row.get("error"):
            yield ForeignSample(*key, (), failure=str(row["error"]))
        else:
            yield ForeignSample(*key, _turns(path, line, row.get("messages")))
    if not first:
        raise DataError(path, "holds no conversations")


def _turns(path: Path, line: str, messages: Any) -> tuple[ForeignTurn, ...]:
    """The turns of a conversation, in which user and assistant alternate."""
    rows = messages if isinstance(messages, list) else []
    texts = [
        str(row["content"])
        for row, role in zip(rows, cycle(("user", "assistant")), strict=False)
        if isinstance(row, dict) and row.get("role") == role and type(row.get("content")) is str
    ]
    if not texts or len(texts) < len(rows) or len(rows) % 2:
        message = 'needs "messages" of role and content, user and assistant in turn'
        raise DataError(path, message, line)
    return tuple(map(ForeignTurn, texts[::2], texts[1::2]))


@command(
    "score",
    "bench score eqbench-v1 answers.jsonl --save --model NAME",
    "bench score emotionqueen answers.jsonl --judge openai/gpt-4.1",
    cls=BenchmarkCommand,
)
@options.benchmark_argument
@click.argument("responses", type=click.Path(path_type=Path))
@options.option("--dataset", metavar="NAME|PATH", help="The data that was answered.")
@options.option("--name", help="What to call the model in the result.")
@options.flag("--save", help="Keep the answers as a run, which stands on boards.")
@click.option("--model", "answered_by", metavar="NAME",
              help="With --save: which model answered (default: the file's name).")  # fmt: skip
@options.judge_options
@options.limit_options
@options.money_options
@options.place_options
@options.output_options
def score_command(
    benchmark: Benchmark,
    responses: Path,
    *,
    save: bool,
    answered_by: str | None,
    yes: bool,
    json_output: bool,
    **params: Json,
) -> int:
    """Score answers made elsewhere, one JSON object a line.

    A line is {"item_id": ..., "response": ...} and, if there is more than one per item,
    "iteration": N and "request": N as in the line of bench prompts; or a result of a batch
    of OpenAI or Anthropic; or, of a benchmark of several turns, a conversation as "messages".
    Items without a line are unscored, and the result is incomplete. With --judge, which implies
    --save, a judge grades the answers.
    """
    settings = options.run_settings(params)
    judged = benchmark.judged and bool(settings.judges)
    if answered_by and not (save or judged):
        raise UsageError("--model goes with --save; --name names the model of a printed result")
    if settings.batch and not judged:
        raise UsageError("--batch goes with --judge; nobody else is asked here")
    named = replace(settings, name=settings.name or answered_by)
    config = scoring_config(benchmark, named, responses, saved=save or judged)
    get_data(config)
    if save or judged:
        run_id = _save(replace(config, runs_dir=settings.runs_dir), responses, answered_by)
        if judged:
            return judge_again(
                run_id, settings, {}, sure=yes, dry=False, json_output=json_output, anew=False
            )
        document = _document(settings.runs_dir, run_id)
    else:
        with no_exit():
            document = asyncio.run(score_config(config, responses)).document
    tell_pack(config)
    print_result(document, json_output=json_output)
    return EXIT[document["status"]]


def _save(config: RunConfig, path: Path, model: str | None) -> str:
    """Keep answers as a run, whose id it gives back."""
    pack = read_pack(config)
    run = _run_of_answers(config, pack, path, model or config.display_name)
    source = Source(path, ANSWERS, config.benchmark, pack, config.dataset)
    (done,) = import_foreign(config.runs_dir, source, [run])
    tell_run(done)
    assert done.imported is not None
    return done.imported.run_id


def _document(folder: Path, run_id: str) -> ResultDocument:
    with Journal(folder, create=False) as journal:
        run = journal.find_run(run_id)
        document = journal.document(run) if run else None
    if document is None:
        raise JournalError(f"run {run_id} was deleted in the meantime")
    return document


@command(
    "prompts",
    "bench prompts eqbench-v1 -o prompts.jsonl",
    "bench prompts eqbench-v1 --format openai-batch --model gpt-4.1 -o batch.jsonl",
    cls=BenchmarkCommand,
)
@options.benchmark_argument
@options.data_options
@options.sampling_options
@click.option("--format", "form", type=click.Choice([BATCH]),
              help="Lines as a batch service takes them.")  # fmt: skip
@click.option(
    "--model",
    "asked",
    metavar="NAME",
    help="With --format: the model to ask, such as openai/gpt-4.1 or gpt-4.1.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File (default: print).")
@config_option
def prompts_command(
    benchmark: Benchmark,
    *,
    form: str | None,
    asked: str | None,
    output: Path | None,
    **params: Json,
) -> None:
    """Write the exact requests, to be answered elsewhere.

    One JSON object a line; bench score takes the answers. Where a sample has several
    requests, they are numbered.
    """
    needs_single_turn(benchmark, "prompts")
    if bool(form) != bool(asked):
        raise UsageError(f"--format {BATCH} and --model NAME go together")
    asked = asked and _bare(asked)
    model = Endpoint(ModelSpec("requests", "file"))
    config = make_config(benchmark, options.run_settings(params), model)
    check_stored(config)
    get_data(config)
    with no_exit():
        lines = asyncio.run(_request_lines(config))
    if asked:
        lines = [batch_request(asked, one) for one in lines]
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
    if output is None:
        click.echo(text, nl=False)
        return
    write_text(output, text)
    tell_pack(config)
    click.echo(f"{plural(len(lines), 'request')} in {output}", err=True)


def _bare(model: str) -> str:
    """What a server calls a model: its spec without the provider, where it has one of ours."""
    provider, _, name = model.partition("/")
    return name if name and provider in installed().providers.things else model


async def _request_lines(config: RunConfig) -> list[JsonDict]:
    pack, lines = read_pack(config), list[JsonDict]()
    for iteration in range(1, config.iterations + 1):
        for item in choose_items(pack, config):
            several = calls_of(config, item) > 1
            requests = await sample_requests(config, item, iteration)
            for number, call in enumerate(requests if several else requests[:1], start=1):
                key: JsonDict = {"item_id": item.id, "iteration": iteration}
                key |= {"request": number} if several else {}
                messages = [{"role": m.role, "content": m.content} for m in call.request.messages]
                lines.append({**key, "messages": messages, **call.request.sampling.sent()})
    return lines
