"""What a judge grades, by a checklist or a rubric, and replies that it compares."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeAlias

from eibench import (
    ChatRequest,
    ChatResponse,
    Message,
    Model,
    PairScore,
    Score,
    Value,
    no_answer,
)
from eibench.judges import (
    Answers,
    Checklist,
    Rubric,
    Template,
    demo_verdict,
    display,
    neutralise,
)

from .fields import Fields
from .reading import Declaration
from .rows import DataRow
from .templates import Prompt, Values

Said: TypeAlias = ChatResponse | Sequence[tuple[str, str]]
"""A reply, or a talk as speakers and what they said."""
MET, RUBRIC_SCORE = "met", "rubric_score"
_GOOD = "I see what happened. That was hard for you. I will stay with it. Tell me more. I am here."
_BAD = "No. Whatever. That is not my problem. Be brief. Next."
_TURNS = 5
"""Sentences of a demo model's reply."""


class Judging:
    """The kinds `yes-no` and `rubric` of a declaration, and [compare] beside them."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration, self.score = declaration, declaration.values["score"]
        self.judge: Values = declaration.values["judge"]
        self.pair: Values | None = declaration.values["compare"]
        self.rubric = _rubric(self.score) if self.score["kind"] == "rubric" else None
        self.of_item = isinstance(self.score.get("questions"), dict)

    # What is asked of the judge

    def form(self, fields: Fields) -> Rubric | Checklist:
        """What the judge fills in about an item."""
        if self.rubric:
            return self.rubric
        more = {"reason": self.score["reason"]} if self.score["reason"] else {}
        questions = self.questions(fields)
        needs = {name: q["needs"] for name, q in questions.items() if q["needs"]}
        return Checklist({name: q["ask"] for name, q in questions.items()}, needs, **more)

    def questions(self, fields: Fields, row: DataRow | None = None) -> dict[str, Values]:
        """By name the questions about an item: what each asks, weighs and needs, and its group."""
        of = self.score["questions"]
        if not self.of_item:
            return {q["name"]: {**q, "ask": fields.fill(q["ask"]), "group": None} for q in of}
        listed = fields.row.get(of["column"])
        row = row or DataRow(self.declaration.path, "", {})
        if not isinstance(listed, list) or not listed:
            raise row.refuse(f"{of['column']!r} must be a list of questions, not {listed!r:.60}")
        return {f"q{n}": _question(one, of, row) for n, one in enumerate(listed, start=1)}

    def check(self, row: DataRow, fields: Fields) -> None:
        """Refuse a row that the judge cannot be asked about."""
        filled = fields.having(**dict.fromkeys((*_OWN, "reply"), ""))
        if not self.rubric:
            self.questions(fields, row)
        templates = [
            of[name] for of in (self.judge, self.pair) if of for name in ("system", "user")
        ]
        for template in filter(None, templates):
            filled.fill(template)

    def values(self, label: str, by: tuple[str, ...], over: str) -> tuple[Value, ...]:
        """The main number, and what it is made of."""
        if self.rubric:
            main, *others = self.rubric.values(over=over, by=by)
            return replace(main, label=label or main.label), *others
        label = label or {"all": "every question a yes"}.get(self.score["value"], "share of yes")
        main = Value(MET, label, "share", by=by, over=over)
        if self.of_item:
            groups = self.score["questions"]["groups"]
            return main, *(Value(g, kind="share", group="groups", over=over) for g in groups)
        return main, *(
            Value(q["name"], kind="share", by=tuple(q["by"]), group="questions", over=over)
            for q in self.score["questions"]
        )

    async def grade(self, fields: Fields, reply: Said, judge: Model | None) -> Score:
        """The score of a reply or a talk: unscored, and not judged, where it is no answer."""
        assert judge is not None, "a judged benchmark gets a judge"
        if reason := _nothing_in(reply):
            return Score.unscored(reason)
        form = self.form(fields)
        texts = fields.having(criteria=form.described, form=form.shown)
        system, user = self.judge["system"], self.judge["user"]
        markers = Template(user.text, system.text if system else "").markers
        texts = texts.having(reply=_shown(reply, markers))
        messages = [Message("system", texts.fill(system))] if system else []
        messages.append(Message("user", texts.fill(user)))
        if isinstance(form, Rubric):
            return form.score(await form.ask(judge, messages, cache_prefix=len(messages) - 1))
        outcome = await form.ask(judge, messages, cache_prefix=len(messages) - 1)
        if outcome.value is None:
            return form.score(outcome)
        return replace(self._of_answers(outcome.value, fields), flags=outcome.flags)

    def _of_answers(self, answers: Answers, fields: Fields) -> Score:
        """What the answers come to: by share, weight or all; then each, or each group's share."""
        questions, yes = self.questions(fields), answers.values
        weights = {
            n: q["weight"] if self.score["value"] == "weighted" else 1 for n, q in questions.items()
        }
        met = sum(weights[name] * yes[name] for name in questions) / sum(weights.values())
        values: dict[str, float | None] = {
            MET: met if self.score["value"] != "all" else float(met == 1)
        }
        if not self.of_item:
            values |= {name: float(yes[name]) for name in questions}
        for group in self.score["questions"]["groups"] if self.of_item else ():
            of = [yes[name] for name, q in questions.items() if q["group"] == group]
            values[group] = sum(of) / len(of) if of else None
        return Score(values, detail={"reason": answers.reason, "answers": dict(yes)})

    # Two replies

    async def compare(self, fields: Fields, first: Said, second: Said, judge: Model) -> PairScore:
        """Which of two has more of each criterion."""
        assert self.pair is not None
        values: dict[str, str] = {}
        template = Template(
            _escaped(self.pair["user"], fields, values),
            _plain(self.pair["system"], fields) if self.pair["system"] else "",
        )
        limit = self.pair["characters"]
        return await self.compared.compare(judge, template, first, second, limit=limit, **values)

    @property
    def compared(self) -> Rubric:
        """The criteria of comparisons."""
        criteria = self.pair and self.pair["criteria"]
        if criteria:
            return Rubric(criteria, 10)
        assert self.rubric is not None, "checked when the declaration was read"
        return self.rubric

    # Words of demos

    def demo_reply(self, ability: float, rng: Random) -> str:
        """Sentences of an able model, as often as the ability says, else of another."""
        stocks = {good: _sentences(self._demo(good)) for good in (True, False)}
        return " ".join(rng.choice(stocks[rng.random() < ability]) for _ in range(_TURNS))

    def _demo(self, good: bool) -> str:
        demo = self.declaration.values["demo"] or {"good": _GOOD, "bad": _BAD}
        return str(demo["good" if good else "bad"])

    def worth(self, text: str) -> float:
        """The share of an able model's sentences among those of a demo model."""
        counts = {
            good: sum(text.count(one) for one in _sentences(self._demo(good)))
            for good in (True, False)
        }
        return counts[True] / max(1, sum(counts.values()))

    def demo_verdict(self, fields: Fields, request: ChatRequest, rng: Random) -> str:
        """By the share of an able model's sentences."""
        is_pair = "[REPLY]\n" not in request.messages[-1].content
        form = self.compared if is_pair and self.pair else self.form(fields)
        return demo_verdict(form, request, self.worth, rng)


