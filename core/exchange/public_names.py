"""What a bundle may say of where a run was made: no address, folder, note or key.

Names of models that are paths lose their folders, and endpoints their names; as both stand in the
keys of calls, those are made again. What is left is searched for what looks private.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any

from ..errors import UsageError
from ..html.gather import places_of
from ..html.masking import Masker
from ..journal import Journal, RunRecord
from ..parties.graders import Judge, Panel
from ..parties.party import LOCAL, Party, party_of
from ..parties.providers import ModelSpec
from ..types import Json, JsonDict, JsonObject

_PATH = re.compile(r"(?:[/\\~.]|[A-Za-z]:[/\\]).*", re.DOTALL)
_HOMES = re.compile(r"(?:/home|/Users|[A-Za-z]:\\+Users)[/\\]+[^/\\\s\"']+")
_REPLIES = frozenset({"text", "reasoning", "declaration"})
"""What nobody but a model or a benchmark says."""


class PublicNames:
    """Makes public what names a machine, or refuses it.

    Args:
        journal: Whose hosts and folders are private.
        runs: Whose notes are, too.
        keep: Endpoints, notes and texts that are published all the same.
    """

    def __init__(
        self, journal: Journal, runs: Iterable[RunRecord], keep: Collection[str] = ()
    ) -> None:
        each = (note for run in runs for note in run.settings["notes"].items())
        notes = {str(value) for name, value in each if name not in keep}
        private = {*places_of(journal), str(Path.home()), *notes}
        self._masker, self._keep = Masker(private - set(keep)), frozenset(keep)

    def endpoint(self, endpoint: str | None) -> str | None:
        """An endpoint that says no more than that it is not the provider's own host."""
        return endpoint if endpoint is None or endpoint in self._keep else LOCAL

    def name(self, name: str) -> str:
        """A model's name without its folder, if it is a path."""
        return PureWindowsPath(name).name or name if _PATH.fullmatch(name) else name

    def spec(self, spec: str) -> str:
        """The same of a spec."""
        one = ModelSpec.parse(spec)
        return str(one._replace(name=self.name(one.name)))

    def party(self, party: Party) -> Party:
        """Who was asked."""
        spec = party.spec._replace(name=self.name(party.spec.name))
        return replace(party, spec=spec, endpoint=self.endpoint(party.endpoint))

    def party_json(self, facts: JsonObject) -> JsonDict:
        """The same as a line has it."""
        return self.party(party_of(facts)).as_json()

    def judge(self, judge: Judge | None) -> Judge | None:
        """A judge, or a panel of several."""
        if isinstance(judge, Panel):
            return replace(judge, judges=tuple(map(self.party, judge.judges)))
        return judge and self.party(judge)

    def settings(self, settings: Mapping[str, Any]) -> JsonDict:
        """The settings of a run: of its data only the name, of its notes those that are named."""
        dataset, roles = settings["dataset"], settings.get("roles", {}).items()
        notes = {name: value for name, value in settings["notes"].items() if name in self._keep}
        return {
            **settings,
            **self._asked(settings),
            **({"roles": {n: {**p, **self._asked(p)} for n, p in roles}} if roles else {}),
            "dataset": dataset if dataset in ("official", "bundled") else None,
            "notes": notes,
        }

    def _asked(self, facts: Mapping[str, Any]) -> JsonDict:
        """Who a run, or a role of it, asked."""
        return {"model": self.spec(facts["model"]), "endpoint": self.endpoint(facts["endpoint"])}

    def text(self, value: Json) -> Any:
        """What a server or an error said, without hosts, folders and keys."""
        if isinstance(value, str):
            return self._masker.text(_HOMES.sub("[place]", self.name(value)))
        if isinstance(value, dict):
            return {name: self.text(one) for name, one in value.items()}
        return [*map(self.text, value)] if isinstance(value, list) else value

    def check(self, lines: Iterable[JsonObject]) -> None:
        """Refuse lines that name something private outside of replies.

        Raises:
            UsageError: One does.
        """
        for line in lines:
            for where, text in _texts(line, str(line["kind"])):
                plain = text
                for word in self._keep:
                    plain = plain.replace(word, "")
                if _HOMES.search(plain) or self._masker.text(plain) != plain:
                    message = f"{where} of run {line.get('run', line.get('run_id'))} names a host"
                    raise UsageError(
                        f"{message}, a folder, a note, an address or a key, and would be public; "
                        "publish it all the same with --keep TEXT, or run without it"
                    )


def _texts(value: Json, where: str) -> Iterable[tuple[str, str]]:
    """The texts in a value, replies apart, and where they are."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in _REPLIES:
                yield from _texts(one, f"{where}, {name}")
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, where)
