"""Two runs of one benchmark, graded by a scripted judge, for people to label."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eibench.testing import LoopbackServer
from tests.core.html.conftest import browser
from tests.plugin_folder import install_plugin

__all__ = ["browser"]

PLUGIN = '''
"""Messages, and replies to them that a judge rates."""
import eibench
from eibench.judges import Rubric, Template

RUBRIC = Rubric({"humane": "is humane"}, steps=(-1, -0.5, 0.5, 1))
JUDGE = Template("[REPLY]\\n{reply}\\n[/REPLY]\\n{criteria}\\n{form}")


class Care(eibench.Benchmark):
    name, version, title, judged = "care", "1", "is humane", True
    fields = {"id": str, "family": str}
    values = RUBRIC.values()

    async def generate(self, item, model, options):
        return await model.chat(f"Message {item.id}")

    async def grade(self, item, transcript, judge, options):
        return await RUBRIC.grade(judge, JUDGE, transcript)
'''
STEPS = (-1.0, -0.5, 0.5, 1.0)
ITEMS = 24


def quality(model: str, n: int) -> float:
    """What people think of a reply."""
    return STEPS[(n * 7 + (n % 5) + (2 if model == "elm" else 0)) % 4]


def verdict(model: str, n: int) -> float:
    """What the judge says: one step too kind in most cases, and unlike in every fifth."""
    step = STEPS.index(quality(model, n))
    return STEPS[(step + 2) % 4 if n % 5 == 0 else min(3, step + 1)]


class Studied(NamedTuple):
    """A folder with a journal, and the runs that it holds by model."""

    bench: Callable[..., Any]
    runs: dict[str, str]


@pytest.fixture
def studied(
    invoke: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_place: Path
) -> Iterator[Studied]:
    """Runs of ash and elm, each with 24 replies."""
    with install_plugin("care", PLUGIN, "care = care:Care", tmp_path, monkeypatch):
        rows = [{"id": f"m{n}", "family": f"f{n}"} for n in range(ITEMS)]
        write("pack.jsonl", rows)
        runs = {}

        def bench(*args: object) -> Any:
            # On a thread of its own: a browser keeps an event loop on this one.
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(invoke, *args).result()

        with LoopbackServer(_reply) as server:
            for model in ("ash", "elm"):
                said = [
                    {"item_id": f"m{n}", "response": f"As {model} of OpenAI I say: {model[0]}{n}."}
                    for n in range(ITEMS)
                ]
                write(f"{model}.jsonl", said)
                done = bench(
                    *("score", "care", f"{model}.jsonl", "--dataset", "pack.jsonl", "--save"),
                    *("--model", model, "--judge", "openai/j"),
                    *("--judge-base-url", server.base_url, "--json", "--yes"),
                )
                runs[model] = str(done.json["run_id"])
        yield Studied(bench, runs)


def write(path: str, rows: list[dict[str, Any]]) -> None:
    """JSON lines."""
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def _reply(request: Any) -> str:
    letter, number = request.prompt.partition("I say: ")[2].partition(".")[0][:1], 0
    number = int(request.prompt.partition("I say: ")[2].partition(".")[0][1:])
    return json.dumps({"humane": verdict({"a": "ash", "e": "elm"}[letter], number)})


def handed_in(
    folder: str, person: str, answer: Callable[[dict[str, Any]], Any], **changes: Any
) -> Path:
    """A file as the page saves it, with an answer to each entry; `None` for no answer."""
    page = Path(folder, "page.html").read_text()
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    head = {
        "format": "eibench-labels", "version": 1, "set": data["set"], "person": person,
        "consent": True, "recruited": "a notice", **changes,
    }  # fmt: skip
    said = [(entry, answer(entry)) for entry in data["entries"]]
    lines = [
        "  " + json.dumps({"entry": e["id"], "shown": e["shown"], "answer": a, "comment": ""})
        for e, a in said
        if a is not None
    ]
    facts = "".join(f" {json.dumps(k)}: {json.dumps(v)},\n" for k, v in head.items())
    path = Path(f"{person}.json")
    path.write_text("{\n" + facts + ' "answers": [\n' + ",\n".join(lines) + "\n ]\n}\n")
    return path


def reply_of(entry: dict[str, Any], side: int = 0) -> tuple[str, int]:
    """Model and number of the reply that an entry shows."""
    said = entry["texts"][side][1][-1][1].partition("I say: ")[2].partition(".")[0]
    return {"a": "ash", "e": "elm"}[said[0]], int(said[1:])
