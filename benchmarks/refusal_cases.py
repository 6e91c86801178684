"""Refusals as servers word them: field, words, status and body, drawn by a seed.

The words and the bodies stand in `refusals.toml`. A fifth of the wordings of each group is held
out: no case outside of `held_out` has them, so that what was mended after the others is measured on
words that nobody looked at.
"""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, cycle, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

SEED = 47
CASES, HELD_OUT = 400, 100
_SOURCE: Mapping[str, Any] = tomllib.loads(
    (Path(__file__).parent / "refusals.toml").read_text(encoding="utf-8")
)
FIELDS = (
    "response_format",
    "seed",
    "min_p",
    "top_k",
    "top_p",
    "stop",
    "temperature",
    "reasoning_effort",
)
"""What may be refused by name, as OpenAI calls it."""
NATIVE = {
    "response_format": "output_config.format",
    "stop": "stop_sequences",
    "top_k": "top_k",
    "top_p": "top_p",
    "temperature": "temperature",
    "thinking": "thinking",
    "effort": "output_config.effort",
}
"""What Anthropic's messages call those that they have."""
SHAPES = ("system", "system_as_turns", "turns", "assistant_first")
ROOM = ("limit", "limit_unsaid", "limit_listed", "context", "context_least")
NAMING = ("wants_new_name", "wants_no_limit")
_ANY = ("temperature_0", "both", "limit", "context", "context_least", "hopeless", "excluded")
OF_CLIENT: Mapping[str, Sequence[str]] = {
    "openai": (*FIELDS, *NAMING, "limit_unsaid", "limit_listed", *SHAPES, *_ANY),
    "anthropic": (*NATIVE, *SHAPES, *_ANY),
    "litellm": ("response_format", "seed", "stop", "top_p", "temperature", *SHAPES, *_ANY),
    "completions": (*FIELDS[:5], "temperature", "limit_listed", *_ANY),
}
"""What each client can be refused."""
_WEIGHTS = {"openai": 12, "anthropic": 3, "litellm": 2, "completions": 2}
_FORMS = (
    *("openai", "openai_param", "vllm", "vllm_old", "text_detail", "plain", "message", "error"),
    *("anthropic", "gemini", "databricks", "cohere", "litellm", "openrouter_raw", "tgi"),
)
"""Those that any words may have."""
_422 = ("detail", "tgi", "mistral", "nim", "detail_type", "detail_role", "bare_detail")


class Case(NamedTuple):
    """One server that refuses something, and who asks it.

    Attributes:
        group: What kind of words it has.
        fields: What it refuses, one after the other, as OpenAI calls it.
        other: A field that the words name though it is not refused.
        kind: The kind of error that has to come, where nothing can be left out.
    """

    group: str
    fields: tuple[str, ...]
    words: str
    form: str
    status: int
    client: str
    other: str
    kind: str = ""

    @property
    def mendable(self) -> bool:
        """Whether the server takes the request without something."""
        return self.group not in ("hopeless", "excluded")


class _Wording(NamedTuple):
    group: str
    text: str
    statuses: tuple[int, ...] = ()
    kind: str = ""


def _wordings() -> Iterator[_Wording]:
    for group, part in _SOURCE.items():
        if group == "forms":
            continue
        if group == "excluded":
            for entry in part:
                for text in entry["words"]:
                    yield _Wording(group, text, tuple(entry["statuses"]), entry["kind"])
        else:
            for text in part["words"] if isinstance(part, dict) else part:
                yield _Wording(group, text)


def _halves(seed: int) -> tuple[list[_Wording], list[_Wording]]:
    """The wordings that may be looked at, and those that are held out."""
    open_: list[_Wording] = []
    held: list[_Wording] = []
    groups: dict[str, list[_Wording]] = {}
    for wording in _wordings():
        groups.setdefault(wording.group, []).append(wording)
    for group, wordings in groups.items():
        Random(f"{seed} {group}").shuffle(wordings)
        cut = max(1, round(len(wordings) / 5))
        for half, part in ((held, wordings[:cut]), (open_, wordings[cut:])):
            half += part
            if group in ("named", "nameless"):
                half += [wording._replace(group="several") for wording in part[::6]]
    return open_, held


