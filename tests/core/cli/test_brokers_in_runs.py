"""Which host answered, behind a broker: kept with each call, told, and named in the plan."""

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.judges import criteria_of
from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]


def broker(*hosts: str) -> Callable[[ReceivedRequest], Answer]:
    """Ratings, replies and verdicts, from hosts in turn."""
    chosen, rate = cycle(hosts), uniform_ratings(3)

    def respond(request: ReceivedRequest) -> Answer:
        text = "I see. It is hard to wait for so long."
        if request.model == "j":
            text = json.dumps(dict.fromkeys(criteria_of(request.prompt), 6))
        elif "scores" in request.prompt.lower():
            text = str(rate(request))
        return Answer(text, provider=next(chosen))

    return respond


def test_the_hosts_of_a_model_are_kept_and_told(bench: Bench) -> None:
    """In the journal, in the result, in the warnings, and where a call is shown."""
    with LoopbackServer(broker("Together", "DeepInfra")) as server:
        done = bench("run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url,
                     "--limit", "4", "--concurrency", "1", "--json")  # fmt: skip
    assert done.json["asked"]["providers"] == ["Together", "DeepInfra"]
    (told,) = [line for line in done.json["warnings"] if "providers" in line]
    assert told.startswith("the replies name 2 providers (Together in 2, DeepInfra in 2), ")
    with Journal(Path("runs")) as journal:
        [run] = journal.runs()
        kept = [call.response.provider for call in journal.calls(run)]
    assert kept == ["Together", "DeepInfra"] * 2
    shown = bench("show", done.json["run_id"], "1", "--json").json
    assert "Together" in json.dumps(shown)


def test_one_host_is_not_told_of(bench: Bench) -> None:
    """There is nothing to warn of; a server that names none has none in its result."""
    for hosts, providers in ((("Together",), ["Together"]), (("",), None)):
        with LoopbackServer(broker(*hosts)) as server:
            done = bench("run", "eqbench-v1", "--model", f"openai/m{hosts[0]}", "--base-url",
                         server.base_url, "--limit", "2", "--json")  # fmt: skip
        assert done.json["asked"].get("providers") == providers
        assert not [line for line in done.json["warnings"] if "providers" in line]


def test_the_hosts_of_a_judge_are_told(bench: Bench) -> None:
    """By its name, beside the model's."""
    with LoopbackServer(broker("A", "B", "C")) as server:
        done = bench("run", "eqbench3", "--dataset", "bundled", "--model", "openai/m", "--base-url",
                     server.base_url, "--judge", "openai/j", "--judge-base-url", server.base_url,
                     "--limit", "4", "--no-elo", "--json")  # fmt: skip
    told = [line for line in done.json["warnings"] if "providers" in line]
    assert told[0].startswith("the replies name 3 providers (")
    assert told[1].startswith("the replies of the judge openai/j name ") and len(told) == 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), ["openrouter.ai chooses who answers each call, in"]),
        (("--extra-body", '{"provider": {"only": ["together"]}}'), []),
        (
            ("--judge", "openai/j", "--judge-base-url", "https://router.huggingface.co/v1"),
            [
                "openrouter.ai chooses who answers each call, in",
                "router.huggingface.co chooses who answers each call of the judge openai/j, in",
            ],
        ),
    ],
)
def test_a_plan_names_a_broker_that_chooses(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], told: list[str]
) -> None:
    """And says how to pin one host, for each party; nothing is asked."""
    monkeypatch.setenv("KEY", "k" * 20)
    name = "eqbench3" if "--judge" in more else "eqbench-v1"
    keys = ("--judge-api-key-env", "KEY") if "--judge" in more else ()
    done = bench("run", name, "--dataset", "bundled", "--model", "openai/a/b", "--base-url",
                 "https://openrouter.ai/api/v1", "--api-key-env", "KEY", "--dry-run",
                 *more, *keys)  # fmt: skip
    assert done.code == 0, done.err
    lines = [line for line in done.err.splitlines() if "chooses who" in line]
    assert len(lines) == len(told)
    assert all(start in line for start, line in zip(told, lines, strict=True))
    assert ("--extra-body" in done.err) == ("--extra-body" not in more)


def test_an_export_has_the_hosts(bench: Bench) -> None:
    """They come back where it is imported; null where none is named."""
    ids = []
    for name in ("Together", ""):
        with LoopbackServer(broker(name)) as server:
            run = ("run", "eqbench-v1", "--model", f"openai/m{name}", "--limit", "2", "--json")
            ids.append(bench(*run, "--base-url", server.base_url).json["run_id"])
    assert bench("export", *ids, "-o", "all.jsonl").code == 0
    lines = map(json.loads, Path("all.jsonl").read_text("utf-8").splitlines())
    calls = [line for line in lines if line.get("kind") == "call"]
    assert [line["provider"] for line in calls] == ["Together"] * 2 + [None] * 2
    assert bench("import", "all.jsonl", "--runs-dir", "there").code == 0
    with Journal(Path("there")) as journal:
        kept = [c.response.provider for run in journal.runs() for c in journal.calls(run)]
    assert sorted(map(str, kept)) == ["None", "None", "Together", "Together"]
