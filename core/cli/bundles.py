"""`bench bundle` and `bench verify`: runs as a file that others can check, and checking it."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from shlex import quote

import click

from .. import console
from ..exchange.asking import Inquiry, reask, rejudge
from ..exchange.bundles import make_bundle, read_bundle
from ..exchange.verification import AskedAgain, Verification
from ..exchange.verifying import recall_bundle
from ..guard import no_exit
from ..hooks.sections import Paragraph, Part, Table
from ..journal.archives import write_lines
from ..parties.party import Party
from ..parties.providers import PartyOptions
from ..run.on_server import run_on
from ..run.task import Task
from ..settings.run_config import Endpoint
from ..settings.run_settings import RunSettings
from ..settings.targets import find_target
from ..text import as_text, number, plural
from ..types import Json
from ..types.result_document import ResultDocument
from . import options, plans, session
from .command import command
from .options import run_ids
from .run import planned
from .selectors import find_all, open_runs
from .session import tell
from .settings import config_option


@command(
    "bundle",
    "bench bundle 7a3c -o model.eib --weights https://huggingface.co/OWNER/NAME",
    "bench bundle 7a3c d239 -o model.eib --prompt-format ChatML",
)
@click.argument("runs", metavar="RUN|BENCHMARK...", nargs=-1, required=True,
                shell_complete=run_ids)  # fmt: skip
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Where to write, such as NAME.eib; gzip if it ends in .gz.")  # fmt: skip
@click.option("--weights", metavar="URL", help="Where the weights of the model are.")
@click.option("--prompt-format", metavar="TEXT",
              help="What the server makes of messages, such as ChatML.")  # fmt: skip
@click.option("--keep", multiple=True, metavar="TEXT",
              help="Publish this endpoint, note or text, though it looks private.")  # fmt: skip
@options.demo_option
@options.place_options
@options.json_option
def bundle_command(
    runs: tuple[str, ...],
    output: Path,
    weights: str | None,
    prompt_format: str | None,
    keep: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Write runs to a file that others can check, to submit it.

    It holds replies and grades; what was asked as digests, which are made again from the pack; and
    no address, folder, note or key. bench verify computes its numbers again, and bench import
    takes it.
    """
    with open_runs(runs_dir, *runs) as stored, no_exit():
        chosen = find_all(stored, runs, every=True)
        bundle = make_bundle(
            stored.journal, chosen.records, weights=weights, prompt_format=prompt_format, keep=keep
        )
        write_lines(output, bundle.lines)
    if json_output:
        click.echo(as_text({"file": str(output), **bundle.manifest}))
        return
    for kind, n in bundle.left_out.items():
        if n:
            tell(f"left out: {plural(n, kind)}, on which no number of the result itself rests")
    for run in bundle.manifest["runs"]:
        claim, leaves = run["claim"], sum(map(len, run["leaves"].values())) - 1
        value = f"{claim['metric'] or 'no metric'} {number(claim['value'])}"
        items = len(run["leaves"]) - 1
        part = f"; only {items} of {claim['items_in_pack']} items, which bench verify names"
        part *= items < claim["items_in_pack"]
        tell(f"run {run['run_id']} ({run['benchmark']}, {run['name']}): {value}, "
             f"{plural(leaves, 'sample')}{part}")  # fmt: skip
    check = f"bench verify {quote(str(output))} checks it"
    tell(f"{plural(len(bundle.manifest['runs']), 'run')} in {output}; {check}")


