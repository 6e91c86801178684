"""`bench doctor`: what it looks at, what it says to do, and how it ends."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.clients.approvals import Approvals, Sending
from eibench.core.datasets import cache_folder
from eibench.testing import Answer, LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
KEY = "sk-fake-0123456789abcdef"
CHECKED = ("python", "packages", "plugins", "settings", "runs folder", "cache", "journal")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No approvals but those of a test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A model's server that takes one key only."""
    with LoopbackServer("OK", accept_keys=[KEY]) as server:
        yield server


def checks(bench: Bench, *args: object, **kwargs: Any) -> dict[str, tuple[str, str, str]]:
    """Verdict, what was seen and what to do, by the name of the check; the code is checked too."""
    done = bench("doctor", *args, "--json", **kwargs)
    found = done.json
    assert found["exit_code"] == done.code
    assert found["ok"] is (done.code == 0)
    failed = any(c["verdict"] == "FAIL" for c in found["checks"])
    assert failed is (done.code in (3, 4))
    return {c["name"]: (c["verdict"], c["told"], c["todo"]) for c in found["checks"]}


def test_a_fresh_machine_is_well(bench: Bench) -> None:
    """Exit 0, one line a check, nothing asked, and nothing made on the disk."""
    done = bench("doctor")
    assert done.code == 0
    *lines, last = done.out.splitlines()
    assert all(line.startswith("OK    ") for line in lines) and last == "ready"
    for name in CHECKED:
        assert f"OK    {name}: " in done.out
    assert done.err == ""
    assert not list(Path().iterdir())


def test_a_model_that_answers(bench: Bench, server: LoopbackServer) -> None:
    """Its key by name, its server, one announced request of at most 8 tokens, its price."""
    model = ("--model", "openai/x", "--base-url", server.base_url)
    done = bench("doctor", *model, env={"OPENAI_API_KEY": KEY})
    assert done.code == 0
    assert "OK    model openai/x key: OPENAI_API_KEY is set" in done.out
    assert f"127.0.0.1:{server.port} accepts connections" in done.out
    assert "OK    model openai/x call: " in done.out
    assert "price: free: this machine's own server" in done.out
    assert "one question, for an answer of at most 8 tokens" in done.err
    request, item = server.requests
    assert request.body["max_tokens"] == 8
    assert {request.api_key, item.api_key} == {KEY}
    assert KEY not in done.out + done.err


@pytest.mark.parametrize(
    ("finish", "tokens", "verdict", "message"),
    [
        (None, 20, "OK", "the answer to item 1 of eqbench-v1 can be read ("),
        ("stop", 3000, "WARN", "tokens out): it begins 'I would rather not.'; runs count such"),
        ("length", 4096, "WARN", "begins 'I would rather not.', and was cut off; if it thinks"),
    ],
)
def test_one_real_item_is_asked_and_read(
    bench: Bench, finish: str | None, tokens: int, verdict: str, message: str
) -> None:
    """An answer that no run could use is said before the run; it is no failure."""
    ratings = uniform_ratings(1)

    def respond(request: ReceivedRequest) -> Answer:
        if request.n == 0:
            return Answer("OK", output_tokens=1)
        if finish is None:
            return Answer(str(ratings(request)))
        return Answer("I would rather not.", finish=finish, output_tokens=tokens)

    with LoopbackServer(respond) as model:
        done = bench("doctor", "--model", "openai/x", "--base-url", model.base_url)
    assert done.code == 0 and len(model.requests) == 2
    (told,) = [text for text in done.out.splitlines() if "model openai/x item: " in text]
    assert told.startswith(verdict) and message in told
    last = done.out.splitlines()[-1]
    assert last == ("ready" if finish is None else "ready, but see model openai/x item")


def test_a_server_that_ignores_the_token_limit(bench: Bench) -> None:
    """186 tokens where 8 were asked for are no OK."""
    with LoopbackServer(lambda request: Answer("OK", output_tokens=186)) as model:
        found = checks(bench, "--model", "openai/x", "--base-url", model.base_url)
    verdict, message, todo = found["model openai/x call"]
    assert verdict == "WARN" and "186 out, though at most 8 were asked for" in message
    assert "--max-cost" in todo


