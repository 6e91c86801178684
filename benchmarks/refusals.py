"""What becomes of requests that a server refuses as they are.

    python -m benchmarks.refusals [--held-out] [-v] [CASES]

Each case is a loopback server that refuses a request when and only when it holds something, in
words, a status and a body of `refusal_cases`, and takes any other. It is asked as a judge is,
through the clients themselves: once; again; and by eight calls at once. Looked at are the bodies
that the server got, what `ChatResponse.sent` says of them, the number of requests, and the error
where nothing can be left out; after such an error nothing may have been learned.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple, cast

from eibench.core.clients.anthropic import AnthropicClient
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.prompt_templates import find_template
from eibench.core.parties.providers import (
    OF_JUDGE,
    OF_MODEL,
    CallContext,
    Client,
    ClientConfig,
    ModelSpec,
)
from eibench.core.types import (
    ChatRequest,
    ChatResponse,
    Item,
    JsonDict,
    Message,
    Sampling,
)
from eibench.plugins.kit.loopback import LoopbackServer
from eibench.plugins.kit.wire import ReceivedRequest, Response

from .refusal_cases import CASES, HELD_OUT, NATIVE, ROOM, Case, cases, rendered

KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Any, None), Item("1"), 1, "judge")
MOST, MOST_AGAIN, AT_ONCE = 30, 2, 8
ASKED, LIMIT, CONTEXT = 8000, 4096, 8192
_LIMITS = ("max_tokens", "max_completion_tokens")
_SCHEMA: JsonDict = {
    "type": "object",
    "properties": {"warmth": {"type": "integer", "minimum": 0, "maximum": 20}},
    "required": ["warmth"],
    "additionalProperties": False,
}
_USUAL = Sampling(temperature=0, min_p=0.1, seed=7, max_tokens=ASKED, json_schema=_SCHEMA)
_MORE: Mapping[str, Mapping[str, Any]] = {
    "top_k": {"top_k": 40},
    "top_p": {"top_p": 0.9},
    "both": {"top_p": 0.9},
    "stop": {"stop": ("\n\n\n",)},
    "reasoning_effort": {"reasoning_effort": "low"},
    "thinking": {"reasoning_effort": "low"},
    "effort": {"reasoning_effort": "low"},
}
FAULTS = ("wrong", "changed in silence", "too many requests", "untrue", "excluded, walked")
"""What may be wrong with a case: another thing was left out, or nothing though it helps; `sent`
says otherwise; more were sent than may be; the error is no true sentence; it is one that is never
asked otherwise, and was."""


class Fault(NamedTuple):
    """Something that is wrong with a case."""

    kind: str
    words: str


class Outcome(NamedTuple):
    """What became of a case."""

    case: Case
    ends: str
    requests: int
    faults: list[Fault]


Body = Mapping[str, Any]


def request_of(case: Case, text: str = "The reply to grade. ") -> ChatRequest:
    """A request like a judge's, with what the case needs; its history too."""
    sampling, named = _USUAL, (*case.fields, case.other)
    for field in named:
        sampling = replace(sampling, **_MORE.get(field, {}))
    length = 1800 if case.kind == "context_too_long" else 60
    turns = [Message("system", "You are a strict judge."), Message("user", text * length)]
    if case.group == "assistant_first":
        turns.insert(1, Message("assistant", "What do you want to hear?"))
    elif case.group == "turns":
        turns += [Message("assistant", "Yes."), Message("user", "Go on."), Message("user", "Now.")]
    elif case.group in ("hopeless", "excluded", "system_as_turns"):
        turns += [Message("assistant", "Yes."), Message("user", "Go on.")]
    return ChatRequest(tuple(turns), sampling)


def fields_of(body: Body) -> dict[str, Any]:
    """What stands beside model and messages, what is grouped one by one."""
    flat = {k: v for k, v in body.items() if k not in ("model", "messages", "system", "prompt")}
    grouped = flat.pop("output_config", None) or {}
    return flat | {f"output_config.{k}": v for k, v in grouped.items()}


def turns_of(body: Body) -> list[tuple[str, str]]:
    """Roles and texts, the system text among them."""
    told = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    listed = (*told, *body.get("messages", [{"role": "user", "content": body.get("prompt")}]))
    return [(m["role"], _text(m["content"])) for m in listed]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _alternates(body: Body) -> bool:
    roles = [role for role, _ in turns_of(body) if role != "system"]
    return all(role == ("user", "assistant")[n % 2] for n, role in enumerate(roles))


