"""What is asked of each server, and in what words its behaviour is told.

Each row of the table in `docs/servers.md` is a function here that asks a running server and gives
back what it does, in words that are the same at each run; its docstring is the row's heading.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

from tests.servers.asking import Answer, ask, say, say_at_once
from tests.servers.started import CONTEXT, Model, Pair

OFTEN = 4
"""How often a drawn reply is asked for; a reply of the tiny model has 3 ** 40 forms."""
_SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "integer"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
_FORM = {
    "type": "json_schema",
    "json_schema": {"name": "verdict", "strict": True, "schema": _SCHEMA},
}


class Fact(NamedTuple):
    """What a server does, in a few words; and its own words, of a refusal."""

    says: str
    words: str = ""


class Row(NamedTuple):
    """A row of the table."""

    key: str
    heading: str
    ask: Callable[[Pair], Fact]
    eibench: str
    """What eibench does then."""


ROWS: list[Row] = []


def row(eibench: str) -> Callable[[Callable[[Pair], Fact]], Callable[[Pair], Fact]]:
    """Make a function a row of the table."""

    def add(asks: Callable[[Pair], Fact]) -> Callable[[Pair], Fact]:
        heading = (asks.__doc__ or "").strip().removesuffix(".")
        ROWS.append(Row(asks.__name__, heading, asks, eibench))
        return asks

    return add


def measure(pair: Pair) -> dict[str, Fact]:
    """All that is known of a running server, row by row."""
    return {row.key: row.ask(pair) for row in ROWS}


def _no(answer: Answer) -> Fact:
    verb = "refuses" if answer.status < 500 else "fails"
    return Fact(f"{verb} ({answer.status})", answer.words)


def _if_taken(answer: Answer, says: Callable[[Answer], str]) -> Fact:
    return Fact(says(answer)) if answer.took else _no(answer)


# --- Fields -------------------------------------------------------------------------------------


@row("asks so where the benchmark does")
def temperature_0(pair: Pair) -> Fact:
    """`temperature` 0, asked twice."""
    answers = [say(pair.plain, "hi") for _ in range(2)]
    if not answers[0].took:
        return _no(answers[0])
    same = answers[0].text == answers[1].text
    return Fact("one text" if same else "two texts")


def _draw(model: Model, **fields: object) -> list[Answer]:
    return [say(model, "hi", temperature=1, **fields) for _ in range(OFTEN)]


@row("says so where long replies to one prompt are the same text")
def temperature_1(pair: Pair) -> Fact:
    """`temperature` 1, asked four times."""
    answers = _draw(pair.plain)
    if not answers[0].took:
        return _no(answers[0])
    return Fact("draws" if _texts(answers) > 1 else "**one text: does not draw**")


def _texts(answers: list[Answer]) -> int:
    return len({answer.text for answer in answers})


@row("sends it if `--seed` is given")
def seed(pair: Pair) -> Fact:
    """`seed`, at temperature 1."""
    answers = [say(pair.plain, "hi", temperature=1, seed=seed) for seed in (7, 7, 8, 9)]
    if not answers[0].took:
        return _no(answers[0])
    if _texts(answers) == 1:
        return Fact("taken; nothing is drawn")
    return Fact("kept" if answers[0].text == answers[1].text else "ignored")


def _narrowed(pair: Pair, **field: object) -> Fact:
    """Whether a field that leaves one token to draw from does so."""
    answers = _draw(pair.plain, **field)
    if not answers[0].took:
        return _no(answers[0])
    if _texts(answers) > 1:
        return Fact("ignored")
    return Fact("kept" if _texts(_draw(pair.plain)) > 1 else "taken; nothing is drawn")


@row("leaves it out where it is refused, and says so")
def top_p(pair: Pair) -> Fact:
    """`top_p`."""
    return _narrowed(pair, top_p=0.01)


@row("leaves it out where it is refused, and says so")
def top_k(pair: Pair) -> Fact:
    """`top_k`."""
    return _narrowed(pair, top_k=1)


@row("leaves it out where it is refused, and says so")
def min_p(pair: Pair) -> Fact:
    """`min_p`."""
    return _narrowed(pair, min_p=1.0)


def _stopped(answer: Answer, stop: str) -> str:
    if answer.text.endswith(stop):
        return "**ends after it, and leaves it in the reply**"
    return "kept" if stop not in answer.text else "ignored"


@row("leaves it out where it is refused, and says so")
def stop(pair: Pair) -> Fact:
    """`stop`, one text."""
    word = say(pair.plain, "hi").text.split()[3]
    return _if_taken(say(pair.plain, "hi", stop=[word]), lambda a: _stopped(a, word))


@row("sends as many as the benchmark has")
def stop_5(pair: Pair) -> Fact:
    """`stop`, five texts."""
    words = say(pair.plain, "hi").text.split()[3:8]
    return _if_taken(say(pair.plain, "hi", stop=words), lambda a: _stopped(a, words[0]))


def _short(answer: Answer) -> str:
    if answer.finish == "length":
        return f"kept: {answer.tokens('completion')} tokens, `length`"
    return "ignored"


@row("sends the benchmark's, or `--max-tokens`")
def max_tokens(pair: Pair) -> Fact:
    """`max_tokens` 5."""
    return _if_taken(say(pair.plain, "hi", max_tokens=5), _short)


@row("asks OpenAI with it, others where they refuse `max_tokens`")
def max_completion_tokens(pair: Pair) -> Fact:
    """`max_completion_tokens` 5."""
    return _if_taken(say(pair.plain, "hi", max_completion_tokens=5), _short)


@row("asks for as much as fits, from the message or `/v1/models`, and says so")
def max_tokens_too_large(pair: Pair) -> Fact:
    """`max_tokens` 1,000,000."""
    return _if_taken(say(pair.plain, "hi", max_tokens=1_000_000), lambda _: "taken")


@row("asks for as much as fits, and says so")
def max_tokens_over_the_rest(pair: Pair) -> Fact:
    """`max_tokens` and prompt together over a context of 4,096."""
    answer = say(pair.plain, "h" * (CONTEXT - 1000), max_tokens=CONTEXT - 1000)
    return _if_taken(answer, lambda _: "taken")


@row("never asks so")
def no_limit(pair: Pair) -> Fact:
    """No limit given."""
    return _if_taken(
        say(pair.plain, "hi"),
        lambda a: "to its end" if a.finish == "stop" else f"{a.tokens('completion')} tokens",
    )


def _keeps(answer: Answer) -> str:
    try:
        keys = set(json.loads(answer.text))
    except ValueError:
        return "**ignored**"
    return "kept" if keys == {"reason", "score"} else "other keys"


@row("asks judges with it; where it is refused, by words alone, and says so")
def json_schema(pair: Pair) -> Fact:
    """`response_format` of kind `json_schema`."""
    return _if_taken(say(pair.plain, "hi", response_format=_FORM, max_tokens=200), _keeps)


@row("asks for the effort that is set; leaves it out where it is refused")
def reasoning_effort(pair: Pair) -> Fact:
    """`reasoning_effort`."""
    return _if_taken(say(pair.plain, "hi", reasoning_effort="low"), lambda _: "taken")


@row("sends what `--extra-body` says, and ends where it is refused")
def unknown_field(pair: Pair) -> Fact:
    """A field that nobody knows."""
    return _if_taken(say(pair.plain, "hi", made_up_field=1), lambda _: "ignored")


# --- Names and lists ----------------------------------------------------------------------------


@row("ends, and names what is listed")
def unknown_model(pair: Pair) -> Fact:
    """A model name that it has not."""
    answer = say(pair.plain, "hi", name="no-such-model")
    return _if_taken(answer, lambda _: "answers all the same")


@row("compares its name, and knows the context where it is told")
def model_list(pair: Pair) -> Fact:
    """`/v1/models`."""
    answer = ask(f"{pair.plain.base_url}/models")
    if not answer.took:
        return _no(answer)
    entries = {entry["id"]: entry for entry in answer.body["data"]}
    if pair.plain.name not in entries:
        return Fact("lists others")
    entry = entries[pair.plain.name]
    told = [f"`{name}`" for name in ("max_model_len", "root") if entry.get(name)]
    told += [f"`meta.{name}`" for name in ("n_ctx", "n_ctx_train") if name in entry.get("meta", {})]
    return Fact(" and ".join(["lists it", ", ".join(told)]) if told else "lists it")


@row("keeps it with the call, and says where it changed")
def fingerprint(pair: Pair) -> Fact:
    """`system_fingerprint`."""
    given = say(pair.plain, "hi").body.get("system_fingerprint")
    return Fact("yes" if given else "no")


@row("ends, and names the variable of the key")
def wrong_key(pair: Pair) -> Fact:
    """A key that it does not know."""
    body = {"model": pair.plain.name, "messages": [{"role": "user", "content": "hi"}]}
    answer = ask(f"{pair.plain.base_url}/chat/completions", body, key="sk-another-fake")
    return _if_taken(answer, lambda _: "no key asked for")


# --- Texts --------------------------------------------------------------------------------------

_SYSTEM = {"role": "system", "content": "be kind"}
_USER = {"role": "user", "content": "hi"}


def _count(messages: list[dict[str, str]]) -> int:
    """Tokens of messages in the template of the tiny model."""
    return sum(len(message["content"]) + 2 for message in messages) + 1


def _shape(answer: Answer, messages: list[dict[str, str]]) -> str:
    counted, whole = answer.tokens("prompt"), _count(messages)
    if counted == whole:
        return "as it comes"
    # Two marks of a message fewer, and a line break between the texts.
    return "**joins it to the next, in silence**" if counted == whole - 1 else f"{counted} tokens"


@row("sends it as system text")
def system_text(pair: Pair) -> Fact:
    """System text."""
    messages = [_SYSTEM, _USER]
    return _if_taken(say(pair.plain, messages), lambda a: _shape(a, messages))


@row("where it is refused, puts it before the first user message, and says so")
def system_text_refused(pair: Pair) -> Fact:
    """System text, where the template refuses it."""
    messages = [_SYSTEM, _USER]
    return _if_taken(say(pair.strict, messages), lambda a: _shape(a, messages))


@row("where it is refused, joins turns of one speaker, and says so")
def turns_refused(pair: Pair) -> Fact:
    """Two turns of the user, where the template refuses them."""
    messages = [_USER, _USER]
    return _if_taken(say(pair.strict, messages), lambda a: _shape(a, messages))


def _ending(answer: Answer) -> str:
    if answer.text.startswith("Well,"):
        return "goes on, and repeats what was given"
    return "goes on" if answer.text.startswith('"') else "begins a new turn"


@row("never asks so")
def assistant_last(pair: Pair) -> Fact:
    """A last message of the assistant's."""
    messages = [_USER, {"role": "assistant", "content": "Well,"}]
    return _if_taken(say(pair.plain, messages, max_tokens=5), _ending)