def test_the_last_line_says_what_is_missing(bench: Bench) -> None:
    """Where something failed, it is named again."""
    done = bench("doctor", "--model", "openai/x", "--base-url", "http://127.0.0.1:9/v1")
    assert done.out.splitlines()[-1] == "not ready: model openai/x server"


def test_only_what_can_be_fetched_is_advised(bench: Bench) -> None:
    """No pack without an official form, and none that no benchmark uses."""
    _, message, _ = checks(bench, "--no-call")["official packs"]
    packs = bench("data", "list", "--json").json["packs"]
    official = [p["name"] for p in packs if p["pack"] == "official" and not p["data_only"]]
    assert message == f"not in the cache: {', '.join(official)} (bench data fetch NAME gets one)"
    assert "eqbench-v1" in official
    assert not {"emotionqueen", "judgemark-v2"} & set(official)


def test_no_call(bench: Bench, server: LoopbackServer) -> None:
    """--no-call looks at the server, and asks it nothing."""
    model = ("--model", "openai/x", "--base-url", server.base_url)
    found = checks(bench, *model, "--no-call", env={"OPENAI_API_KEY": KEY})
    assert "model openai/x server" in found
    assert "model openai/x call" not in found
    assert not server.requests


@pytest.mark.parametrize(
    ("fault", "verdict", "code"),
    [
        ("401", "FAIL", 4),
        ("404", "FAIL", 4),
        ("500", "FAIL", 4),
        ("html", "FAIL", 4),
        ("drop-mid", "FAIL", 4),
        ("429", "WARN", 0),
    ],
)
def test_a_server_that_fails(bench: Bench, fault: str, verdict: str, code: int) -> None:
    """What would end a run is a failure of kind 4; asked once, whatever it answers."""
    with LoopbackServer("OK", faults={fault: 1.0}) as server:
        done = bench("doctor", "--model", "openai/x", "--base-url", server.base_url)
    assert done.code == code
    assert f"{verdict:<4}  model openai/x call: " in done.out
    assert len(server.requests) == 1