class Refusing:
    """A server's part: what it refuses, and how it says so."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.ended = False
        self.words = ""
        self.taken: list[Body] = []

    def answer(self, request: ReceivedRequest) -> str | Response:
        """A refusal, or a good reply."""
        refused = None if self.ended else self._refused(request.body)
        if refused is None:
            self.taken.append(request.body)
            return '{"warmth": 12}'
        self.words, body = rendered(self.case, refused, self._values(request))
        html = self.case.form == "html"
        return Response(
            self.case.status,
            body.encode(),
            content_type="text/html" if html else "application/json",
        )

    def _refused(self, body: Body) -> str | None:
        """The name of what is refused in a body."""
        group, fields = self.case.fields[0], fields_of(body)
        limit = next((n for n in _LIMITS if n in fields), "max_tokens")
        room = int(fields.get(limit) or 0)
        roles = [role for role, _ in turns_of(body)]
        rules: Mapping[str, Callable[[], bool]] = {
            "hopeless": lambda: True,
            "excluded": lambda: True,
            "temperature_0": lambda: fields.get("temperature") == 0,
            "both": lambda: {"temperature", "top_p"} <= fields.keys(),
            "wants_new_name": lambda: "max_tokens" in fields,
            "wants_no_limit": lambda: room > 0,
            "limit": lambda: room > LIMIT,
            "limit_unsaid": lambda: room > LIMIT,
            "limit_listed": lambda: room > LIMIT,
            "context": lambda: room > CONTEXT - _tokens(body),
            "context_least": lambda: room > CONTEXT - _tokens(body),
            "system": lambda: "system" in roles,
            "system_as_turns": lambda: "system" in roles or not _alternates(body),
            "turns": lambda: not _alternates(body),
            "assistant_first": lambda: not _alternates(body),
        }
        if rule := rules.get(group):
            called = {"temperature_0": "temperature", "both": "top_p"}.get(group, limit)
            return called if rule() else None
        named = (called_in(self.case, field) for field in self.case.fields)
        return next((name for name in named if name in fields), None)

    def _values(self, request: ReceivedRequest) -> dict[str, Any]:
        prompt, fields = _tokens(request.body), fields_of(request.body)
        asked = next((fields[n] for n in _LIMITS if n in fields), ASKED)
        return fields | {
            "limit": LIMIT, "limit1": LIMIT + 1, "limit_comma": f"{LIMIT:,}", "asked": asked,
            "context": CONTEXT, "prompt": prompt, "total": prompt + int(asked),
            "least": CONTEXT - int(asked) + 1, "over": CONTEXT + 1,
            "other": called_in(self.case, self.case.other),
        }  # fmt: skip


def _tokens(body: Body) -> int:
    return sum(len(text) for _, text in turns_of(body)) // 3


def called_in(case: Case, field: str) -> str:
    """What a field is called in the requests of the case's client."""
    return NATIVE.get(field, field) if case.client == "anthropic" else field


@asynccontextmanager
async def connected(case: Case, server: LoopbackServer) -> AsyncIterator[Client]:
    """A client that has learned nothing yet."""
    spec = {"litellm": "litellm/openai/m", "anthropic": "anthropic/m"}.get(case.client, "openai/m")
    url = server.root_url if case.client == "anthropic" else server.base_url
    template = find_template("chatml") if case.client == "completions" else None
    party = OF_MODEL if len(case.words) % 3 == 0 else OF_JUDGE
    model = ModelSpec.parse(spec)
    config = ClientConfig(model, url, KEY, "SOME_KEY", template=template, party=party)
    client = _maker(case.client)(config)
    try:
        yield client
    finally:
        await client.close()


def _maker(name: str) -> Callable[[ClientConfig], Client]:
    if name == "litellm":
        from eibench.plugins.litellm.client import LiteLLMClient

        return LiteLLMClient
    return AnthropicClient if name == "anthropic" else OpenAIClient


def _serving(refusing: Refusing) -> LoopbackServer:
    limited = refusing.case.group == "limit_listed"
    entry: JsonDict = {"id": "m", "object": "model", "max_model_len": LIMIT}
    return LoopbackServer(refusing.answer, models=[entry] if limited else None)


async def _plain(case: Case, request: ChatRequest) -> tuple[Body, ChatResponse]:
    """What goes out, and what is said of it, where nothing is refused."""
    refusing = Refusing(case)
    refusing.ended = True
    async with _serving(refusing) as server, connected(case, server) as client:
        response = await client.complete(request, CALL)
    return refusing.taken[-1], response


async def run(case: Case) -> Outcome:
    """What becomes of a case."""
    request, refusing = request_of(case), Refusing(case)
    body, response = await _plain(case, request)
    faults: list[Fault] = []
    async with _serving(refusing) as server, connected(case, server) as client:
        try:
            reply = await client.complete(request, CALL)
        except ProviderError as error:
            faults += _faults_of_error(case, refusing, error, len(server.requests), server.port)
            return await _after_error(case, refusing, client, request, server, body, faults)
        first = len(server.requests)
        faults += _faults_of_reply(case, body, response, refusing.taken[-1], reply)
        faults += _too_many(first, MOST, "for one call")
        faults += await _again(case, refusing, client, server)
    return Outcome(case, "goes on", first, faults + await _at_once(case, request, first))


