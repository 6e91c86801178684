"""`bench judge-report`: what comparisons say of the judge that made them."""

from typing import Any

import click

import eibench

from .judge_report_tables import show_judge_report

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench judge-report comparisons.jsonl\n"
    "  bench judge-report eqbench3 --judge anthropic/NAME\n"
)


@click.command("judge-report", cls=eibench.AuditCommand, epilog=_EXAMPLES)
@click.argument("source", metavar="[BENCHMARK|FILE]", required=False,
                shell_complete=eibench.completion("benchmarks"))  # fmt: skip
@eibench.audit_options
@eibench.shared_options("details")
@eibench.json_option
def judge_report_command(source: str | None, json_output: bool, **params: Any) -> None:
    """Audit a judge on its comparisons: of a file, or of the journal.

    Order flips, position and length bias, unread replies, criteria, scenarios, cycles, and how
    ranks hang on one family or one opponent. docs/judge-report.md says how to read it.
    """
    judge = eibench.chosen_audit(source, **params)
    if json_output:
        robustness = {"robustness": judge.robustness} if judge.robustness else {}
        eibench.show_json({**judge.audit._asdict(), **robustness})
    else:
        show_judge_report(judge, details=bool(eibench.given("details")))
