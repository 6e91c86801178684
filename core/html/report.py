"""`bench report`: one self-contained page of one run, or of several side by side."""

from collections.abc import Mapping, Sequence

from ..reports.comparability import judge_label
from ..reports.comparing import RunComparison
from ..reports.statements import pair_statement
from . import one_run, several_runs
from .charts.rows import SHAPES, legend_mark
from .environment import render
from .inputs import RunInput
from .profiles import profiles
from .words import verdict


def render_report(
    runs: Sequence[RunInput],
    comparisons: Sequence[RunComparison] = (),
    warnings: Sequence[str] = (),
) -> str:
    """The page.

    Args:
        runs: One, or several of one benchmark and pack.
        comparisons: Of several, the first with each other.
        warnings: What to know beside what the results say.
    """
    if len(runs) == 1:
        return render("one_run.html", **_shell(runs, warnings), **_one(runs[0]))
    return render("several_runs.html", **_shell(runs, warnings), **_several(runs, comparisons))


def _shell(runs: Sequence[RunInput], more: Sequence[str]) -> Mapping[str, object]:
    """What stands around every report."""
    documents = [given.document for given in runs]
    first = documents[0]
    judges = dict.fromkeys(filter(None, map(judge_label, documents)))
    found = (w for document in documents for w in document["warnings"])
    return {
        "title": _names([document["name"] for document in documents]),
        "benchmark": first["benchmark"],
        "demo": any(document["demo"] for document in documents),
        "chips": [
            f"{first['dataset']['name']} pack",
            *(f"judge {judge}" for judge in judges),
            *dict.fromkeys(given.run.created_at[:10] for given in runs),
        ],
        "warnings": list(dict.fromkeys([*found, *more])),
    }


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _one(given: RunInput) -> Mapping[str, object]:
    document = given.document
    texts = one_run.transcripts_of(given)
    return {
        "verdict": verdict(document),
        "tally": one_run.tally(document),
        "standing": one_run.standing(given),
        "profiles": profiles([document]),
        "tables": one_run.plugin_tables(given),
        "items_plot": one_run.items_plot(given),
        "named": one_run.named_items(given),
        "lines": one_run.sample_lines(given, texts),
        "anchors": {key[0]: text.anchor for key, text in texts.items()},
        "value_name": (given.items.value or "score").replace("_", " "),
        "texts": list(texts.values()),
        "run_id": given.run.run_id,
        "conclusions": one_run.conclusions(document),
        "judged": document["judge"],
        "cost": one_run.cost(document),
        "facts": one_run.how_it_was_run(given),
        "command": given.command,
    }


def _several(runs: Sequence[RunInput], found: Sequence[RunComparison]) -> Mapping[str, object]:
    documents = [given.document for given in runs]
    return {
        "verdicts": [f"{pair_statement(c).text}." for c in found],
        "side_by_side": several_runs.side_by_side(runs),
        "paired": several_runs.paired(found),
        "deltas": [several_runs.deltas(c, n) for n, c in enumerate(found, 1)],
        "method": found[0].method if found else None,
        "profiles": profiles(documents),
        "keys": [(legend_mark(SHAPES[n % 4], n), d["name"]) for n, d in enumerate(documents)],
        "runs": [(g.document["name"], one_run.how_it_was_run(g), g.command) for g in runs],
    }