def _rubric(score: Values) -> Rubric:
    reasoning = {"reasoning": score["reasoning"]} if score["reasoning"] else {}
    return Rubric(
        score["criteria"],
        score["scale"] or 0,
        steps=tuple(score["steps"]),
        weights=score["weights"],
        lower_is_better=score["lower_is_better"],
        neutral=score["neutral"],
        optional=score["optional"],
        form=score["form"],
        **reasoning,
    )


def _question(one: object, of: Values, row: DataRow) -> Values:
    """A question of an item's own, which is a text or an object with one."""
    columns: Mapping[str, Any] = one if isinstance(one, dict) else {of["ask"]: one}
    text, weight = columns.get(of["ask"]), columns.get(of["weight"] or "", 1)
    if not isinstance(text, str) or not text.strip():
        raise row.refuse(f"{of['column']!r} has a question without {of['ask']!r}: {one!r:.60}")
    if not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
        raise row.refuse(f"{of['column']!r} has a weight that is no number from 0: {weight!r:.40}")
    return {"ask": text, "weight": weight, "needs": None, "group": columns.get(of["group"] or "")}


def _nothing_in(reply: Said) -> str | None:
    if isinstance(reply, ChatResponse):
        return no_answer(reply)
    return None if any(text.strip() for _, text in reply) else "nothing was reply"


def _shown(reply: Said, markers: Sequence[str]) -> str:
    """What was said as a prompt shows it, so that it cannot end its part of the prompt."""
    if isinstance(reply, ChatResponse):
        return neutralise(reply.text, markers)
    return display([(speaker, neutralise(text, markers)) for speaker, text in reply])


_OWN = ("one", "other", "first", "second", "criteria", "form")


def _escaped(prompt: Prompt, fields: Fields, values: dict[str, str]) -> str:
    """A template for `Rubric.compare`, with what its places are filled with put into `values`.

    Texts and fields become places of their own, so that no brace in them names anything.
    """
    text = ""
    for plain, name in prompt.parts:
        pieces = [(plain, plain)] if "{" in plain else []
        text += "" if pieces else plain
        if name and name not in _OWN:
            pieces.append((name, fields[name]))
        for _, piece in pieces:
            values[f"p{len(values)}"] = piece
            text += f"{{p{len(values) - 1}}}"
        text += f"{{{name}}}" if name in _OWN else ""
    return text


def _plain(prompt: Prompt, fields: Fields) -> str:
    """A template's text with its fields filled, but for those that `Rubric.compare` fills."""
    return prompt.fill(fields.having(**{name: f"{{{name}}}" for name in _OWN}))


def _sentences(text: str) -> list[str]:
    return [f"{one.strip().rstrip('.')}." for one in text.split(". ") if one.strip()]
