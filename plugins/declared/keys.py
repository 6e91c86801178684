"""Every key of a declared benchmark: the reader, the JSON schema and the docs are made of this."""

from pathlib import Path

from .kinds import (
    ByKind,
    Either,
    Key,
    ListOf,
    MapOf,
    NumberKind,
    SwitchKind,
    TableOf,
    TextKind,
    Words,
)
from .templates import Values

NAME = TextKind(
    pattern="[a-z][a-z0-9_]*", needed="a name of lower-case letters, digits and underscores"
)
WORD = TextKind(pattern="[A-Za-z][A-Za-z0-9_]*", needed="a name of letters, digits and underscores")
TEXT, WORDS, SWITCH = TextKind(), Words(), SwitchKind()
TEXTS = ListOf(TEXT)
COLUMN = TextKind(needed="the name of a column")
COLUMNS = ListOf(COLUMN, single=True)
PLAIN = Either((TEXT, NumberKind(), SWITCH))
WHEN = MapOf(ListOf(TEXT, single=True))
_SHA = TextKind(pattern="[0-9a-f]{64}", needed="64 hexadecimal digits")
_URL = TextKind(pattern="https?://.+", needed="an address that begins with https://")
_SIZE = NumberKind(1, whole=True)

SAMPLING = TableOf(
    {
        "temperature": Key(NumberKind(0, 2), "how freely replies are drawn", None),
        "top_p": Key(NumberKind(0, 1), "the share of likely tokens that are drawn from", None),
        "min_p": Key(NumberKind(0, 1), "the least probability, relative to the likeliest", None),
        "max_tokens": Key(NumberKind(1, whole=True), "most tokens of a reply", None),
    }
)
_BENCHMARK = TableOf(
    {
        "name": Key(
            TextKind(
                pattern="[A-Za-z0-9][A-Za-z0-9._-]*", needed="letters, digits, dots and dashes"
            ),
            "what people call it",
        ),
        "title": Key(TEXT, "one line on what it measures"),
        "version": Key(TEXT, "raise it when requests change beyond what this file says", "1"),
        "grading": Key(TEXT, "the same of how replies become numbers", "1"),
        "over": Key(TEXT, "what its items are, such as questions", "items"),
        "cite": Key(TEXT, "arXiv:ID, doi:ID, or a .bib file beside this one", None),
        "iterations": Key(NumberKind(1, 99, whole=True), "how often each item is asked", 1),
        "answer_tokens": Key(
            NumberKind(1, whole=True), "in how many tokens an answer fits without thinking", None
        ),
        "languages": Key(TEXTS, "of its items, such as en", None),
        "comparability": Key(TEXT, "which published numbers a result may stand beside", None),
    }
)
_FETCHED = TableOf(
    {
        "path": Key(TEXT, "what the file is called in the cache"),
        "url": Key(_URL, "where it is fetched"),
        "sha256": Key(_SHA, "of its contents"),
        "size": Key(_SIZE, "in bytes"),
    }
)
_DATA = TableOf(
    {
        "file": Key(TEXT, "rows as .jsonl, .json or .csv, beside this file", None),
        "url": Key(_URL, "where that file is fetched, if it is not beside this one", None),
        "sha256": Key(_SHA, "of what is fetched", None),
        "size": Key(_SIZE, "the same in bytes", None),
        "files": Key(MapOf(Either((TEXT, _FETCHED))), "several files by name", None),
        "take": Key(WORDS, "the names of those of `files` to read; options may stand here", None),
        "licence": Key(TEXT, "of the rows, such as MIT"),
        "title": Key(TEXT, "what the rows are", None),
        "id": Key(WORDS, "of a row, such as EA-{qid}; by default its `id`", None),
        "family": Key(WORDS, "what rows share that are not independent of each other", None),
        "weight": Key(COLUMN, "the column with what a row counts in means", None),
        "limit_over": Key(TEXT, "a tag, of each value of which --limit takes as many", None),
        "where": Key(
            MapOf(ListOf(WORDS, single=True)), "only rows with these values, which may be options'",
            {},
        ),
        "tags": Key(MapOf(COLUMNS), "by tag the column, or the first of several that is there", {}),
    }
)  # fmt: skip
_OPTION = TableOf(
    {
        "default": Key(PLAIN, "its value unless the user says otherwise; decides the type"),
        "help": Key(TEXT, "one sentence"),
        "choices": Key(TEXTS, "the allowed values", None),
        "min": Key(NumberKind(), "the smallest of a number", None),
        "max": Key(NumberKind(), "the largest", None),
    }
)
_BY_VALUE = TableOf(
    {
        "by": Key(TEXT, "the option or column that chooses among the texts"),
        "text": Key(MapOf(WORDS), "the text for each of its values"),
    }
)
_ASK = TableOf(
    {
        "when": Key(WHEN, "options or columns, and the values for which this is asked", {}),
        "system": Key(WORDS, "the system message", None),
        "user": Key(WORDS, "what the model is asked"),
    }
)
_ASK_TALK = TableOf({**_ASK.keys, "user": Key(WORDS, "unused where there is a [talk]", None)})
_JUDGE_SAMPLING = Key(SAMPLING, "how its replies are drawn", None)
_PANEL = TableOf(
    {
        "rule": Key(TEXT, "what their verdicts become, such as mean", ""),
        "judges": Key(
            Either((NumberKind(2, whole=True), ListOf(TEXT, 2))), "how many, or who they are"
        ),
        "quorum": Key(NumberKind(1, whole=True), "how many of them a score needs", 0),
    }
)
_JUDGE = TableOf(
    {
        "system": Key(WORDS, "what all its prompts share, with {criteria} and {form}", None),
        "user": Key(WORDS, "the rest, with {reply} in a line between [REPLY] and [/REPLY]"),
        "sampling": _JUDGE_SAMPLING,
        "panel": Key(_PANEL, "of judges, on which published numbers rest", None),
    }
)
_COMPARE = TableOf(
    {
        "system": Key(WORDS, "what all its prompts share, with {criteria} and {form}", None),
        "user": Key(WORDS, "the rest, with {one}, {other}, {first} and {second}"),
        "criteria": Key(
            Either((MapOf(TEXT, NAME), ListOf(NAME))), "by default those of the rubric", None
        ),
        "characters": Key(NumberKind(1, whole=True), "what longer replies are cut to", None),
        "anchors": Key(
            ListOf(MapOf(NumberKind())), "two models with their ratings, which fix the scale", None
        ),
    }
)
_STATE = TableOf(
    {
        "from": Key(NumberKind(), "the smallest number"),
        "to": Key(NumberKind(), "the largest"),
    }
)
_EVENTS = TableOf(
    {
        "chance": Key(NumberKind(0, 1), "of an event in a turn"),
        "add_to_persona": Key(ListOf(WORDS), "what is added to the persona; one is drawn"),
    }
)
_TALK = TableOf(
    {
        "role": Key(NAME, "what --role calls who is played", "user"),
        "help": Key(TEXT, "what that role plays", "Plays the person who talks with the model."),
        "persona": Key(WORDS, "the role's system message, with {form}"),
        "opens": Key(WORDS, "what the role says first"),
        "turns": Key(NumberKind(1, 100, whole=True), "most turns of the model, an option"),
        "says": Key(NAME, "the key of the role's JSON that the model is shown", "says"),
        "state": Key(
            MapOf(Either((_STATE, TextKind(("bool", "text")))), NAME),
            "the other keys, hidden from the model and checked each turn", {},
        ),
        "stop_when": Key(NAME, "a bool of the state that ends the talk", None),
        "tries": Key(NumberKind(1, 10, whole=True), "how often a broken turn is drawn", 3),
        "events": Key(_EVENTS, "what may happen in a turn", None),
        "sampling": Key(SAMPLING, "how the role's replies are drawn", None),
        "played_by": Key(TEXT, "the model on which published numbers rest", None),
    }
)  # fmt: skip
_PART = TableOf(
    {
        "name": Key(NAME, "the key of the model's answer"),
        "choices": Key(COLUMNS, "the column with a list of texts, or a column for each choice"),
        "right": Key(COLUMN, "the column that says which is right"),
        "as": Key(TextKind(("text", "letter", "index")), "how; an index counts from 0", "text"),
        "when": Key(WHEN, "options or columns, and the values for which it is asked", {}),
    }
)  # fmt: skip
_STATES = ListOf(
    TableOf(
        {
            "name": Key(NAME, "of the value"),
            "state": Key(NAME, "a key of [talk.state]"),
            "take": Key(TextKind(("last", "first", "mean", "max", "min")), "of all turns", "last"),
            "at_least": Key(NumberKind(), "a share of talks that reach this", None),
            "label": Key(TEXT, "what tables call it", None),
        }
    )
)
_OF_STATES = Key(_STATES, "values of a talk's state, which nobody judges", [])
_CHOICE = TableOf(
    {
        "kind": Key(TextKind(("choice",)), "choose among choices"),
        "shuffles": Key(
            NumberKind(0, 99, whole=True),
            "in how many random orders to ask, as an option; 0: in the rows' own",
            1,
        ),
        "vote": Key(
            TextKind(("majority", "each", "all")), "what several replies become", "majority"
        ),
        "parts": Key(ListOf(_PART), "what is chosen; right is who has all of them right"),
    }
)
_QUESTION = TableOf(
    {
        "name": Key(WORD, "the key of the judge's answer"),
        "ask": Key(WORDS, "the question"),
        "weight": Key(NumberKind(0), "what it weighs where `value` is weighted", 1),
        "needs": Key(WORD, "a question that must be a yes for this one to be", None),
        "by": Key(TEXTS, "tags that its share is shown by", []),
    }
)
_OF_ITEM = TableOf(
    {
        "column": Key(COLUMN, "the column with a list of questions, texts or objects"),
        "ask": Key(TEXT, "of such an object, the question", "ask"),
        "weight": Key(TEXT, "of such an object, what it weighs", None),
        "group": Key(TEXT, "of such an object, the group that it belongs to", None),
        "groups": Key(ListOf(NAME), "the groups that have a share of their own", []),
    }
)
_YES_NO = TableOf(
    {
        "kind": Key(TextKind(("yes-no",)), "questions that a judge answers"),
        "questions": Key(
            Either((ListOf(_QUESTION), _OF_ITEM)), "for all items, or a column of each item's own"
        ),
        "value": Key(TextKind(("share", "weighted", "all")), "what the answers become", "share"),
        "reason": Key(TEXT, "what the form says in the place of the judge's reason", None),
        "states": _OF_STATES,
    }
)
_RUBRIC = TableOf(
    {
        "kind": Key(TextKind(("rubric",)), "criteria that a judge grades"),
        "criteria": Key(
            Either((MapOf(TEXT), ListOf(TEXT))), "names, or names with what each means"
        ),
        "scale": Key(NumberKind(1, whole=True), "the highest number, where the lowest is 0", None),
        "steps": Key(ListOf(NumberKind(), 2), "the only numbers, in place of a scale", []),
        "weights": Key(MapOf(NumberKind(0)), "what criteria weigh that do not weigh 1", {}),
        "form": Key(TextKind(("json", "lines")), "how the judge answers", "json"),
        "lower_is_better": Key(TEXTS, "criteria of which less is better", []),
        "neutral": Key(TEXTS, "criteria that are reported and not counted", []),
        "optional": Key(TEXTS, "criteria that a judge may leave out", []),
        "reasoning": Key(TEXT, "what the form says in the place of the judge's reasoning", None),
        "states": _OF_STATES,
    }
)
_REPORT = TableOf(
    {
        "label": Key(TEXT, "what tables call the main number", None),
        "by": Key(TEXTS, "tags that it is shown by", []),
        "macro": Key(TEXT, "a tag: the mean of the means of each of its values", ""),
    }
)
_PUBLISHED = TableOf(
    {
        "title": Key(TEXT, "where the numbers are from"),
        "columns": Key(ListOf(TEXT, 2), "headings, the model's first"),
        "rows": Key(ListOf(ListOf(PLAIN, 2)), "a list for each model"),
        "note": Key(TEXT, "what to bear in mind", ""),
    }
)
_DEMO = TableOf(
    {
        "good": Key(TEXT, "sentences of an able model"),
        "bad": Key(TEXT, "sentences of another"),
    }
)
DECLARATION = TableOf(
    {
        "schema": Key(NumberKind(1, 1, whole=True), "the form of this file: 1"),
        "benchmark": Key(_BENCHMARK, "what it is"),
        "data": Key(_DATA, "its rows"),
        "options": Key(MapOf(_OPTION, NAME), "options of its own, for --NAME", {}),
        "sampling": Key(SAMPLING, "how the model's replies are drawn", None),
        "texts": Key(
            MapOf(_BY_VALUE, NAME), "texts that depend on an option or column, for {NAME}", {}
        ),
        "ask": Key(
            Either((_ASK_TALK, ListOf(_ASK_TALK))), "what the model is asked; the first that fits"
        ),
        "talk": Key(_TALK, "a talk with somebody who is played", None),
        "score": Key(
            ByKind({"choice": _CHOICE, "yes-no": _YES_NO, "rubric": _RUBRIC}), "how it is graded"
        ),
        "judge": Key(_JUDGE, "who grades a yes-no or a rubric", None),
        "compare": Key(_COMPARE, "replies of two models beside each other, for ratings", None),
        "report": Key(_REPORT, "what results show", {"label": None, "by": [], "macro": ""}),
        "published": Key(_PUBLISHED, "scores that others published", None),
        "demo": Key(_DEMO, "words for demo models", None),
    }
)
"""A whole file."""


SCHEMA = Path(__file__).with_name("declared.schema.json")
"""The file with `json_schema`, made by ``python docs/declared.py``."""


def json_schema() -> Values:
    """The schema for editors."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": "A benchmark declared for eibench", **DECLARATION.schema()}
