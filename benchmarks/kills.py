"""What is paid for when `bench run` is killed again and again: by the server, and in the journal.

    python -m benchmarks.kills 200          a third of them in each kind of run

Three kinds of run, each with two models in one command and a panel of three judges: `eqbench3` with
ratings; the same with two addresses for each model and judges that refuse the schema, a temperature
of 0 and long replies; and `mediation-live`, where a fourth model plays the disputants. A command is
killed with SIGKILL, process group and all, a few answers after its start, and begun again in the
same folder, until it comes to its end by itself; then the next one begins in a new folder. After
each kill the loopback server is gone, and another one answers on another port. Each answer has a
number, which the journal keeps as the request's id beside the address that gave it, so the two are
compared answer by answer:

- *in flight at a kill*: sent, or answered so shortly before the kill that the journal's group was
  not yet on the disk. All that is billed beyond what is journalled has to be such.
- *lost*: answered earlier than that, and not in the journal.
- *paid twice*: asked again, word for word, though its reply was in the journal; but for the trial
  of a judge, which is of an address.

The result has to be that of a run that nobody killed.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from eibench import ChatRequest, Message, PackSource, Sampling
from eibench.plugins.eqbench3.demo import demo_margins, demo_verdict, respondents
from eibench.plugins.mediation_live.benchmark import MediationLive
from eibench.plugins.mediation_live.disputes import read_disputes
from eibench.testing import Fault, LoopbackServer, ReceivedRequest

from .measuring import BENCH, ROOT, clean_environment, table

JUDGES = ("judge-a", "judge-b", "judge-c")
MODELS = ("m0", "m1")
LATENCY_S = 0.03
CONCURRENCY = 3
GROUP_S = 0.1
"""A reply that was sent longer than this before a kill has to be in the journal."""
MOST_ANSWERS = 24
"""A command is killed after so many answers at most."""
TIME_LIMIT_S = 120.0
REFUSED = "400"
ROOM = 4096
"""Tokens of the longest reply that a refusing judge gives."""
_FILLER = "I wonder what each of the two could not say to the other, because it would hurt. "
_SQL = "SELECT address, request_id FROM calls"

Answer = tuple[int, int]
"""The port of a server, and the number of an answer there."""


class Kind(NamedTuple):
    """A kind of run.

    Attributes:
        name: What it is called in the table.
        arguments: After ``bench run``.
        respond: Who plays all its parties; the same request has the same reply.
        roles: The models that play roles, by role.
        refuses: What of a request is refused, in words; ``None`` for one that is taken.
        pooled: Each model has two addresses.
    """

    name: str
    arguments: Sequence[str]
    respond: Callable[[ReceivedRequest], str]
    roles: Mapping[str, str] = {}
    refuses: Callable[[ReceivedRequest], str | None] = lambda request: None
    pooled: bool = False

    def command(self, server: LoopbackServer, folder: Path) -> list[str]:
        """The command, for a folder of runs."""
        url = server.base_url
        words = [BENCH, "run", *self.arguments, "--dataset", "bundled", "--json"]
        for model in MODELS:
            words += ["--model", f"openai/{model}"]
        for judge in JUDGES:
            words += ["--judge", f"openai/{judge}"]
        for role, player in self.roles.items():
            words += ["--role", f"{role}=openai/{player}", "--role-base-url", f"{role}={url}"]
        for address in (url, url.replace("127.0.0.1", "localhost"))[: 1 + self.pooled]:
            words += ["--base-url", address]
        words += ["--judge-base-url", url, "--runs-dir", str(folder)]
        return [*words, "--concurrency", str(CONCURRENCY)]


@dataclass
class Counts:
    """What one kind of run came to.

    Attributes:
        ends: Commands that came to their end.
        sent: Requests that the server got.
        billed: Those that it answered in full.
        journalled: Replies in the journals.
        in_flight: Requests of which a kill took the reply.
        in_flight_billed: Those among them that were answered in full.
        lost: Replies that were there before a kill and not journalled.
        twice: Requests that were sent again though the journal held their reply.
        other: Results that are not those of a run that nobody killed.
    """

    name: str
    kills: int = 0
    ends: int = 0
    sent: int = 0
    billed: int = 0
    journalled: int = 0
    in_flight: int = 0
    in_flight_billed: int = 0
    lost: int = 0
    twice: int = 0
    other: int = 0

    @property
    def sound(self) -> bool:
        """Whether all that was billed is journalled, but for what was in flight at a kill."""
        even = self.billed == self.journalled + self.in_flight_billed
        return even and not (self.lost or self.twice or self.other)

    def row(self) -> list[str]:
        """The cells of the table."""
        numbers = [self.kills, self.ends, self.sent, self.billed, self.journalled]
        numbers += [self.in_flight_billed, self.in_flight, self.lost, self.twice, self.other]
        return [self.name, *map(str, numbers)]


_HEAD = ("run", "kills", "ends", "requests", "billed", "journalled", "billed, in flight at a kill",
         "requests in flight at a kill", "lost", "paid twice", "other results")  # fmt: skip


@dataclass
class Ledger:
    """What servers were asked in one folder, in the order that it came."""

    bodies: dict[Answer, str] = field(default_factory=dict)
    answered: dict[Answer, float] = field(default_factory=dict)
    done: set[Answer] = field(default_factory=set)
    """Requests of commands that have ended or were killed."""
    trials: set[Answer] = field(default_factory=set)

    def note(self, port: int, request: ReceivedRequest, outcome: str) -> None:
        """Take down a request and when it was answered."""
        answer = port, request.n
        self.bodies[answer] = json.dumps(request.body, sort_keys=True)
        if request.is_trial:
            self.trials.add(answer)
        if outcome == REFUSED:
            self.done.add(answer)
        if outcome == "ok":
            self.answered[answer] = time.monotonic()


def journalled(folder: Path) -> set[Answer]:
    """The answers that a journal holds."""
    if not (folder / "bench.sqlite").exists():
        return set()
    with closing(sqlite3.connect(f"file:{folder}/bench.sqlite?mode=ro", uri=True)) as connection:
        return {
            (urlsplit(address).port or 0, int(number.removeprefix("req_")))
            for address, number in connection.execute(_SQL)
        }


class Trial:
    """One folder in which a command is killed until it ends by itself."""

    def __init__(self, kind: Kind, counts: Counts, home: Path, rng: Random) -> None:
        self.kind, self.counts, self.rng = kind, counts, rng
        self.folder, self.home = home / "runs", home
        self.ledger = Ledger()
        self.server = self._serve()

    def _serve(self) -> LoopbackServer:
        """A server on a port that no other one of this folder had."""
        ports = {port for port, _ in self.ledger.bodies}
        while True:
            server = LoopbackServer(
                self.kind.respond, latency=LATENCY_S, faults=self._refusal, on_outcome=self._note
            )
            server.start()
            if server.port not in ports:
                return server
            server.close()

    def _note(self, request: ReceivedRequest, outcome: str) -> None:
        self.ledger.note(self.server.port, request, outcome)

    def _refusal(self, request: ReceivedRequest) -> Fault | None:
        words = self.kind.refuses(request)
        return None if words is None else Fault(REFUSED, message=words)

    def run(self, kills: int) -> str:
        """Kill the command at most so often; what the last one printed."""
        try:
            while kills > 0 and self._kill():
                kills -= 1
            code = self._start().wait(TIME_LIMIT_S)
            self.server.settle()
        finally:
            self.server.close()
        printed = (self.home / "out").read_text()
        if code:
            raise RuntimeError(f"{self.kind.name} ended with {code}: {printed[-2000:]}")
        self._count()
        return printed

    def _start(self) -> "subprocess.Popen[bytes]":
        """The command; what it prints goes into a file, as nobody reads a pipe meanwhile."""
        command = self.kind.command(self.server, self.folder)
        env = clean_environment(self.home) | {"OPENAI_API_KEY": "sk-fake-of-the-benchmark"}
        with (self.home / "out").open("wb") as out:
            return subprocess.Popen(
                command, env=env, start_new_session=True, stdout=out, stderr=subprocess.DEVNULL
            )

    def _kill(self) -> bool:
        """Kill a command somewhere; whether it had not come to its end before."""
        until = len(self.ledger.answered) + self.rng.randint(0, MOST_ANSWERS)
        process = self._start()
        time.sleep(self.rng.uniform(0, 0.5))
        end = time.monotonic() + TIME_LIMIT_S
        while len(self.ledger.answered) < until and process.poll() is None:
            if time.monotonic() > end:
                process.kill()
                raise RuntimeError(f"{self.kind.name}: nothing happens for {TIME_LIMIT_S:g} s")
            time.sleep(0.002)
        time.sleep(self.rng.uniform(0, 2 * LATENCY_S))
        if process.poll() is not None:
            return False
        moment = time.monotonic()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.server.settle()
        self._look(moment)
        self.server.close()
        self.server = self._serve()
        return True

    def _look(self, moment: float) -> None:
        """Compare what the server has answered with what the journal holds after a kill."""
        ledger, counts, held = self.ledger, self.counts, journalled(self.folder)
        gone = ledger.bodies.keys() - ledger.done - held
        late = {n for n in gone if ledger.answered.get(n, moment) > moment - GROUP_S}
        counts.kills += 1
        counts.in_flight += len(gone)
        counts.in_flight_billed += len(gone & ledger.answered.keys())
        counts.lost += len(gone - late)
        ledger.done |= ledger.bodies.keys()

    def _count(self) -> None:
        """What is known at the end."""
        ledger, counts, held = self.ledger, self.counts, journalled(self.folder)
        paid = set[str]()
        for answer, body in ledger.bodies.items():
            counts.twice += body in paid and answer not in ledger.trials
            paid |= {body} if answer in held else set()
        counts.ends += 1
        counts.sent += len(ledger.bodies)
        counts.billed += len(ledger.answered)
        counts.journalled += len(held)


def run_kind(kind: Kind, kills: int, seed: int) -> Counts:
    """Kill commands of one kind so often."""
    counts, rng = Counts(kind.name), Random(seed)
    whole = None
    while whole is None or counts.kills < kills:
        with tempfile.TemporaryDirectory(prefix="eibench-kills-") as home:
            left = kills - counts.kills if whole is not None else 0
            said = _told(Trial(kind, counts, Path(home), rng).run(left))
            print(f"{counts.name}: {counts.kills} kills", file=sys.stderr)
        whole = whole or said
        counts.other += said != whole
    return counts


def _told(printed: str) -> Any:
    """What does not depend on when anything was asked: numbers, and how samples ended."""
    runs = json.loads(printed)["runs"]
    kept = [{name: run[name] for name in ("name", "status", "metrics", "items")} for run in runs]
    rated = {row["model"]: round(row["rating"], 3) for row in runs[-1]["ratings"]}
    return [kept, rated]


def eqbench3() -> Kind:
    """Rated, in both orders."""

    def respond(request: ReceivedRequest) -> str:
        if request.is_trial:
            return "OK"
        if request.model not in JUDGES:
            say = _FILLER if request.model == MODELS[0] else "They are both sad. " + _FILLER
            return f"This is {request.model} speaking. " + 3 * say
        codes, rng = respondents(request.prompt), Random(request.prompt + request.model)
        return (
            demo_margins(request.prompt, codes, rng) if codes else demo_verdict(request.prompt, rng)
        )

    return Kind("eqbench3, rated, panel of 3", ["eqbench3", "--limit", "5"], respond)


def refused() -> Kind:
    """The same, where judges do not take all that they are asked."""

    def refuses(request: ReceivedRequest) -> str | None:
        if request.model not in JUDGES:
            return None
        body, room = request.body, request.body.get("max_tokens", 0)
        if "response_format" in body:
            return "This response_format type is unavailable now"
        if body.get("temperature") == 0:
            return "`temperature` must be strictly positive"
        return f"max_tokens is too large: {room} > {ROOM}" if room > ROOM else None

    rated = eqbench3()
    name = "eqbench3, rated, two addresses, panel of 3 that refuse"
    return rated._replace(name=name, refuses=refuses, pooled=True)


def mediation() -> Kind:
    """Talks of three parties."""
    benchmark = MediationLive()
    path = ROOT / "data" / "mediation_live" / "bundled" / "disputes.toml"
    (first, *_) = items = read_disputes(PackSource("bundled", "0", {path.name: path}))

    def respond(request: ReceivedRequest) -> str:
        messages = tuple(Message(m["role"], m["content"]) for m in request.messages)
        asked = ChatRequest(messages, Sampling())
        if request.is_trial:
            return "OK"
        if request.model in JUDGES:
            return benchmark.demo_verdict(first, asked, Random(request.prompt + request.model))
        text = "\n".join(message.content for message in messages)
        item = next((one for one in items if one.content.situation in text), first)
        if request.model == "disputants":
            return benchmark.demo_role("disputants", item, asked, Random(text))
        ability = 0.9 if request.model == MODELS[0] else 0.3
        return benchmark.demo_reply(item, asked, ability, Random(text))

    arguments = ["mediation-live", "--limit", "3", "--exchanges", "3"]
    return Kind(
        "mediation-live, a role, panel of 3", arguments, respond, {"disputants": "disputants"}
    )


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 1 where something was lost, paid twice or otherwise than undisturbed."""
    parser = argparse.ArgumentParser(description="What is paid for when bench run is killed.")
    parser.add_argument("kills", type=int, help="in all, a third in each kind of run")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    kinds = (eqbench3(), refused(), mediation())
    shares = [(given.kills + n) // len(kinds) for n in range(len(kinds))]
    counts = [run_kind(k, n, given.seed) for k, n in zip(kinds, shares, strict=True)]
    print(table(_HEAD, [each.row() for each in counts]))
    return 0 if all(each.sound for each in counts) else 1


if __name__ == "__main__":
    sys.exit(main())
