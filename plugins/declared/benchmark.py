"""The class of a declared benchmark: what the framework asks, answered from the declaration."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from eibench import (
    PLACEMENT_OPTIONS,
    Baseline,
    Benchmark,
    ChatRequest,
    Item,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PairScore,
    Pairwise,
    PublishedWith,
    Role,
    Sampling,
    Score,
    Table,
)

from .checks import check
from .choice import Choice, messages_of
from .fields import Fields, names_in
from .judged import Judging
from .reading import Declaration
from .rows import DataRow, items_of
from .talk import Talked, TalkPart
from .templates import Values, plain

_READING = "2"
"""Of how replies are read: raised where that changes, as a benchmark's own `grading` is."""
_JUDGES = Sampling(temperature=0.0, max_tokens=8000)


class Declared(Benchmark[Values, Any], Pairwise[Values, Any]):
    """A benchmark that is declared in TOML (docs/declared.md).

    To leave TOML for Python, derive from it and override a method: `grade`, say.

    Args:
        path: The file, or a folder with ``benchmark.toml``.

    Attributes:
        declaration: What the file says.

    Raises:
        DataError: It is not of the form; the message names file, line, key and what to do.
        UsageError: A folder has no declaration.
    """

    def __init__(self, path: Path | str) -> None:
        self.declaration = Declaration.read(Path(path))
        check(self.declaration)
        values = self.declaration.values
        of, self.score = values["benchmark"], values["score"]
        self.name, self.title = of["name"], of["title"]
        self.kind = "talk" if values["talk"] else self.score["kind"]
        self.languages = tuple(of["languages"] or ())
        self.cite = self._cite(of["cite"] or "")
        self.choice = Choice(self.declaration) if self.score["kind"] == "choice" else None
        self.judging = None if self.choice else Judging(self.declaration)
        self.talk = TalkPart(self.declaration) if values["talk"] else None
        self.judged = self.asks_again = self.judging is not None
        self.single_turn = self.talk is None
        self.roles: tuple[Role, ...] = (self.talk.role,) if self.talk else ()
        self.sampling = _sampling(values["sampling"], Sampling())
        self.judge_sampling = _sampling((values["judge"] or {}).get("sampling"), _JUDGES)
        self.options = tuple(self._options())
        kind = self.choice or self.judging
        assert kind is not None
        report = values["report"]
        self.values = kind.values(report["label"] or "", tuple(report["by"]), of["over"])
        self.values = (replace(self.values[0], macro=report["macro"]), *self.values[1:])
        self.values += self.talk.values(of["over"]) if self.talk else ()
        self.iterations, self.answer_tokens = of["iterations"], of["answer_tokens"]
        self.limit_over = values["data"]["limit_over"] or ""
        self.published_with = self._published_with()
        graded = {**self._texts("score", "report", "judge", "compare"), "reading": _READING}
        self.version = f"{of['version']}-{_digest(self.prompts({}))}"  # boards go by it
        self.grading = f"{of['grading']}-{_digest(graded)}"
        self.comparability = of["comparability"] or Benchmark.comparability
        self.path: Path | None = self.declaration.path
        self.data = self.declaration.path.parent
        self.packs = self._packs()

    # What it is

    def _cite(self, cite: str) -> str:
        """BibTeX: that of a file, or of an arXiv id or a DOI, which has no other title than that.

        The key is made of the id, so that the paper of two benchmarks is one.
        """
        if cite in self.declaration.texts:
            return self.declaration.texts[cite]
        scheme, _, number = cite.partition(":")
        key = re.sub(r"[^\w.-]+", "-", cite.lower())
        fields = {"title": cite, "doi": number, "url": f"https://doi.org/{number}"}
        if scheme.lower() == "arxiv":
            address = f"https://arxiv.org/abs/{number}"
            fields = {"title": cite, "eprint": number, "archivePrefix": "arXiv", "url": address}
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@misc{{{key},\n{lines}\n}}" if number else ""

    def _options(self) -> Sequence[Option]:
        values = self.declaration.values
        asked = self._names("data", "ask", "talk")
        asked |= {name for part in self.score.get("parts", ()) for name in part["when"]}
        declared = [
            Option(
                name,
                option["default"],
                option["help"],
                tuple(option["choices"] or ()),
                in_requests=name in asked,
                in_grades=name not in asked,
                min=option["min"],
                max=option["max"],
            )
            for name, option in values["options"].items()
        ]
        more = (
            *(self.choice.options if self.choice else ()),
            *(self.talk.options if self.talk else ()),
        )
        placing = PLACEMENT_OPTIONS if values["compare"] else ()
        return [*declared, *more, *placing]

    def _names(self, *parts: str) -> set[str]:
        """What the templates of some parts name, and what their texts depend on."""
        values = self.declaration.values
        names = {name for part in parts for name in names_in(values[part])}
        texts = [values["texts"][name] for name in names if name in values["texts"]]
        return names.union(*(names_in(text) | {text["by"]} for text in texts))

    def _texts(self, *parts: str) -> dict[str, str]:
        """Parts of the declaration as texts, with the texts that they use."""
        values = self.declaration.values
        texts = {n: values["texts"][n] for n in sorted(self._names(*parts)) if n in values["texts"]}
        whole = {part: values[part] for part in parts} | ({"texts": texts} if texts else {})
        return {name: _json(plain(value)) for name, value in whole.items() if value is not None}

    def _published_with(self) -> PublishedWith | None:
        """The judges and the player that published numbers rest on, where it says so."""
        values = self.declaration.values
        panel = (values["judge"] or {}).get("panel") or {}
        player = (values["talk"] or {}).get("played_by")
        if not (panel or player):
            return None
        roles = {values["talk"]["role"]: player} if player else {}
        return PublishedWith(**panel, roles=roles)

    def _packs(self) -> Mapping[str, Values]:
        """What a manifest would say of its rows."""
        of = self.declaration.values["data"]
        facts: Values = {"title": of["title"] or self.title, "licence": of["licence"]}
        one = {"path": of["file"], **{key: of[key] for key in ("url", "sha256", "size")}}
        files = of["files"] or {Path(of["file"]).stem: one if of["url"] else of["file"]}
        entries = [
            {"name": name, "path": file} if isinstance(file, str) else {"name": name, **file}
            for name, file in files.items()
        ]
        fetched = any("url" in entry for entry in entries)
        return {"official" if fetched else "bundled": {**facts, "files": entries}}

    @property
    def files(self) -> Mapping[str, str]:
        """What is stored with its runs: by path the declaration, its templates and its rows.

        Nothing of a class that derives from this one: its text alone does not make it.
        """
        if type(self) is not Declared:
            return {}
        texts = dict(self.declaration.texts)
        for pack in self.packs.values():
            for file in pack["files"]:
                if "url" not in file:
                    texts[file["path"]] = (self.data / file["path"]).read_text("utf-8")
        return texts

    def prompts(self, options: Options) -> Mapping[str, str]:
        """All that says what the model is sent: another word in it is another run."""
        keys = self._texts("data", "ask", "talk")
        return keys | ({"choices": _json(self.choice.identity)} if self.choice else {})

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """All that says what the judge is sent."""
        return self._texts("score", "judge", "compare")

    # Rows

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The rows that are asked for, each of which can be asked and graded."""
        items = items_of(self.declaration, source, options, lambda r, f: self._check(r, f))
        return Pack(source, items, self.comparability)

    def _check(self, row: DataRow, fields: Fields) -> None:
        ask = self.ask_of(fields)
        if ask is None:
            raise row.refuse("no [[ask]] fits it: see their `when`")
        shown = fields.having(form="", iteration="1")
        if self.choice:
            self.choice.check(row, fields)
            shown = shown.having(**{p.column: "" for p in self.choice.parts(fields)})
        for template in filter(None, (ask["system"], ask["user"])):
            shown.fill(template)
        if self.talk:
            self.talk.check(shown)
        if self.judging:
            self.judging.check(row, fields)

    def ask_of(self, fields: Fields) -> Values | None:
        """The first of [[ask]] that fits an item."""
        asks: list[Values] = self.declaration.values["ask"]
        return next((ask for ask in asks if fields.fits(ask["when"])), None)

    def fields_of(self, item: Item[Values], options: Options) -> Fields:
        """What templates may name for an item."""
        return Fields(self.declaration, item.content, options, f"item {item.id!r}")

    def planned_calls(self, item: Item[Values], options: Options) -> Mapping[str, int]:
        """One for each order, or a turn of each as long as nobody leaves; one verdict."""
        if self.talk:
            turns = options["turns"]
            return {"model": turns, self.talk.role.name: turns, "judge": 1}
        return {"model": max(1, options.get("shuffles", 1)), "judge": int(self.judged)}

    # Samples

    async def generate(self, item: Item[Values], model: Model, options: Options) -> Any:
        """A reply, several, or a talk."""
        fields = self.fields_of(item, options).having(iteration=str(model.iteration))
        ask = self.ask_of(fields)
        assert ask is not None, "the pack was read with these options"
        if self.talk:
            return await self.talk.generate(fields, ask, model, options)
        if self.choice:
            return await self.choice.generate(fields, ask, model, options)
        return await model.chat(messages_of(fields, ask))

    async def grade(
        self, item: Item[Values], transcript: Any, judge: Model | None, options: Options
    ) -> Score:
        """What the kind makes of it."""
        fields = self.fields_of(item, options)
        if self.choice:
            return self.choice.grade(fields, transcript)
        assert self.judging is not None
        if not isinstance(transcript, Talked):
            return await self.judging.grade(fields, transcript, judge)
        if transcript.problem:
            return Score.unscored(transcript.problem)
        assert self.talk is not None
        score = await self.judging.grade(fields, transcript.turns, judge)
        return self.talk.with_states(score, transcript)

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """What chance gets."""
        of = [self.fields_of(item, options) for item in pack.items]
        return self.choice.baselines(of, options) if self.choice else {}

    def published(self, pack: Pack) -> Table | None:
        """The scores that the declaration has."""
        of = self.declaration.values["published"]
        return Table(of["title"], of["columns"], of["rows"], note=of["note"]) if of else None

    # Comparisons

    def compares(self, options: Options) -> bool:
        """Whether it has a [compare]."""
        return self.declaration.values["compare"] is not None

    def is_comparable(self, item: Item[Values], transcript: Any) -> bool:
        """Whether a reply, or a talk, says enough."""
        if isinstance(transcript, Talked):
            return not transcript.problem
        return super().is_comparable(item, transcript)

    async def compare(
        self, item: Item[Values], first: Any, second: Any, judge: Model, options: Options
    ) -> PairScore:
        """Which of two has more of each criterion."""
        assert self.judging is not None
        one, other = (t.turns if isinstance(t, Talked) else t for t in (first, second))
        return await self.judging.compare(self.fields_of(item, options), one, other, judge)

    def anchor_sets(self, pack: Pack) -> Sequence[Mapping[str, float]]:
        """Those of [compare]."""
        return tuple((self.declaration.values["compare"] or {}).get("anchors") or ())

    # Demos

    def demo_reply(
        self, item: Item[Values], request: ChatRequest, ability: float, rng: Random
    ) -> str:
        """Right letters, or sentences of an able model, as often as the ability says."""
        if self.choice:
            options = {option.name: option.default for option in self.options}
            return self.choice.demo_reply(self.fields_of(item, options), request, ability, rng)
        assert self.judging is not None
        return self.judging.demo_reply(ability, rng)

    def demo_role(self, role: str, item: Item[Values], request: ChatRequest, rng: Random) -> str:
        """A turn of who is played, moved by what an able model says."""
        assert self.talk is not None
        assert self.judging is not None
        return self.talk.demo_turn(request, self.judging.worth)

    def demo_verdict(self, item: Item[Values], request: ChatRequest, rng: Random) -> str:
        """By the share of an able model's sentences."""
        assert self.judging is not None
        options = {option.name: option.default for option in self.options}
        return self.judging.demo_verdict(self.fields_of(item, options), request, rng)


def _sampling(keys: Values | None, otherwise: Sampling) -> Sampling:
    return Sampling(**keys) if keys else otherwise


def _digest(texts: Mapping[str, str]) -> str:
    return hashlib.sha256(_json(texts).encode()).hexdigest()[:8]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