def _whole(answer: Answer, sent: int) -> str:
    if answer.tokens("prompt") >= sent:
        return "takes it whole"
    return f"**cuts it in silence to {answer.tokens('prompt'):,} tokens**"


@row("fails the sample, with what would fit; says so where tokens are missing")
def prompt_too_long(pair: Pair) -> Fact:
    """A prompt of 5,000 tokens, where the context has 4,096."""
    return _if_taken(say(pair.plain, "h" * 5000), lambda a: _whole(a, 5000))


@row("asks fewer at once, and ends with the reason if one alone fails")
def four_at_once(pair: Pair) -> Fact:
    """Four prompts of 2,000 tokens at once, each of which fits alone."""
    answers = say_at_once(pair.plain, [letter * 2000 for letter in "abcd"])
    failed = [answer for answer in answers if not answer.took]
    if failed:
        return Fact(f"**some fail ({failed[0].status})**", failed[0].words)
    return Fact("all answered")


@row("counts what the server counts, cached ones too")
def cached_prompt(pair: Pair) -> Fact:
    """`prompt_tokens` of a prompt that it has in its cache."""
    answers = [say(pair.plain, "once more " * 50) for _ in range(2)]
    counts = [answer.tokens("prompt") for answer in answers]
    return Fact("the whole prompt" if counts == [503, 503] else f"{counts[1]} of 503")


