"""What a pack says of how its scenarios are asked, judged and scored.

Both forms of a pack have a protocol file. The official pack's is ours and names
the data files its texts are in; the bundled pack's holds the texts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eibench import DataError, JsonObject
from eibench.judges import Rubric, Template, criteria_of, read_criteria, with_places

RUBRIC, RUBRIC_SCORE = "rubric", "rubric_score"
"""The value of a sample, 0 to 100, and the metric that is its mean; no criterion is called so."""
_UNITS = ("characters", "tokens")
TextOf = Callable[[str], str]
"""From the name that a protocol gives a text to the text."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How scenarios of one kind are asked and graded.

    Attributes:
        prompt: What wraps each user turn, with a place for ``{scenario_prompt}``.
        headings: Those that the prompt asks for, in order; replies are parsed by them.
        debrief: What is asked after the last turn; ``None`` for nothing.
        template, rubric: The judge's prompt, and what the judge is asked for.
        scored: The criteria that the rubric score is made of; the others are logged.
        pairwise: The judge's prompt for a comparison; ``None`` where there is none.
        limits: Most of each section, or of the whole reply, in a comparison.
        margin_cap: Most pluses that a comparison counts as, in the published scheme.
    """

    name: str
    prompt: str
    headings: tuple[str, ...]
    debrief: str | None
    template: Template
    rubric: Rubric
    scored: tuple[str, ...]
    pairwise: Template | None = None
    pairwise_criteria: tuple[str, ...] = ()
    limits: tuple[int, ...] = ()
    debrief_limit: int | None = None
    margin_cap: int | None = None


@dataclass(frozen=True, slots=True)
class Protocol:
    """A pack's protocol.

    Attributes:
        ids: The kind of the scenarios that the protocol names; others are role-plays.
        families: The family of the scenarios that share a text.
        profile: Criteria by trait.
        strip: Characters that the judge does not see.
        truncation: What limits count: ``characters`` or ``tokens``.
        anchors: Sets of two models with their ratings, the first present one being used.
        constrained: Judges get their form as a JSON schema too, where they take one.
        least_length: Characters of one reply that a graded transcript needs; 0 for any.
    """

    kinds: Mapping[str, Kind]
    ids: Mapping[str, str]
    families: Mapping[str, str]
    profile: Mapping[str, tuple[str, ...]]
    scale: int
    strip: str
    debrief_temperature: float
    truncation: str
    anchors: tuple[Mapping[str, float], ...] = ()
    constrained: bool = True
    least_length: int = 0
    no_notes: str = "(none for this scenario)"
    no_debrief: str = ""


def read_protocol(path: Path, raw: JsonObject, text_of: TextOf, reasoning: str) -> Protocol:
    """A protocol from its file, whose texts `text_of` gives by name.

    Raises:
        DataError: A part is missing or of the wrong type.
    """
    try:
        return _protocol(raw, text_of, reasoning)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(path, f"is no protocol of EQ-Bench 3: {message}") from None


def _protocol(raw: Mapping[str, Any], text_of: TextOf, reasoning: str) -> Protocol:
    scale = int(raw["scale"])
    if scale < 1:
        raise ValueError(f"the scale goes up to {scale}")
    if not isinstance(raw["strip"], str):
        raise ValueError(f"strip must be a text, not {raw['strip']!r}")
    if raw["truncation"] not in _UNITS:
        raise ValueError(f"truncation counts {' or '.join(_UNITS)}, not {raw['truncation']!r}")
    debrief, codes = text_of(raw["files"]["debrief"]), raw.get("codes", ())
    kinds = {
        name: _kind(name, table, text_of, Rubric((), scale, reasoning), debrief, codes)
        for name, table in raw["kinds"].items()
    }
    ids = {id: name for name, table in raw["kinds"].items() for id in table.get("ids", ())}
    groups = raw.get("families", {}).get("groups", ())
    return Protocol(
        kinds=kinds,
        ids=ids,
        families={id: f"{group[0]} and kin" for group in groups for id in group},
        profile={trait: tuple(names) for trait, names in raw["profile"].items()},
        scale=scale,
        strip=raw["strip"],
        debrief_temperature=float(raw["debrief_temperature"]),
        truncation=raw["truncation"],
        anchors=tuple(raw.get("anchors", ())),
        **{name: _of_type(name, raw[name], kind) for name, kind in _OPTIONAL if name in raw},
    )


_OPTIONAL = (("constrained", bool), ("least_length", int), ("no_notes", str), ("no_debrief", str))
"""What a protocol may say and need not."""


def _of_type(name: str, value: object, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{name} must be of the type {kind.__name__}, not {value!r}")
    return value


def _pairwise(raw: Mapping[str, Any], text_of: TextOf, codes: Sequence[str]) -> Template | None:
    """The prompt for comparisons, with places for the codes where it has fixed ones."""
    if "pairwise" not in raw:
        return None
    system = text_of(raw["pairwise_system"]) if "pairwise_system" in raw else ""
    slots = dict(zip(codes, ("code_A", "code_B"), strict=False))
    return Template(with_places(text_of(raw["pairwise"]), slots), system)


def _kind(
    name: str,
    raw: Mapping[str, Any],
    text_of: TextOf,
    rubric: Rubric,
    debrief: str,
    codes: Sequence[str],
) -> Kind:
    prompt = text_of(raw["prompt"]) if "prompt" in raw else "{scenario_prompt}"
    if "{scenario_prompt}" not in prompt:
        raise ValueError(f"the prompt of {name} has no place {{scenario_prompt}}")
    criteria = _criteria(raw["criteria"], text_of)
    if strange := [c for c in raw["scored"] if c not in criteria]:
        raise ValueError(f"{name} scores {', '.join(strange)}, which its judge is not asked for")
    if not raw["scored"]:
        raise ValueError(f"{name} scores no criterion")
    if taken := {RUBRIC, RUBRIC_SCORE}.intersection(criteria):
        raise ValueError(f'no criterion of {name} may be called "{min(taken)}"')
    _refuse_odd_limits(name, raw)
    system = text_of(raw["judge_system"]) if "judge_system" in raw else ""
    pairwise = _pairwise(raw, text_of, codes)
    return Kind(
        name=name,
        prompt=prompt,
        headings=headings(prompt),
        debrief=debrief if raw["debrief"] else None,
        template=Template(_with_places(name, text_of(raw["judge"])), system),
        rubric=Rubric(criteria, rubric.scale, rubric.reasoning),
        scored=tuple(raw["scored"]),
        pairwise=pairwise,
        pairwise_criteria=criteria_of(pairwise.user) if pairwise else (),
        limits=tuple(raw.get("limits", ())),
        debrief_limit=raw.get("debrief_limit"),
        margin_cap=raw.get("margin_cap"),
    )


def _refuse_odd_limits(name: str, raw: Mapping[str, Any]) -> None:
    single = [raw[key] for key in ("debrief_limit", "margin_cap") if key in raw]
    if odd := [n for n in (*raw.get("limits", ()), *single) if type(n) is not int or n < 1]:
        raise ValueError(f"the limits of {name} must be whole numbers from 1, not {odd[0]!r}")


def _criteria(raw: str | list[str], text_of: TextOf) -> tuple[str, ...]:
    """Criteria from a list, or from a text with one a line."""
    return read_criteria("\n".join(raw) if isinstance(raw, list) else text_of(raw))


def _with_places(name: str, template: str) -> str:
    for slot in ("{transcript}", "{output_format}"):
        if slot not in template:
            raise ValueError(f"the judge's prompt of {name} has no place {slot}")
    return template


def headings(prompt: str) -> tuple[str, ...]:
    """The headings that a prompt asks for: its lines that begin with ``# ``."""
    return tuple(line[2:].strip() for line in prompt.splitlines() if line.startswith("# "))
