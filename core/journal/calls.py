"""The answered calls of a journal: from a response to a row, and back."""

import json
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from ..parties.graders import Judge
from ..parties.party import Party
from ..types import ChatRequest, ChatResponse, Finish, JsonObject, Message, Usage
from ..types.otherwise import asked_otherwise, could_differ, flat
from .file import JournalFile, now, object_of
from .records import (
    CallKey,
    CallRow,
    CallTotals,
    CutOff,
    OddOpening,
    OtherProviders,
    PartyAsking,
    ReplySource,
    RunRecord,
    StoredCall,
    as_json,
    party_in,
)
from .schema import ASKINGS, CALLS, ODD_OPENING
from .tables import DamagedRow, Row, quoted, storable_row

_TEXTS = ("text", "reasoning", "finish_raw", "model", "fingerprint", "provider", "request_id")
_texts_of = attrgetter(*_TEXTS)
_ALIKE = ("text", "reasoning", "finish_raw", "fingerprint", "provider", "request_id", "latency_s",
          "attempts", "cost_usd", "price_source")  # fmt: skip
"""What rows and responses call alike."""
_alike_of = attrgetter(*_ALIKE)
_USED = ("input", "cached", "cache_write", "output", "reasoning")
_TOKENS = tuple(f"{name}_tokens" for name in _USED)
_used_of, _tokens_of = attrgetter(*_USED), attrgetter(*_TOKENS)
_ADD = CALLS.adding("INSERT")
_NOTE = ASKINGS.adding("INSERT OR IGNORE")
_ASKED_OTHERWISE = "EXISTS (SELECT 1 FROM askings AS b WHERE b.run = a.run AND b.otherwise != '{}')"
_ASKINGS_IN_ORDER = "ORDER BY a.run, a.phase, a.party, a.otherwise"
_SELECT = f"SELECT {quoted(CALLS.stored)} FROM calls WHERE "

_OF_JUDGES = (
    "(phase = 'generate' OR phase GLOB 'role:*' OR asked IN (SELECT value FROM json_each(?)))"
)
"""Calls of the model, of roles, and of the judges that `_judges` names."""


def _judges(judge: Judge | None) -> tuple[str]:
    return (json.dumps([as_json(one.as_json()) for one in judge.judges] if judge else []),)


def storable(response: ChatResponse) -> ChatResponse:
    """A response as it will be read back."""
    texts = _texts_of(response)
    stored = storable_row(texts)
    return (
        response if stored == texts else replace(response, **dict(zip(_TEXTS, stored, strict=True)))
    )


def call_row(
    item_id: str,
    iteration: int,
    key: CallKey,
    asked: Party,
    request: ChatRequest,
    response: ChatResponse,
    at: str,
    address: str | None = None,
) -> tuple[object, ...]:
    """The columns of an answered call with its checksum, but for its run."""
    row = CallRow(
        item_id=item_id,
        iteration=iteration,
        phase=key.phase,
        digest=key.digest,
        occurrence=key.occurrence,
        asked=as_json(asked.as_json()),
        messages=as_json(request.messages),
        sent=as_json(response.sent),
        finish=str(response.finish),
        returned_model=response.model,
        at=at,
        address=address,
        **dict(zip(_ALIKE, _alike_of(response), strict=True)),
        **dict(zip(_TOKENS, _used_of(response.usage), strict=True)),
    )
    return CALLS.sealed(row)


def call_of(stored: Row) -> StoredCall:
    """A call with its response, from all columns and the checksum.

    Raises:
        DamagedRow: It is not what was written.
    """
    row = CallRow._make(CALLS.opened(stored))
    response = ChatResponse(
        finish=Finish(row.finish),
        model=row.returned_model,
        usage=Usage(*_tokens_of(row)),
        sent=json.loads(row.sent),
        **dict(zip(_ALIKE, _alike_of(row), strict=True)),
    )
    messages = tuple(Message(role, content) for role, content in json.loads(row.messages))
    key = CallKey(row.phase, row.digest, row.occurrence)
    asked = party_in(row.asked)
    return StoredCall(row.item_id, row.iteration, key, asked, messages, response, row.address)


