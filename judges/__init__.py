"""From transcripts to verdicts: prompts, asking, and reading what a judge replies.

A judge is a model, a template, a strict reader and a policy for asking again.
What kinds of judges share is in `prompts`, `replies` and `asking`; each kind
(`rubric`, `yes_no`, `pairwise`) adds what it asks for and how that is read. `Rubric` and
`Checklist` do all of it: from a reply to a score.
"""

from .asking import Outcome, Reading, ask
from .checklist import Checklist
from .choices import lettered, read_choices
from .demo import demo_verdict, leant, leant_lead, less_able
from .gates import AGAIN, FactGate, GatedFact, UnlockedFact, reachable, stands_in, word_runs
from .pairwise import (
    MOST_PLUSES,
    Codes,
    Margins,
    ask_for_margins,
    count_tokens,
    criteria_of,
    draw_codes,
    read_margins,
    truncate,
)
from .prompts import (
    Template,
    display,
    fill,
    neutralise,
    places_in,
    read_criteria,
    with_places,
)
from .quoting import Quotable
from .replies import ObjectReading, read_object, read_otherwise
from .rubric import Rubric, Verdict, ask_for_verdict, output_format, read_verdict, rubric_score
from .votes import VOTES, chance, shuffled, vote
from .yes_no import Answers, Questions, answer_form, ask_yes_no, read_answers

__all__ = [
    "AGAIN",
    "MOST_PLUSES",
    "VOTES",
    "Answers",
    "Checklist",
    "Codes",
    "FactGate",
    "GatedFact",
    "Margins",
    "ObjectReading",
    "Outcome",
    "Questions",
    "Quotable",
    "Reading",
    "Rubric",
    "Template",
    "UnlockedFact",
    "Verdict",
    "answer_form",
    "ask",
    "ask_for_margins",
    "ask_for_verdict",
    "ask_yes_no",
    "chance",
    "count_tokens",
    "criteria_of",
    "demo_verdict",
    "display",
    "draw_codes",
    "fill",
    "leant",
    "leant_lead",
    "less_able",
    "lettered",
    "neutralise",
    "output_format",
    "places_in",
    "reachable",
    "read_answers",
    "read_choices",
    "read_criteria",
    "read_margins",
    "read_object",
    "read_otherwise",
    "read_verdict",
    "rubric_score",
    "shuffled",
    "stands_in",
    "truncate",
    "vote",
    "with_places",
    "word_runs",
]
