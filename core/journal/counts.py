"""What a journal's calls say of the servers: prompts by their counts, and replies that are alike.

Both are asked of every run, of which nearly all are sound: so SQL finds what is doubtful, by
numbers and without a text leaving it, and only that is read.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from ..parties.graders import Judge
from ..parties.party import Party
from ..reading.cut_prompts import REFERENCES, PromptCount
from ..reading.prompt_tokens import FEWEST
from ..types import Message
from .file import JournalFile
from .records import LongReplies, LongReply, RunRecord, as_json, party_in
from .tables import DamagedRow, Row

LONG, DRAWN = 200, 0.3
"""Characters of a reply, and the temperature, from which on chance gives no text twice."""
_TAIL = 64
"""Bytes at the end of replies that are alike, as are their lengths."""
_BYTES_PER_TOKEN = 5
"""With fewer bytes than so many times its tokens a prompt is no doubtful one."""
_PROMPT = "n, item_id, iteration, phase, asked, messages, input_tokens, cached_tokens, attempts"
_PARTIES = (
    "(phase = 'generate' OR phase GLOB 'role:*' OR phase = 'judge'"
    " AND asked IN (SELECT value FROM json_each(?)))"
)
_REAL = """instr(asked, '"provider":"demo"') = 0"""
_DOUBTFUL = f"""
WITH counted AS (
  SELECT run, n, item_id, iteration, phase, asked, attempts, input_tokens,
    input_tokens + cached_tokens AS most, length(CAST(messages AS BLOB)) AS size
  FROM calls WHERE run {{of}} AND input_tokens >= {FEWEST} AND cached_tokens < input_tokens
    AND {_PARTIES} AND {_REAL}
), ordered AS (
  SELECT *, max(iif(attempts = 1, input_tokens, 0)) OVER earlier AS before,
    min(size) OVER earlier AS shortest
  FROM counted WINDOW earlier AS (
    PARTITION BY run, item_id, iteration, phase, asked ORDER BY n
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT DISTINCT run, item_id, iteration, phase, asked FROM ordered
WHERE size > {_BYTES_PER_TOKEN} * most OR most <= before AND size > shortest
"""
_BEFORE_A_FORM = "char(9, 10, 13, 32, 96) || 'json'"
"""Blanks, and how a fence begins: a JSON object is a form, which two may fill in alike."""
# `substr`, as `length` counts all characters.
_LONG = f"""
calls WHERE run {{of}} AND (phase = 'generate' OR phase GLOB 'role:*') AND {_REAL}
  AND substr(text, {LONG}, 1) != '' AND substr(ltrim(text, {_BEFORE_A_FORM}), 1, 1) != '{{{{'
"""
_DRAWN = f"""
typeof(json_extract(sent, '$.temperature')) IN ('integer', 'real')
  AND json_extract(sent, '$.temperature') >= {DRAWN}
  AND coalesce(json_extract(sent, '$.top_k'), 0) != 1
"""
_ALIKE = f"""
WITH ended AS (
  SELECT n, run, phase, length(CAST(text AS BLOB)) AS size,
    substr(CAST(text AS BLOB), -{_TAIL}) AS tail FROM {_LONG}
), counted AS (SELECT n, count(*) OVER (PARTITION BY run, phase, size, tail) AS times FROM ended)
SELECT run, item_id, iteration, phase, digest, messages, text,
  json_extract(sent, '$.temperature'), {_DRAWN}
FROM calls WHERE n IN (SELECT n FROM counted WHERE times > 1) ORDER BY n
"""
_COUNTED = f"""
SELECT run, item_id, phase, sum({_DRAWN}), count(DISTINCT iif({_DRAWN}, iteration, NULL))
FROM {_LONG} GROUP BY run, item_id, phase
"""


class Doubtful(NamedTuple):
    """Prompts of one sample and party, one of which has a doubtful count."""

    item_id: str
    iteration: int
    phase: str
    asked: Party


def _doubtful_of(row: Row) -> Doubtful:
    item_id, iteration, phase, asked = row
    return Doubtful(item_id, iteration, phase, party_in(asked))


def _prompt_of(row: Row) -> PromptCount:
    n, item_id, iteration, _, _, messages, counted, cached, attempts, model = row
    turns = tuple(Message(role, content) for role, content in json.loads(messages))
    if not all(isinstance(content, str) for _, content in turns):
        raise DamagedRow(f"a prompt of item {item_id!r:.60} is no text")
    return PromptCount(item_id, iteration, n, turns, counted, cached, attempts, model)


def _reply_of(row: Row) -> LongReply:
    item_id, iteration, phase, digest, messages, text, temperature, drawn = row
    hashes = hash(messages), hash(text)
    return LongReply(item_id, iteration, phase, digest, *hashes, temperature, bool(drawn))


class CountStore(JournalFile):
    """The counts of a journal's calls."""

    def doubtful_prompts(self, run: RunRecord, judge: Judge | None = None) -> Iterator[Doubtful]:
        """Whose prompts have a doubtful count: of judges that of one judge's, or a panel's."""
        judges = [as_json(one.as_json()) for one in judge.judges] if judge else []
        return self._rows_of(run, _DOUBTFUL, (json.dumps(judges),), _doubtful_of)

    def prompts_of(self, run: RunRecord, one: Doubtful) -> list[PromptCount]:
        """All prompts of one sample and party, in the order they came."""
        sql = (
            f"SELECT {_PROMPT}, returned_model FROM calls"
            " WHERE run = ? AND item_id = ? AND iteration = ? AND phase = ? AND asked = ?"
            " ORDER BY n"
        )
        key = (run.n, one.item_id, one.iteration, one.phase, as_json(one.asked.as_json()))
        return list(self._rows(sql, key, _prompt_of, run))

    def first_prompts(self, run: RunRecord, phase: str, asked: Party) -> Iterator[PromptCount]:
        """The first prompts of a party that have a count."""
        sql = (
            f"SELECT {_PROMPT}, returned_model FROM calls WHERE run = ? AND phase = ? AND asked = ?"
            f" AND input_tokens >= {FEWEST} ORDER BY n LIMIT {REFERENCES}"
        )
        return self._rows(sql, (run.n, phase, as_json(asked.as_json())), _prompt_of, run)

    def alike_replies(self, run: RunRecord) -> Iterator[LongReply]:
        """The long replies that end as another one does and are as long, in the order they came."""
        return self._rows_of(run, _ALIKE, (), _reply_of)

    def long_replies(self, run: RunRecord) -> Iterator[LongReplies]:
        """How many long replies each item has from the model and from each role."""
        return self._rows_of(run, _COUNTED, (), lambda row: LongReplies(*row))
