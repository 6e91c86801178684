"""A plugin in a process of its own: how long it takes to import, and what it asks there.

`main` is what that process does; it reads from standard input what `_ask` writes.
"""

import contextlib
import importlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eibench.checking import Subject

from .surroundings import no_network

IMPORT_S = 0.2
"""How long what an entry point names may take to import, of processor time, beside eibench."""
_WAIT_S = 60
_TRIES = 3


def look(modules: Sequence[str]) -> dict[str, Any]:
    """How modules import: seconds of processor time, what is printed, and what is connected to.

    The quickest of a few processes counts: the first one may have to compile, and one that fails
    may lack time or room that the next one has.
    """
    rows: list[dict[str, Any]] = []
    for _ in range(_TRIES):
        files = [(name, _file(name)) for name in modules]
        rows.append(_ask({"do": "import", "modules": files}))
        if rows[-1].get("seconds", IMPORT_S + 1) <= IMPORT_S:
            break
    return min(rows, key=lambda row: row.get("seconds", float("inf")))


def requests_of(subject: Subject, items: list[str]) -> dict[str, Any]:
    """Digests of what a benchmark asks of some items, in a process with other hashes of texts."""
    kind = type(subject.thing)
    name, more = kind.__module__, {"dataset": subject.dataset, "items": items}
    what = {"do": "ask", "module": name, "class": kind.__qualname__, "file": _file(name)}
    return _ask({**what, **more, "declared": subject.declaration})


def _file(module: str) -> str | None:
    return getattr(sys.modules.get(module), "__file__", None)


def _ask(question: dict[str, Any]) -> dict[str, Any]:
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    words = [sys.executable, "-c", f"from {__name__} import main; main()"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    asked = json.dumps({**question, "path": sys.path})
    try:
        done = subprocess.run(
            words, input=asked, capture_output=True, text=True, env=environment, timeout=_WAIT_S
        )
    except subprocess.TimeoutExpired:
        return {"error": f"has not ended after {_WAIT_S} s"}
    try:
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        last = (done.stderr.strip().splitlines() or ["without a word"])[-1]
        return {"error": f"ended with code {done.returncode}: {last}"}
    return answer


def _imported(question: dict[str, Any]) -> dict[str, Any]:
    _warm()
    printed = io.StringIO()
    with no_network() as tried, contextlib.redirect_stdout(printed):
        began = time.process_time()
        for name, file in question["modules"]:
            _module(name, file)
        seconds = time.process_time() - began
    return {"seconds": seconds, "printed": printed.getvalue(), "tried": tried}


def _warm() -> None:
    """Import what every plugin may use of ours, so that it is not counted."""
    names: dict[str, object] = {}
    exec("from eibench import *", names)
    for module in ("judges", "statistics", "providers", "testing", "text"):
        importlib.import_module(f"eibench.{module}")


def _asked(question: dict[str, Any]) -> dict[str, Any]:
    if files := question["declared"]:
        return _requests(Subject.restored(files, question["dataset"]), question)
    thing: Any = _module(question["module"], question["file"])
    for name in question["class"].split("."):
        thing = getattr(thing, name, None)
    if thing is None:
        return {"missing": f"{question['class']} is defined within a function"}
    try:
        subject = Subject(thing(), "", dataset=question["dataset"])
    except TypeError as error:
        return {"missing": f"{question['class']} cannot be made without arguments ({error})"}
    return _requests(subject, question)


def _requests(subject: Subject, question: dict[str, Any]) -> dict[str, Any]:
    items = {item.id: item for item in subject.default_pack.items}
    chosen = [items[name] for name in question["items"] if name in items]
    traces = subject.traces(chosen, subject.some_words())
    return {"asked": [sorted(trace.digests().elements()) for trace in traces]}


def _module(name: str, file: str | None) -> object:
    with contextlib.suppress(ImportError):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file or "")
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    sys.path[:] = question["path"]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            return {"import": _imported, "ask": _asked}[question["do"]](question)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything; it is told
            at = error.__traceback__
            while at is not None and at.tb_next is not None:
                at = at.tb_next
            where = f" ({Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno})" if at else ""
            return {"error": f"raised {type(error).__name__}: {error}{where}"}


def main() -> None:
    """Answer the question that standard input holds."""
    print(json.dumps(_answer(json.loads(sys.stdin.read()))))
