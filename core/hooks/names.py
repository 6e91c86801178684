"""What `bench` knows by name without importing it: commands, and the options of `bench run`.

`bench --help` is made from this table alone, so it costs no import; a plugin may
not take any of these names. Tests hold the table to the commands themselves.
"""

from typing import NamedTuple


class CommandEntry(NamedTuple):
    """Where a command is, and its line in `bench --help`."""

    module: str
    help: str


COMMANDS = {
    "run": CommandEntry("run", "Run a benchmark, or several; the same command again resumes it."),
    "sweep": CommandEntry("sweep", "Run benchmarks on many models, each served while it is asked."),
    "score": CommandEntry("answers", "Score answers made elsewhere, one JSON object a line."),
    "prompts": CommandEntry("answers", "Write the exact requests, to be answered elsewhere."),
    "rate": CommandEntry(
        "rate", "Rate models from comparisons: of a file, of the journal, or of a published ladder."
    ),
    "runs": CommandEntry("runs", "List all runs, or those that the options choose."),
    "show": CommandEntry("show", "Show a run's result, or all that was said about one ITEM."),
    "delete": CommandEntry("runs", "Delete a run with all its replies."),
    "rescore": CommandEntry("rejudge", "Score a run's replies again, without a single request."),
    "rejudge": CommandEntry("rejudge", "Judge a run's transcripts with another judge."),
    "leaderboard": CommandEntry(
        "leaderboard", "Rank the models of a benchmark that the journal holds."
    ),
    "report": CommandEntry("report", "Write a run, or several side by side, as one HTML page."),
    "view": CommandEntry(
        "view", "Look at all boards and models in the browser, with all transcripts, until Ctrl-C."
    ),
    "site": CommandEntry(
        "view", "Write all boards, with a page for each model, as a folder of HTML pages."
    ),
    "compare": CommandEntry("compare", "Compare two runs of a benchmark, sample by sample."),
    "export": CommandEntry("transfer", "Write runs with all their replies to a file."),
    "import": CommandEntry(
        "transfer", "Add the runs of a file that bench export or bench bundle wrote."
    ),
    "bundle": CommandEntry("bundles", "Write runs to a file that others can check, to submit it."),
    "verify": CommandEntry("bundles", "Compute a bundle's numbers again, and name what differs."),
    "list": CommandEntry("catalogue", "List benchmarks, providers and all else that plugins add."),
    "info": CommandEntry("catalogue", "Say what a benchmark is: its data, options and sampling."),
    "cite": CommandEntry("cite", "Print BibTeX of what to cite for runs or benchmarks."),
    "data": CommandEntry("data", "List, download and check the official data packs."),
    "config": CommandEntry(
        "config", "Print each setting that is set, with its value and where that came from."
    ),
    "doctor": CommandEntry("doctor", "Look at all that a run needs, and say what to do."),
}

ELSEWHERE = {"agreement": "judges", "people": "calibrate"}
"""What somebody may look for, and the command that has it."""

GROUPS = {
    "Run": ("run", "sweep", "score", "prompts"),
    "Look": ("runs", "show", "leaderboard", "compare", "report", "view", "site"),
    "Judges": ("exam", "rejudge", "rescore", "judges", "judge-report"),
    "People": ("label", "calibrate", "norm"),
    "Study": ("rate", "power", "items", "twins", "correlate", "repeat", "reproduce", "style"),
    "Move": ("export", "import", "bundle", "verify", "delete"),
    "Set up": ("list", "info", "cite", "data", "statements", "config", "plugin", "doctor"),
}
"""What the commands are for; those of no group stand below as others."""

EXAMPLES = (
    ("bench run eqbench-v1", "offline, free, a demo model"),
    ("bench run eqbench-v1 --model openai/NAME --base-url URL", "a server of your own"),
    ("bench show RUN --items", "what came of each item"),
    ("bench leaderboard eqbench-v1", "the models so far, ranked"),
)

#: Commands of the plugins that come with eibench: listed without importing any of them.
OF_OUR_PLUGINS = {
    "exam": "Examine a judge before you pay it: 280 calls, a verdict in words.",
    "judge-report": "Audit a judge on its comparisons: of a file, or of the journal.",
    "judges": "Say how far a ranking hangs on who judges, and how well two judges agree.",
    "label": "Have people rate transcripts, blinded, or take a test; read their answers.",
    "calibrate": "Say how far judges go with people, and correct their scores by what people say.",
    "correlate": "Correlate benchmarks over models, from a CSV file or from runs.",
    "items": "Say which items are hard and which tell models apart, and choose a smaller pack.",
    "power": "Say what it takes to tell two models apart, before anything is asked.",
    "twins": "Show models' scores on published questions and on the same in other words.",
    "reproduce": "Compute published numbers again, by the code that scores and imports.",
    "repeat": "Say how far reruns of a model differ: iterations of runs, or rows of a CSV file.",
    "style": "Count how texts are written, without a judge: slop, repetition, vocabulary.",
    "norm": "Make a norm of people's answers, and a pack that can be run.",
    "plugin": "Begin a plugin, and check it before others use it.",
    "statements": "Have a model write more statements for emotionqueen.",
}

_TAKEN = """
batch no_wait against anchor anchors
answered_by api_key_env asked base_url benchmark benchmarks checkpoint completions concurrency
config csv csv_output dataset debug demo details dry_run engine exclude_kin fail_if_worse
fail_under form format fresh headers health help items iterations json json_output judge
judge_api_key_env judge_base_url judge_set judges keep_going limit max_cost max_reply max_retries
model models name note notes output overlap panel price published quorum ready responses
role role_api_key_env role_base_url role_set roles rpm runs_dir save serve source suite system
systems template timeout tpm without yes
"""
#: Parameters of the commands that a benchmark's own options stand beside; `Sampling` has more.
TAKEN = frozenset(_TAKEN.split())

_EXPORT_TAKEN = """
benchmark comparisons config dataset debug demo form format help judge model models
output runs runs_dir
"""
EXPORT_TAKEN = frozenset(_EXPORT_TAKEN.split())
"""Parameters of `bench export`, which an exporter's options stand beside."""
