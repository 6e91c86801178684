"""The loopback server as a program, for tests that need it in another process.

`python -m eibench.plugins.kit.server --latency 0.2 --fault 429=0.2` prints its
base URL as the first line and serves until SIGTERM, SIGINT, or the end of its
standard input when that is a pipe or a terminal: a server whose parent was
killed does not outlive it, one started with no input at all stays.
"""

import argparse
import hashlib
import json
import os
import signal
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

from .faults import FAULT_KINDS, Fault
from .loopback import LoopbackServer
from .responders import uniform_ratings
from .wire import ReceivedRequest


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop; the exit code is 0 then."""
    options = _parser().parse_args(arguments)
    stop = Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    with ExitStack() as stack:
        log = options.requests_log
        log_file = stack.enter_context(log.open("a", encoding="utf-8")) if log else None
        server = stack.enter_context(_server(options, log_file))
        print(server.base_url, flush=True)
        _watch_input(stop)
        stop.wait()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("eibench.plugins.kit.server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    says = parser.add_mutually_exclusive_group()
    says.add_argument("--reply", default="OK", help="what every answer says")
    says.add_argument("--uniform-ratings", action="store_true", help="fill in EQ-Bench forms")
    parser.add_argument("--seed", type=int, default=0, help="of ratings and faults")
    parser.add_argument(
        "--fault",
        type=_fault,
        action="append",
        default=[],
        metavar="KIND=P",
        help=f"probability of a fault; kinds: {', '.join(FAULT_KINDS)}",
    )
    parser.add_argument("--retry-after", type=float, default=1.0, help="seconds, with 429")
    parser.add_argument("--accept-key", action="append", help="refuse any other key")
    parser.add_argument("--root", help="what its list of models says that the weights are")
    parser.add_argument("--requests-log", type=Path, help="one JSON line per chat request")
    return parser


def _fault(text: str) -> tuple[str, float]:
    kind, _, probability = text.partition("=")
    if kind not in FAULT_KINDS:
        raise argparse.ArgumentTypeError(f"no fault {kind!r}")
    return kind, float(probability or 1)


def _server(options: argparse.Namespace, log: TextIO | None) -> LoopbackServer:
    return LoopbackServer(
        uniform_ratings(options.seed) if options.uniform_ratings else options.reply,
        latency=options.latency,
        faults={Fault(kind, options.retry_after): p for kind, p in options.fault},
        seed=options.seed,
        accept_keys=options.accept_key,
        port=options.port,
        record=False,
        models=[{"id": "model", "object": "model", "root": options.root}] if options.root else None,
        on_outcome=None if log is None else _logger(log),
    )


def _logger(log: TextIO) -> Callable[[ReceivedRequest, str], None]:
    def write(request: ReceivedRequest, outcome: str) -> None:
        digest = hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).hexdigest()
        line = {"n": request.n, "digest": digest, "prompt": request.prompt[:80], "outcome": outcome}
        log.write(json.dumps(line) + "\n")
        log.flush()

    return write


def _watch_input(stop: Event) -> None:
    """Set the event at the end of standard input, unless it is a file such as /dev/null."""
    if sys.stdin is None:
        return
    mode = os.fstat(0).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(0):
        Thread(target=_read_to_end, args=(stop,), daemon=True).start()


def _read_to_end(stop: Event) -> None:
    while os.read(0, 4096):
        pass
    stop.set()


if __name__ == "__main__":
    raise SystemExit(main())
