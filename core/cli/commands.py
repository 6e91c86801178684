"""What `bench` knows by name without importing it: commands, and the options of `bench run`.

`bench --help` is made from this table alone, so it costs no import; a plugin may
not take any of these names. Tests hold the table to the commands themselves.
"""

from typing import NamedTuple


class Place(NamedTuple):
    """Where a command is, and its line in `bench --help`."""

    module: str
    help: str


COMMANDS = {
    "run": Place("run", "Run a benchmark; the same command again goes on where it stopped."),
    "score": Place("answers", "Score answers made elsewhere, one JSON object a line."),
    "prompts": Place("answers", "Write the exact requests, to be answered elsewhere."),
    "rate": Place("rate", "Rate models from comparisons: of a file, or of the journal."),
    "judge-report": Place(
        "judge_report", "Audit a judge on its comparisons: of a file, or of the journal."
    ),
    "runs": Place("runs", "List all runs."),
    "show": Place("runs", "Show a run's result, or all that was said about one ITEM."),
    "delete": Place("runs", "Delete a run with all its replies."),
    "rescore": Place("rescore", "Score a run's replies again, without a single request."),
    "rejudge": Place("rejudge", "Judge a run's transcripts with another judge."),
    "correlate": Place(
        "correlate", "Correlate benchmarks over models, from a CSV file or from runs."
    ),
    "repeat": Place(
        "repeat", "Say how far reruns of a model differ: iterations of runs, or rows of a CSV file."
    ),
    "leaderboard": Place("leaderboard", "Rank the models of a benchmark that the journal holds."),
    "compare": Place("compare", "Compare two runs of a benchmark, sample by sample."),
    "agreement": Place("agreement", "Say how well two judges agree on the same runs."),
    "export": Place("transfer", "Write runs with all their replies to a file."),
    "import": Place("transfer", "Add the runs of a file that bench export wrote."),
    "list": Place("catalogue", "List benchmarks, providers and all else that plugins add."),
    "info": Place("catalogue", "Say what a benchmark is: its data, options and sampling."),
    "data": Place("data", "List, download and check the official data packs."),
    "config": Place("config", "Print each setting with its value and where that came from."),
    "doctor": Place("doctor", "Look at all that a run needs, and say what to do."),
}

#: Commands of the plugins that come with eibench: listed without importing any of them.
OF_OUR_PLUGINS = {"norm": "Make a norm of people's answers, and a pack that can be run."}

#: Parameters of the commands that a benchmark's own options stand beside.
TAKEN = frozenset(
    {
        "api_key_env",
        "base_url",
        "benchmark",
        "concurrency",
        "config",
        "dataset",
        "debug",
        "demo",
        "dry_run",
        "extra_body",
        "fresh",
        "header",
        "headers",
        "help",
        "items",
        "iterations",
        "json",
        "json_output",
        "judge",
        "judge_api_key_env",
        "judge_base_url",
        "limit",
        "max_cost",
        "max_reply",
        "max_retries",
        "max_tokens",
        "min_p",
        "model",
        "models",
        "name",
        "note",
        "notes",
        "output",
        "price",
        "reasoning_effort",
        "responses",
        "rpm",
        "runs_dir",
        "seed",
        "system",
        "temperature",
        "timeout",
        "top_p",
        "tpm",
        "transport",
        "without",
        "yes",
    }
)