def totals_of(row: Row) -> CallTotals:
    """One sample's calls of one phase, added up.

    Raises:
        DamagedRow: One of them holds what no call does.
    """
    item_id, iteration, phase, calls, attempts, truncated, *used, cost, seconds = row
    if not all(isinstance(n, int) for n in (iteration, attempts, *used)):
        raise DamagedRow(f"the calls of item {item_id!r:.60} hold counts that are no numbers")
    usage = Usage(*used)
    return CallTotals(item_id, iteration, phase, calls, attempts, truncated, usage, cost, seconds)


def _cut_off_of(row: Row) -> CutOff:
    """A reply that was cut off."""
    item_id, iteration, phase, text, reasoning, latency_s = row
    if not (isinstance(text, str) and isinstance(reasoning, str)):
        raise DamagedRow(f"a reply to item {item_id!r:.60} is no text")
    return CutOff(item_id, iteration, phase, text, reasoning, latency_s)


def _asking_of(row: Row) -> tuple[str, PartyAsking]:
    run_id, phase, party, otherwise = row
    if wrong := ASKINGS.wrong_type(ASKINGS.columns, row[1:]):
        raise DamagedRow(f"how the parties of run {run_id} were asked: {wrong}")
    return run_id, PartyAsking(phase, party_in(party), json.loads(otherwise))


def _provider_of(row: Row) -> OtherProviders:
    phase, asked, provider, calls = row
    if not isinstance(provider, str):
        raise DamagedRow("the host of one of its replies is no text")
    return OtherProviders(phase, party_in(asked), provider, calls)


def _opening_of(row: Row) -> OddOpening:
    item_id, iteration, phase, text, messages = row
    conversation = tuple(Message(role, content) for role, content in json.loads(messages))
    return OddOpening(item_id, iteration, phase, text, conversation)


def _source_of(row: Row) -> ReplySource:
    """Where replies came from."""
    *names, _, first, last = row
    known = (first, last, *(text for text in names if text is not None))
    if not all(isinstance(text, str) for text in known):
        raise DamagedRow("an address, a model, a host or a time of its replies is no text")
    return ReplySource(*row)