def cases(count: int = CASES, *, held_out: bool = False, seed: int = SEED) -> list[Case]:
    """So many cases: each wording once, then those that fit any field again with another."""
    wordings = _halves(seed)[held_out]
    general = [w for w in wordings if w.group in ("named", "nameless", "misleading", "several")]
    order = islice(chain(wordings, cycle(general)), count)
    return [_case(w, Random(f"{seed} {n} {w.group} {w.text}")) for n, w in enumerate(order)]


def _case(wording: _Wording, rng: Random) -> Case:
    form, _, words = wording.text.partition(" | ")
    wanted = wording.group
    if wanted in ("named", "nameless", "misleading", "several"):
        client = _client(rng)
        wanted = rng.choice([f for f in OF_CLIENT[client] if f in (*FIELDS, *NATIVE)])
    elif wanted == "reasoning_effort" and "thinking" in words and form == "anthropic":
        client, wanted = "anthropic", "thinking"
    elif wanted == "reasoning_effort" and form == "anthropic":
        client, wanted = "anthropic", "effort"
    else:
        client = _client(rng, wanted)
    possible = [f for f in OF_CLIENT[client] if f in (*FIELDS, *NATIVE)]
    others = [f for f in possible if f != wanted]
    fields = (wanted, *rng.sample(others, rng.choice((1, 2)))) if wording.group == "several" else ()
    form = form.strip() or rng.choice(_FORMS)
    others = [f for f in others if f not in fields]
    status = rng.choice(wording.statuses) if wording.statuses else _status(form, wording, rng)
    return Case(
        wording.group, fields or (wanted,), words.strip(), form, status, client,
        rng.choice(others), wording.kind,
    )  # fmt: skip


def _client(rng: Random, group: str = "excluded") -> str:
    """One that can be refused this; any, where it is what all can be."""
    able = [c for c in _WEIGHTS if group in OF_CLIENT[c]]
    return rng.choices(able, [_WEIGHTS[c] for c in able])[0]


def _status(form: str, wording: _Wording, rng: Random) -> int:
    if form == "openrouter_404":
        return 404
    if form in _422:
        return 422
    return rng.choice((400, 400, 400, 422, 404) if wording.group == "named" else (400, 400, 422))


def rendered(case: Case, field: str, values: Mapping[str, object]) -> tuple[str, str]:
    """The words, and the body that has them.

    Args:
        case: Whose.
        field: What is refused, as it is called in the request.
        values: Fields of the request and numbers that the words may name.
    """
    short = field.rpartition(".")[2]
    value = values.get(field, values.get(short, 1))
    camel = short.split("_")[0] + "".join(part.title() for part in short.split("_")[1:])
    named = {"f": field, "c": camel, "v": json.dumps(value), "other": values["other"]}
    words = case.words
    for key, one in {**values, **named}.items():
        words = words.replace("{" + key + "}", str(one))
    words = words.replace("{{", "{").replace("}}", "}")
    return words, _body(case, words, field, values)


def _body(case: Case, words: str, field: str, values: Mapping[str, object]) -> str:
    nested = {"error": {"message": words, "type": "invalid_request_error", "param": field}}
    if case.form.endswith("_raw"):
        nested = {"code": "Client specified an invalid argument", "error": words}  # type: ignore[dict-item]
    parts: Mapping[str, Callable[[], str]] = {
        "NESTED": lambda: json.dumps(json.dumps(nested)),
        "WORDS": lambda: json.dumps(words, ensure_ascii=False),
        "PLAIN": lambda: words,
        "BARE": lambda: json.dumps(words, ensure_ascii=False)[1:-1],
        "FIELD": lambda: json.dumps(field),
        "NAME": lambda: field,
        "OTHER": lambda: json.dumps(values["other"]),
        "VALUE": lambda: json.dumps(values.get(field, 1)),
        "STATUS": lambda: str(case.status),
    }
    text: str = _SOURCE["forms"][case.form]
    for mark, part in parts.items():
        if mark in text and not (mark == "NAME" and case.form != "vllm_detail"):
            text = text.replace(mark, part())
    return text