class ShareOfAll(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A share as a number to 1, or in percent."""

    name = "share"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The share, above 0 and at most 1."""
        text = str(value)
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = 0.0
        if not 0 < share <= 1:
            self.fail(f"{text!r} is no share; write such as 5%", param, ctx)
        return share


@command(
    "verify",
    "bench verify model.eib",
    "bench verify model.eib --rejudge 5% --reask 10% --base-url http://127.0.0.1:8000/v1",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dataset", metavar="PATH", help="The data of its runs, if it is no known pack.")
@click.option("--rejudge", "judge_share", type=ShareOfAll(), metavar="SHARE",
              help="Ask the judge again for so many verdicts, such as 5%.")  # fmt: skip
@click.option("--reask", "model_share", type=ShareOfAll(), metavar="SHARE",
              help="Ask the model again for so many items, such as 10%.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N",
              help="Draws them again as before; without, nobody knew the draw.")  # fmt: skip
@options.setting("base_url")
@options.setting("api_key_env")
@options.setting("judge_base_url")
@options.setting("judge_api_key_env")
@options.limit_options
@options.money_options
@config_option
@options.json_option
def verify_command(
    file: Path,
    *,
    dataset: str | None,
    judge_share: float | None,
    model_share: float | None,
    seed: int | None,
    yes: bool,
    json_output: bool,
    **params: Json,
) -> int:
    """Compute a bundle's numbers again, and name what differs.

    Nothing is sent and nothing stored, unless its judge or its model is to be asked again. Exit
    code 1 where something does not follow.
    """
    seed = secrets.randbits(32) if seed is None else seed
    settings = options.run_settings(params)
    asking = AskingAgain(settings, sure=yes or settings.by_user("max_cost"))
    asked: list[AskedAgain] = []
    with no_exit():
        read = recall_bundle(read_bundle(file), dataset)
        if judge_share:
            asked += rejudge(read, asking.inquiry(judge_share, seed, dataset))
            judged = {again.run_id for again in asked}
            for run_id in sorted(read.runs.keys() - judged):
                tell(f"run {run_id} holds no verdict of a judge: --rejudge asks nothing of it")
        if model_share:
            asked += reask(read, asking.inquiry(model_share, seed, dataset))
    faults = [*read.verification.faults, *(one for again in asked for one in again.faults)]
    done = read.verification._replace(asked=tuple(asked), faults=tuple(faults))
    if json_output:
        click.echo(as_text(done.as_json()))
    else:
        _print(done)
    return int(not done.holds)


class AskingAgain:
    """Connects and asks for a verification; each plan is said, and approved, once."""

    def __init__(self, settings: RunSettings, *, sure: bool) -> None:
        self._settings, self._sure = settings, sure
        self._shared = session.begin(settings)
        self._shown: set[tuple[type[Task], str]] = set()

    def inquiry(self, share: float, seed: int, dataset: str | None) -> Inquiry:
        """One that it sends."""
        return Inquiry(share, seed, dataset, self.connect, self.ask)

    def connect(self, party: Party, of: PartyOptions) -> Endpoint:
        """The endpoint that the options and the settings file give a party."""
        return session.allow(find_target(self._settings, party.spec, of))

    def ask(self, tasks: Sequence[Task]) -> list[ResultDocument]:
        """What came of tasks that are alike; the first of a kind is shown while it is under way."""
        task = tasks[0]
        kind = (type(task), str(task.config.judge))
        if kind in self._shown:
            return asyncio.run(self._all(tasks))
        self._shown.add(kind)
        run = planned(task, self._shared.for_next_run(), dry=False)
        console.output.tell_wrapped(plans.describe_plan(run))
        more = ", and as much again while a verdict lies outside of the new ones"
        plans.ask_to_spend([run], sure=self._sure, more=more * (not task.asks("generate")))
        return [asyncio.run(session.work(task, run.session)).document]

    async def _all(self, tasks: Sequence[Task]) -> list[ResultDocument]:
        works = (run_on(None, task, self._shared.for_next_run()) for task in tasks)
        return [result.document for result in await asyncio.gather(*works)]


def _print(done: Verification) -> None:
    console.public.show(*_parts(done))
    facts = f"{_work_done(done)}; {done.root or 'no root'}, eibench {done.eibench}, {done.at}"
    console.output.show_line(console.short.bold(f"{_verdict(done)} ({facts})"))


def _verdict(done: Verification) -> str:
    if done.holds:
        return "verified: every number follows from the replies"
    if done.is_partial:
        return "not verified as a whole run: partial, and what is there follows from the replies"
    return f"not verified: {plural(len(done.faults), 'fault')}"


def _work_done(done: Verification) -> str:
    """What was looked at and who was asked."""
    asked = dict.fromkeys(f"the {one.whom}" for one in done.asked)
    recomputed = "recomputed" if any(run.computed for run in done.runs) else "not recomputed"
    return f"{recomputed}, and {' and '.join(asked)} asked again" if asked else recomputed


_MOST = 50
"""Faults that are printed; --json has all."""


def _parts(done: Verification) -> Iterator[Part]:
    yield Paragraph("\n\n".join(done.limits), "What this cannot exclude")
    runs = [
        (r.run_id, r.benchmark, r.name, r.judge, r.metric, r.claimed.value,
         r.computed and r.computed.value, r.samples, r.absent, r.unproven)
        for r in done.runs
    ]  # fmt: skip
    columns = ("run", "benchmark", "model", "judge", "metric", "claimed", "computed", "samples",
               "absent", "unproven")  # fmt: skip
    yield Table(f"weights {done.weights or 'not said'}", columns, runs,
                note="unproven: samples that failed or were refused")  # fmt: skip
    if done.asked:
        yield Table("Asked again", ("run", "whom", "drawn", "of", "asked", "says"),
                    [(one.run_id, one.whom, one.drawn, one.total, one.replies, _concluded(one))
                     for one in done.asked],
                    note=f"the draw's seed: --seed {done.asked[0].seed} repeats it")  # fmt: skip
    if done.faults:
        rows = [(one.kind, one.where, one.message) for one in done.faults[:_MOST]]
        left = len(done.faults) - len(rows)
        yield Table("What does not follow", ("kind", "where", "what"), rows,
                    note=f"and {left} more: --json" if left else "")  # fmt: skip


def _concluded(one: AskedAgain) -> str:
    """What can be concluded of asking again."""
    if one.whom == "judge":
        by_count = {ceil(float(s) * one.total): f"{p:.0%}" for s, p in one.chances.items()}
        counts, verb = " / ".join(map(str, by_count)), "is" if [*by_count] == [1] else "are"
        chances = f"{' / '.join(by_count.values())} if {counts} of {one.total} {verb}"
        undecided = f"; {one.undecided} undecided, as the judge could not be read"
        undecided *= one.undecided > 0
        return f"the chance that an invented verdict was among these: {chances}{undecided}"
    if one.p is None:
        larger = "ask for a larger share" if one.drawn < one.total else "the run has no more"
        return f"too few to show any difference: {larger}"
    shows = "; the differences do not vary, so no test can tell how small a one it would find"
    if one.shows is not None:
        shows = f"; a difference of {number(one.shows)} is told in at least 80 %"
    return f"{number(one.difference)} above the new replies, p {one.p:.3f}{shows}"