class CallStore(JournalFile):
    """The journal's calls."""

    async def add_call(
        self,
        run: RunRecord,
        item_id: str,
        iteration: int,
        key: CallKey,
        asked: Party,
        request: ChatRequest,
        response: ChatResponse,
        address: str | None = None,
    ) -> ChatResponse:
        """Store an answered call; returns when it is on the disk.

        Gives the response as it will be read back, which is what the plugin must see: what it asks
        next has to be the same after a stop.
        """
        kept = storable(response)
        self._note_asking(run, key.phase, asked, request, response.sent)
        row = call_row(item_id, iteration, key, asked, request, kept, now(), address)
        await self.writer.write(_ADD, (run.n, *row))
        return kept

    def _note_asking(
        self, run: RunRecord, phase: str, asked: Party, request: ChatRequest, sent: JsonObject
    ) -> None:
        """Store once that a party was asked so; it is on the disk before the call is.

        A request that was not meant to have a field says nothing of how that is sent.
        """
        known = self._known_ways(run, phase, asked)
        unsaid = {name: how for name, how in known.items() if not could_differ(name, request)}
        otherwise = unsaid | asked_otherwise(request.sampling, sent)
        known.update(otherwise)
        asking = (run.n, phase, asked, tuple(sorted(otherwise.items())))
        if asking in self._noted:
            return
        self._noted.add(asking)
        facts = (as_json(asked.as_json()), as_json(dict(sorted(otherwise.items()))))
        self._add(_NOTE, (run.n, phase, *facts))

    def _known_ways(self, run: RunRecord, phase: str, asked: Party) -> dict[str, str]:
        """How fields differed so far in a phase of a run, where a party was asked otherwise."""
        key = (run.n, phase, asked)
        if key not in self._ways:
            noted = self.askings_of(run)
            mine = [one.otherwise for one in noted if (one.phase, one.party) == key[1:]]
            self._ways[key] = {name: how for way in mine for name, how in way.items()}
        return self._ways[key]

    def askings(self) -> dict[str, list[PartyAsking]]:
        """How parties were asked, by a run's id: of runs that asked one otherwise than meant."""
        sql = (
            f"SELECT r.run_id, {quoted(ASKINGS.columns, 'a.')} FROM askings AS a"
            f" JOIN runs AS r ON r.n = a.run WHERE {_ASKED_OTHERWISE} {_ASKINGS_IN_ORDER}"
        )
        by_run: dict[str, list[PartyAsking]] = {}
        for run_id, asking in self._rows(sql, (), _asking_of):
            by_run.setdefault(run_id, []).append(asking)
        return by_run

    def all_askings(self, run: RunRecord) -> list[PartyAsking]:
        """How the parties of a run were asked, also where all were asked as meant."""
        sql = (
            f"SELECT r.run_id, {quoted(ASKINGS.columns, 'a.')} FROM askings AS a"
            f" JOIN runs AS r ON r.n = a.run WHERE a.run = ? {_ASKINGS_IN_ORDER}"
        )
        return [asking for _, asking in self._rows(sql, (run.n,), _asking_of)]

    def askings_of(self, run: RunRecord) -> list[PartyAsking]:
        """How the parties of a run were asked; nothing where all were asked as meant."""
        otherwise = _ASKED_OTHERWISE.replace("{}", "{{}}")
        sql = (
            f"SELECT a.run, {quoted(ASKINGS.columns, 'a.')} FROM askings AS a"
            f" WHERE a.run {{of}} AND {otherwise} {_ASKINGS_IN_ORDER}"
        )
        return list(self._rows_of(run, sql, (), lambda row: _asking_of((run.run_id, *row))[1]))

    def calls(
        self, run: RunRecord, item_id: str | None = None, iteration: int | None = None
    ) -> Iterator[StoredCall]:
        """The answered calls of a run, of one item or of one sample, in the order they came."""
        where, values = ["run = ?"], [run.n]
        for name, value in (("item_id", item_id), ("iteration", iteration)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)  # type: ignore[arg-type]
        sql = f"{_SELECT}{' AND '.join(where)} ORDER BY n"
        return self._rows(sql, tuple(values), call_of, run)

    def replies(self, run: RunRecord, item_id: str, iteration: int) -> dict[CallKey, ChatResponse]:
        """What a sample's calls were answered, those of comparisons left out."""
        where = "run = ? AND item_id = ? AND iteration = ? AND phase != 'compare'"
        rows = self._rows(_SELECT + where, (run.n, item_id, iteration), call_of, run)
        return {call.key: call.response for call in rows}

    def reply(
        self, run: RunRecord, item_id: str, iteration: int, key: CallKey
    ) -> ChatResponse | None:
        """What one call was answered, if it was."""
        where = "run = ? AND item_id = ? AND iteration = ?"
        where += " AND phase = ? AND digest = ? AND occurrence = ?"
        rows = self._rows(_SELECT + where, (run.n, item_id, iteration, *key), call_of, run)
        return next((call.response for call in rows), None)

    def parameters_sent(self, run: RunRecord) -> frozenset[str]:
        """The names of all parameters that the model was sent in any of its calls."""
        sql = "SELECT DISTINCT run, sent FROM calls WHERE run {of} AND phase = 'generate'"
        rows = self._rows_of(run, sql, (), lambda row: object_of(row[0]))
        return frozenset(name for sent in rows for name in flat(sent))

    def judges(self, run: RunRecord) -> list[Party]:
        """The judges that have replied, the latest first."""
        sql = (
            "SELECT asked FROM calls WHERE run = ? AND phase = 'judge'"
            " GROUP BY asked ORDER BY max(n) DESC"
        )
        return list(self._rows(sql, (run.n,), lambda row: party_in(row[0])))

    def has_passed(self, digest: str) -> bool:
        """Whether any run holds the answer to this trial of a judge."""
        sql = "SELECT 1 FROM calls WHERE phase = 'trial' AND digest = ? LIMIT 1"
        return next(self._rows(sql, (digest,), bool), False)

    def count_calls(self, run: RunRecord) -> int:
        """How many answered calls a run has."""
        sql = "SELECT count(*) FROM calls WHERE run = ?"
        return next(self._rows(sql, (run.n,), lambda row: int(row[0])))

    def call_totals(self, run: RunRecord, judge: Judge | None = None) -> Iterator[CallTotals]:
        """Calls added up by sample and phase; of judges' calls those of one judge, or a panel's."""
        sql = (
            "SELECT run, item_id, iteration, phase, count(*), sum(attempts),"
            " sum(finish = 'length'), sum(input_tokens), sum(cached_tokens),"
            " sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens),"
            " CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END,"
            " total(latency_s)"
            f" FROM calls WHERE run {{of}} AND {_OF_JUDGES} GROUP BY run, item_id, iteration, phase"
        )
        return self._rows_of(run, sql, _judges(judge), totals_of)

    def has_thought(self, run: RunRecord) -> bool:
        """Whether a reply of the model shows that it thinks before it answers."""
        sql = (
            "SELECT EXISTS (SELECT 1 FROM calls WHERE run = ? AND phase = 'generate'"
            " AND (reasoning != '' OR reasoning_tokens > 0))"
        )
        return next(self._rows(sql, (run.n,), lambda row: bool(row[0])))

    def cut_off(self, run: RunRecord) -> Iterator[CutOff]:
        """The replies of the model and of roles that ended at the limit of tokens."""
        sql = (
            "SELECT run, item_id, iteration, phase, text, reasoning, latency_s FROM calls"
            " WHERE run {of}"
            " AND finish = 'length' AND (phase = 'generate' OR phase GLOB 'role:*') ORDER BY n"
        )
        return self._rows_of(run, sql, (), _cut_off_of)

    def reply_sources(self, run: RunRecord) -> list[ReplySource]:
        """Where the replies of the model came from, the first first."""
        sql = (
            "SELECT run, address, returned_model, fingerprint, provider, count(*), min(at), max(at)"
            " FROM calls WHERE run {of} AND phase = 'generate'"
            " GROUP BY 1, 2, 3, 4, 5 ORDER BY min(n)"
        )
        return list(self._rows_of(run, sql, (), _source_of))

    def other_providers(self, run: RunRecord, judge: Judge | None = None) -> list[OtherProviders]:
        """The hosts that brokers chose for a judge, or those of a panel, and for roles."""
        sql = (
            "SELECT run, phase, asked, provider, count(*) FROM calls"
            f" WHERE run {{of}} AND provider IS NOT NULL AND phase != 'generate' AND {_OF_JUDGES}"
            " GROUP BY 1, 2, 3, 4 ORDER BY min(n)"
        )
        return list(self._rows_of(run, sql, _judges(judge), _provider_of))

    def odd_openings(self, run: RunRecord, judge: Judge | None = None) -> Iterator[OddOpening]:
        """The replies that begin with a bracket, as marks of thinking do; few do.

        Of judges' replies those of one judge, or a panel's.
        """
        sql = (
            "SELECT run, item_id, iteration, phase, text, messages FROM calls"
            f" WHERE run {{of}} AND {ODD_OPENING} AND {_OF_JUDGES} ORDER BY n"
        )
        return self._rows_of(run, sql, _judges(judge), _opening_of)