# --- Thinking -----------------------------------------------------------------------------------

_THOUGHTS = ("reasoning", "reasoning_content")
"""Fields of a message that servers put thinking into."""


@row("reads all of these, and keeps thinking out of history and verdicts")
def thinking(pair: Pair) -> Fact:
    """Thinking between `<think>` and `</think>`."""
    return _if_taken(say(pair.strict, "hi"), _where_thought)


def _where_thought(answer: Answer) -> str:
    fields = [f"`{name}`" for name in _THOUGHTS if answer.message.get(name)]
    if "think>" in answer.text:
        marks = "both marks" if "<think>" in answer.text else "one mark"
        fields.append(f"the text, with {marks}")
    where = f"in {' and '.join(fields)}" if fields else "left out"
    return f"{where}; {'' if answer.tokens('completion') == 44 else 'not '}counted"


@row("asks judges so, and keeps with the call how much they thought")
def thinking_with_schema(pair: Pair) -> Fact:
    """Thinking, where a `json_schema` is asked for."""
    answer = say(pair.strict, "hi", response_format=_FORM, max_tokens=200)
    return _if_taken(answer, lambda a: f"{_thinks(a)}; schema {_keeps(a)}")


def _thinks(answer: Answer) -> str:
    thought = any(answer.message.get(name) for name in _THOUGHTS)
    return "thinks first" if thought or "<think>" in answer.text else "**does not think**"


@row("says that the room went to thinking")
def thinking_cut(pair: Pair) -> Fact:
    """Cut off while it thinks."""
    return _if_taken(say(pair.strict, "hi", max_tokens=2), _what_is_left)


def _what_is_left(answer: Answer) -> str:
    thought = any(answer.message.get(name) for name in _THOUGHTS)
    kind = "none" if answer.message.get("content") is None else "empty" if not answer.text else ""
    return f"content {kind or f'`{answer.text}`'}{', thinking given' if thought else ''}"