def test_nobody_there(bench: Bench) -> None:
    """A closed port is told as such, and no request is tried."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    found = checks(bench, "--model", "openai/x", "--base-url", url)
    verdict, message, todo = found["model openai/x server"]
    assert verdict == "FAIL"
    assert f"127.0.0.1:{port} cannot be reached" in message
    assert "running" in todo
    assert "model openai/x call" not in found


def test_the_worst_kind_is_the_exit_code(bench: Bench) -> None:
    """A missing key alone ends with 3; with a server that is down as well, with 4."""
    missing = ("--model", "openai/x")
    assert bench("doctor", *missing).code == 3
    file = '[run]\njudge_base_url = "http://127.0.0.1:9/v1"\n'
    Path("bench.toml").write_text(file)
    found = bench("doctor", *missing, "--judge", "openai/j")
    assert found.code == 4
    assert "FAIL  model openai/x key: no key for openai/...: set OPENAI_API_KEY" in found.out
    assert "FAIL  judge openai/j server: " in found.out


def test_a_demo_model_is_asked_nothing(bench: Bench) -> None:
    """It has no key and no server, and is free."""
    done = bench("doctor", "--model", "demo/medium")
    assert done.code == 0
    assert "model demo/medium key: needs none" in done.out
    assert "call" not in done.out
    assert done.err == ""


def test_a_model_that_cannot_be(bench: Bench) -> None:
    """What contradicts itself is a usage error, before anything is looked at."""
    done = bench("doctor", "--model", "demo/medium", "--base-url", "http://127.0.0.1:9/v1")
    assert (done.code, done.out) == (2, "")


def test_prices(bench: Bench) -> None:
    """From the file, from --price, from the table with its source; unknown is a warning."""
    Path("bench.toml").write_text('[prices."openai/mine"]\ninput = 1\noutput = 2\n')
    models = ("--model", "openai/no-such-model", "--model", "openai/gpt-4.1", "--no-call")
    env = {"OPENAI_API_KEY": KEY, "HTTPS_PROXY": "http://127.0.0.1:9"}
    found = checks(bench, *models, env=env)
    assert found["model openai/no-such-model price"][0] == "WARN"
    assert '[prices."openai/no-such-model"]' in found["model openai/no-such-model price"][2]
    assert "per million tokens: eibench price table" in found["model openai/gpt-4.1 price"][1]
    given = checks(bench, *models, "--price", "2,8", env=env)
    assert given["model openai/no-such-model price"][1].endswith("--price 2,8")
    file = checks(bench, "--model", "openai/mine", "--no-call", env=env)
    assert file["model openai/mine price"][1].startswith("$1 in, $2 out per million tokens: bench")


def test_a_provider_that_litellm_does_not_know(bench: Bench) -> None:
    """It is a failure of kind 3, and the other checks go on."""
    done = bench("doctor", "--model", "litellm/a/b", "--no-call")
    assert done.code == 3
    assert "FAIL  model litellm/a/b key: litellm knows no provider" in done.out
    assert "journal: " in done.out


def test_what_goes_through_a_proxy_is_not_tried(bench: Bench) -> None:
    """A direct connection would say nothing about it."""
    env = {"OPENAI_API_KEY": KEY, "HTTPS_PROXY": "http://127.0.0.1:9"}
    found = checks(bench, "--model", "openai/x", "--no-call", env=env)
    assert "behind the proxy" in found["model openai/x server"][1]


ENDPOINT = """
[endpoints.mine]
base_url = "{url}"
api_key_env = "MINE_KEY"
"""


def test_an_endpoint_of_the_file_that_is_used(bench: Bench, server: LoopbackServer) -> None:
    """Named by --base-url: its key goes there, and it is looked at once."""
    Path("bench.toml").write_text(ENDPOINT.format(url=server.base_url))
    found = checks(
        bench, "--model", "openai/x", "--base-url", "mine", env={"MINE_KEY": KEY}
    )  # fmt: skip
    assert found["model openai/x key"][1] == "MINE_KEY is set"
    assert found["model openai/x call"][0] == "OK"
    assert not any(name.startswith("endpoint") for name in found)


def test_an_endpoint_that_no_model_uses(bench: Bench, server: LoopbackServer) -> None:
    """Its key and its server are looked at, nothing is asked, and nothing of it is an error."""
    Path("bench.toml").write_text(
        ENDPOINT.format(url=server.base_url)
        + '[endpoints.down]\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    found = checks(bench)
    assert found["endpoint mine key"][:2] == ("WARN", "MINE_KEY is not set")
    assert found["endpoint mine server"][0] == "OK"
    assert found["endpoint down server"][0] == "WARN"
    assert checks(bench, env={"MINE_KEY": KEY})["endpoint mine key"][0] == "OK"
    assert not server.requests


def test_a_key_that_is_not_approved(bench: Bench) -> None:
    """It is an error of the model that uses it, with the command; no server is looked at."""
    Path("bench.toml").write_text(ENDPOINT.format(url="https://192.0.2.1/v1"))
    env = {"MINE_KEY": KEY, "HTTPS_PROXY": "http://127.0.0.1:9"}
    found = checks(bench, "--model", "openai/x", "--base-url", "mine", env=env)
    verdict, message, todo = found["model openai/x key"]
    assert verdict == "FAIL"
    assert "bench.toml sends the key in MINE_KEY to 192.0.2.1" in message
    assert "bench config --approve 192.0.2.1 MINE_KEY" in todo
    assert "model openai/x server" not in found
    assert checks(bench, env=env)["endpoint mine key"][0] == "WARN"
    Approvals().add(Sending("192.0.2.1", "MINE_KEY"))
    found = checks(bench, "--model", "openai/x", "--base-url", "mine", "--no-call", env=env)
    assert found["model openai/x key"][0] == "OK"


def test_official_packs(bench: Bench) -> None:
    """Nothing in the cache is well; a file with other contents is an error."""
    assert "eqbench-v1" in checks(bench)["official packs"][1]
    folder = cache_folder() / "eqbench-v1"
    folder.mkdir(parents=True)
    (folder / "eq_bench_v1_questions_60.json").write_text("{}")
    done = bench("doctor")
    assert done.code == 3
    assert "FAIL  pack eqbench-v1: official: eq_bench_v1_questions_60.json is not" in done.out
    assert "bench data fetch eqbench-v1 replaces it" in done.out


@pytest.mark.skipif(
    "EIBENCH_OFFICIAL_DATA" not in os.environ,
    reason="EIBENCH_OFFICIAL_DATA does not name a folder with the official data",
)
def test_an_official_pack_that_is_there(bench: Bench) -> None:
    """Its SHA-256 was checked."""
    source = next(Path(os.environ["EIBENCH_OFFICIAL_DATA"]).rglob("eq_bench_v1_questions_60.json"))
    folder = cache_folder() / "eqbench-v1"
    folder.mkdir(parents=True)
    shutil.copy(source, folder)
    assert "official: SHA-256 right" in bench("doctor").out


def test_the_journal(bench: Bench) -> None:
    """Size, counts and schema of a whole one; a damaged one ends with 4 and stays as it is."""
    assert bench("run", "eqbench-v1", "--limit", 2).code == 0
    assert "none in runs yet" in checks(bench)["journal"][1]
    message = checks(bench)["demo journal"]
    assert message[0] == "OK"
    assert "1 run, " in message[1]
    assert "no run is in use" in message[1]
    path = Path("runs/demo/bench.sqlite")
    path.write_bytes(b"no journal")
    done = bench("doctor")
    assert done.code == 4
    assert "FAIL  demo journal: " in done.out
    assert path.read_bytes() == b"no journal"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights(bench: Bench) -> None:
    """Runs could not be kept there."""
    Path("runs").mkdir(mode=0o500)
    assert checks(bench)["runs folder"][0] == "FAIL"


def test_a_file_in_place_of_the_runs_folder(bench: Bench) -> None:
    """It is told, and the journal's check does not fall over it."""
    Path("runs").write_text("")
    assert checks(bench)["runs folder"][0] == "FAIL"