async def _after_error(
    case: Case,
    refusing: Refusing,
    client: Client,
    request: ChatRequest,
    server: LoopbackServer,
    body: Body,
    faults: list[Fault],
) -> Outcome:
    """The next request, which the server takes, has to be whole."""
    first, refusing.ended = len(server.requests), True
    try:
        await client.complete(request, CALL)
    except ProviderError as error:
        faults.append(Fault("wrong", f"after the error: {error}"))
    else:
        if fields_of(refusing.taken[-1]) != fields_of(body) or turns_of(
            refusing.taken[-1]
        ) != turns_of(body):
            faults.append(Fault("wrong", "learned from a refusal that nothing mended"))
    return Outcome(case, "ends", first, faults)


async def _again(
    case: Case, refusing: Refusing, client: Client, server: LoopbackServer
) -> list[Fault]:
    """Another request of the same kind: right at first; a longer one, after one more at most."""
    faults: list[Fault] = []
    for text, most in (("The next one to see. ", 1), ("A longer reply to be graded. ", 2)):
        before, seen = len(server.requests), len(refusing.taken)
        try:
            await client.complete(request_of(case, text), CALL)
        except ProviderError as error:
            faults.append(Fault("wrong", f"the next call: {error}"))
        most += "context" in case.group and most == 1
        faults += _too_many(len(server.requests) - before, most, "for the next call")
        if len(refusing.taken) > seen:
            was, now = fields_of(refusing.taken[seen - 1]), fields_of(refusing.taken[-1])
            if was.keys() != now.keys():
                faults.append(
                    Fault("wrong", f"the next call has {sorted(was.keys() ^ now.keys())}")
                )
    return faults


async def _at_once(case: Case, request: ChatRequest, first: int) -> list[Fault]:
    refusing = Refusing(case)
    async with _serving(refusing) as server, connected(case, server) as client:
        calls = (client.complete(request, CALL) for _ in range(AT_ONCE))
        replies = await asyncio.gather(*calls, return_exceptions=True)
        faults = [Fault("wrong", f"among others: {r}") for r in replies if isinstance(r, Exception)]
        most = first + 2 * (AT_ONCE - 1)
        return [*faults[:1], *_too_many(len(server.requests), most, "for eight at once")]


def _too_many(requests: int, most: int, when: str) -> list[Fault]:
    words = f"{requests} requests {when}, at most {most}"
    return [Fault("too many requests", words)] if requests > most else []


def _faults_of_reply(
    case: Case, whole: Body, plain: ChatResponse, taken: Body, reply: ChatResponse
) -> Iterator[Fault]:
    """What differs otherwise than it should between what was meant and what was taken."""
    if not case.mendable:
        yield Fault("excluded, walked", "got a reply")
        return
    before, after = fields_of(whole), fields_of(taken)
    left = before.keys() - after.keys()
    changed = {k for k in before.keys() & after.keys() if before[k] != after[k]}
    added = after.keys() - before.keys()
    if not _is_right(case, before, after, left, changed, added):
        words = f"left out {sorted(left)}, changed {[(k, after[k]) for k in changed]}"
        yield Fault("wrong", f"{words}, added {sorted(added)}")
    if words := _wrong_turns(case, whole, taken):
        yield Fault("wrong", words)
    yield from _silences(plain, reply, before, after, whole, taken)


def _is_right(
    case: Case,
    before: Body,
    after: Body,
    left: set[str],
    changed: set[str],
    added: set[str],
) -> bool:
    """Whether what is missing is exactly what is refused."""
    group, limits = case.fields[0], [n for n in _LIMITS if n in after]
    if group in ROOM:
        room = CONTEXT * 0.9 if "context" in group else LIMIT
        kept = bool(changed) and changed == set(limits) and not (left or added)
        enough = kept and after[limits[0]] >= (0.25 if group == "limit_unsaid" else 0.6) * room
        unbound = group == "limit_unsaid" and left <= set(_LIMITS) and bool(left) and not changed
        return enough or unbound
    if group == "wants_new_name":
        renamed = after.get("max_completion_tokens") == ASKED
        return renamed and left == {"max_tokens"} and not changed
    if group == "temperature_0":
        raised = changed == {"temperature"} and after["temperature"] <= 0.1 and not left
        return not added and (raised or (left == {"temperature"} and not changed))
    alone = {"wants_no_limit": {"max_tokens"}, "both": {"top_p"}}
    if group in ("system", "system_as_turns", "turns", "assistant_first"):
        return not (left or changed or added)
    wanted = alone.get(group) or {called_in(case, field) for field in case.fields}
    return left == wanted and not changed and not added


