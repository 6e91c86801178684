"""`bench rejudge`: another judge's verdicts on a run's transcripts."""

from collections.abc import Mapping
from typing import Any

import click

from ..arguments import judge_spec
from ..endpoints.providers import ModelSpec
from ..journal import Journal
from ..plugins import installed
from ..run.parties import Pricing
from ..settings.run_config import RunConfig
from ..spending.book import parse_price
from ..stored.rejudge import rejudge_config
from ..work import make_money
from . import options
from .command import Command
from .completion import run_ids
from .run import planned, start
from .runs import find
from .settings import config_option, current
from .stored import as_given
from .targets import allow, find_target, limits_of
from .values import pairs


@click.command("rejudge", cls=Command)
@click.argument("run", shell_complete=run_ids)
@options.option("--judge", metavar="SPEC", required=True, help="The judge, such as openai/gpt-4.1.")
@options.option("--judge-base-url", metavar="URL|NAME", help="Its address, or an endpoint's name.")
@options.option("--judge-api-key-env", metavar="VAR", help="The variable that holds its key.")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
              help="Another value of a grading option.")  # fmt: skip
@click.option("--dataset", metavar="PATH", help="Where the run's data is now, if it was moved.")
@options.limit_options
@options.transfer_options
@options.money_options
@options.runs_dir_option
@options.option("--dry-run", is_flag=True, help="Print the plan and stop.")
@options.json_option
@config_option
def rejudge_command(**params: Any) -> int:
    """Judge a run's transcripts with another judge.

    Nothing is generated again. --price is the judge's.
    """
    spec = judge_spec(params["judge"])
    config, money = _config(params, spec), _money(params, spec)
    return start([planned(config, money, set(), dry=params["dry_run"])], params)


def _config(params: Mapping[str, Any], spec: ModelSpec) -> RunConfig:
    judge = find_target(spec, judge=True)
    limits = limits_of(params, judge.settings)
    with Journal(params["runs_dir"], create=False) as journal:
        run = find(journal, params["run"])
        return rejudge_config(
            journal,
            run,
            installed(),
            allow(judge),
            changes=pairs(params["changes"], "--set"),
            dataset=as_given("dataset", params["dataset"]),
            limits=limits,
            transfer=options.transfer_of(params),
        )


def _money(params: Mapping[str, Any], judge: ModelSpec) -> Pricing:
    """Prices and limits; ``--price`` is the judge's, as no other model is asked."""
    prices = dict(current().prices)
    if params["price"]:
        prices[str(judge)] = parse_price(params["price"])
    return make_money(prices, limit=params["max_cost"])