def test_broken_settings_are_one_line(bench: Bench) -> None:
    """Exit 3 with the place, as for every command."""
    Path("bench.toml").write_text("[endpoints.a]\n")
    done = bench("doctor")
    assert (done.code, done.out) == (3, "")
    assert "[endpoints.a]: base_url is missing" in done.err


def test_a_broken_plugin(bench: Bench, tmp_path: Path) -> None:
    """It is named with its reason and what to do, in a process that has it installed."""
    site = tmp_path / "site"
    info = site / "broken_thing-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-thing\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[eibench]\nbroken = no_such_module\n")
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", "from eibench.core.cli import main; main()", "doctor"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "FAIL  plugin broken: broken-thing 1.0: ModuleNotFoundError" in done.stdout
    assert "upgrade or uninstall broken-thing 1.0" in done.stdout


def test_all_three_ways_to_a_model(bench: Bench, server: LoopbackServer) -> None:
    """An anthropic and a litellm model at the same server, each asked one question and an item."""
    root = server.base_url.removesuffix("/v1")
    env = {"ANTHROPIC_API_KEY": KEY, "MINE_KEY": KEY, "NO_PROXY": "127.0.0.1"}
    anthropic = ("--model", "anthropic/x", "--base-url", root)
    assert checks(bench, *anthropic, env=env)["model anthropic/x call"][0] == "OK"
    litellm = ("--model", "litellm/openai/x", "--base-url", server.base_url)
    found = checks(bench, *litellm, "--api-key-env", "MINE_KEY", env=env)
    assert found["model litellm/openai/x call"][0] == "OK"
    assert len(server.requests) == 4