def _wrong_turns(case: Case, whole: Body, taken: Body) -> str:
    """What is wrong with the messages; empty if nothing is."""
    before, after = turns_of(whole), turns_of(taken)
    if case.group not in ("system", "system_as_turns", "turns", "assistant_first"):
        return "" if before == after else "other messages than were meant"
    everything = "\n\n".join(text for _, text in after)
    at = [everything.find(text) for _, text in before]
    if -1 in at or at != sorted(at):
        return "a message is missing, or in another place"
    kept = ("system" in dict(after)) == ("system" not in case.group)
    return "" if kept or case.group == "assistant_first" else f"roles are {[r for r, _ in after]}"


def _silences(
    plain: ChatResponse,
    reply: ChatResponse,
    before: Body,
    after: Body,
    whole: Body,
    taken: Body,
) -> Iterator[Fault]:
    """Where `sent` is not what was taken."""
    notes = {"system", "turns"}
    told = fields_of({k: v for k, v in reply.sent.items() if k not in notes})
    mapped = fields_of(plain.sent)
    for name in before.keys() | after.keys():
        if mapped.get(name) != before.get(name):
            continue  # which is said otherwise in any case
        if told.get(name) != after.get(name):
            yield Fault("changed in silence", f"sent says {name}={told.get(name)}")
    moved = turns_of(whole) != turns_of(taken)
    if moved != bool(notes & set(reply.sent)):
        yield Fault("changed in silence", f"of the messages sent says {notes & set(reply.sent)}")


def _faults_of_error(
    case: Case, refusing: Refusing, error: ProviderError, requests: int, port: int
) -> Iterator[Fault]:
    text = str(error)
    if case.mendable:
        yield Fault("wrong", f"ends: {text}")
    elif case.group == "excluded" and requests != 1:
        yield Fault("excluded, walked", f"{requests} requests: {text}")
    yield from _too_many(requests, MOST, "for one call")
    if "\n" in text or KEY in text or f"127.0.0.1:{port}" not in text:
        yield Fault("untrue", f"no line that names the party and no key: {text}")
    if _letters(refusing.words)[:24] not in _letters(text):
        yield Fault("untrue", f"without the server's words {refusing.words!r}: {text}")
    possible = [case.kind] if case.kind else list(ErrorKind)
    if case.group == "hopeless":
        possible = [ErrorKind.INVALID_REQUEST, ErrorKind.AUTH, ErrorKind.QUOTA]
    if error.kind not in possible:
        yield Fault("untrue", f"is {error.kind}, not {' or '.join(possible)}: {text}")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


async def measure(chosen: Sequence[Case]) -> list[Outcome]:
    """What becomes of each case, one after the other."""
    return [await run(case) for case in chosen]


def table(outcomes: Sequence[Outcome]) -> str:
    """Counts by group; in the columns of faults, cases that have one of that kind."""
    groups = dict.fromkeys(o.case.group for o in outcomes)
    head = ("cases", "go on", "end", "right", *FAULTS, "most requests")
    rows: list[tuple[str, ...]] = [("group", *head)]
    for group in (*groups, "all"):
        of_group = [o for o in outcomes if group in (o.case.group, "all")]
        kinds = Counter(kind for o in of_group for kind in {f.kind for f in o.faults})
        ends = Counter(o.ends for o in of_group)
        right = sum(not o.faults for o in of_group)
        counts = (len(of_group), ends["goes on"], ends["ends"], right, *(kinds[f] for f in FAULTS))
        rows.append((group, *map(str, counts), str(max(o.requests for o in of_group))))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def described(outcome: Outcome) -> str:
    """A case with its faults, for who has to mend them."""
    case = outcome.case
    what = f"{case.client} {case.group} {'+'.join(case.fields)} (other {case.other})"
    faults = "".join(f"\n    {kind}: {words}" for kind, words in outcome.faults)
    return f"{what} {case.status} {case.form}: {case.words!r}, {outcome.requests} requests{faults}"


def main(arguments: Sequence[str]) -> None:
    """Print the table, and with ``-v`` each case that is not right."""
    held_out = "--held-out" in arguments
    count = next((int(a) for a in arguments if a.isdigit()), HELD_OUT if held_out else CASES)
    began = perf_counter()
    outcomes = asyncio.run(measure(cases(count, held_out=held_out)))
    if "-v" in arguments:
        print(*(described(o) for o in outcomes if o.faults), sep="\n", end="\n\n")
    print(table(outcomes), f"{perf_counter() - began:.0f} s", sep="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
