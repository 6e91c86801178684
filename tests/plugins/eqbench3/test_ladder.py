"""`bench data fetch eqbench3 --ladder`, with synthetic files of the published form.

The published files themselves were not at hand: nothing here is theirs.
"""

import gzip
import hashlib
import itertools
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from eibench import folder, read_toml
from eibench.core.datasets import cache_folder
from eibench.plugins.eqbench3.benchmark import EQBench3, published_rows
from eibench.testing import LoopbackServer
from tests.processes import Process

Bench = Callable[..., Any]
Make = Callable[..., dict[str, Any]]
KINDS: dict[str, Any] = read_toml(folder("eqbench3") / "official_protocol.toml")["kinds"]
RUNS, ELO = "canonical_leaderboard_results.json.gz", "canonical_leaderboard_elo_results.json.gz"
MODELS = ("o3", "<b>hostile\\</b>", "tiny", "llama-3.2-1b-instruct")
JUDGE = "imported/maker/sonnet"


class Files(ThreadingHTTPServer):
    """Serves files.

    Attributes:
        hangs: Half of the ladder's second file is sent, and no more until `over`.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.hangs = False
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Files

    def do_GET(self) -> None:
        """A file."""
        name = self.path.removeprefix("/")
        self.server.asked.append(name)
        body = self.server.files.get(name)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.hangs and name == ELO:
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.server.over.wait(30)
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def files() -> Iterator[Files]:
    """A file server on this machine."""
    with Files() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.over.set()
        made.shutdown()
        thread.join()


def blob(body: bytes) -> str:
    """Git's id of a file's contents, as `git hash-object` prints it."""
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def compared(
    test: str, other: str, scenario: str, order: str, winner: str, **more: Any
) -> dict[str, Any]:
    """A comparison in upstream's form, won by a margin of two throughout."""
    first = "A0493" if order.startswith("A0493:" + ("test" if winner == test else "other")) else ""
    kind = "analysis" if len(scenario) == 3 else "role-play"
    words = dict.fromkeys(KINDS[kind]["pairwise_criteria"], f"{first or 'A0488'}++")
    made = {
        "scenario_id": scenario,
        "pair": {"test_model": test, "neighbor_model": other, "iteration_index": "1"},
        "order": order,
        "judge_response": {"chain_of_thought_reasoning": "So it is.", **words},
        "outcome_for_test_model": float(winner == test),
    }
    return {**made, **more}


ORDERS = ("A0493:test / A0488:other", "A0493:other / A0488:test")
#: Scenarios of ten families.
SCENARIOS = ("1", "2", "4", "5", "6", "7", "9", "11", "15", "401")
#: Where the third of the models wins against the second.
LOST = ("1", "4", "6", "9")


def ladder_rows() -> list[dict[str, Any]]:
    """Both orders of all pairs, as they happened to end; the first of `MODELS` wins, mostly."""
    draw = random.Random(0)
    rows = []
    pairs = itertools.combinations(MODELS, 2)
    for (one, two), scenario in itertools.product(pairs, SCENARIOS):
        better = two if (one, two) == MODELS[1:3] and scenario in LOST else one
        lengths = {f"{who}_model_avg_response_length": draw.uniform(700, 1100)
                   for who in ("test", "neighbor")}  # fmt: skip
        rows += [compared(one, two, scenario, order, better, **lengths) for order in ORDERS]
    draw.shuffle(rows)  # judged at the same time, so they end in any order
    return rows


def results(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A results file."""
    rated = {name: {"elo": 1200.0, "elo_norm": 1000.0} for name in MODELS}
    return {**rated, "__metadata__": {"global_pairwise_comparisons": rows, "last_updated": "x"}}


@pytest.fixture
def publish(
    files: Files, pack: Path, run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, bytes]]:
    """Serves a pack and a ladder, and has the manifest name them; gives the ladder's files."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setattr(EQBench3, "data", data)

    def serve(
        runs: Any = None, rows: Any = None, *, bodies: dict[str, bytes] | None = None
    ) -> dict[str, bytes]:
        keyed = {one["run_key"]: one for one in runs or [run(name) for name in MODELS]}
        rows = ladder_rows() if rows is None else rows
        made = {
            RUNS: gzip.compress(json.dumps(keyed).encode(), mtime=0),
            ELO: gzip.compress(json.dumps(results(rows)).encode(), mtime=0),
        }
        made |= bodies or {}
        packed = {path.name: path.read_bytes() for path in sorted(pack.iterdir())}
        files.files |= made | packed
        official = [
            {"name": name, "path": name, "url": f"{files.url}/{name}", "size": len(body),
             "sha256": hashlib.sha256(body).hexdigest()}
            for name, body in packed.items()
        ]  # fmt: skip
        ladder = [
            {"path": name, "url": f"{files.url}/{name}", "blob": blob(body)}
            for name, body in made.items()
        ]
        manifest = {
            "packs": {"official": {"title": "toy", "licence": "MIT", "files": official}},
            "ladder": {"format": "eqbench3", "judge": "eqbench.com", "files": ladder},
        }
        (data / "manifest.json").write_text(json.dumps(manifest))
        return made

    return serve


def fetch(bench: Bench, *more: object) -> Any:
    """`bench data fetch eqbench3 --ladder`."""
    return bench("data", "fetch", "eqbench3", "--ladder", *more)


def test_one_command_brings_pack_transcripts_and_verdicts(
    bench: Bench, publish: Callable[..., Any]
) -> None:
    """Runs into the journal, as an import would; what to type next at the end."""
    publish()
    done = fetch(bench)
    assert (done.code, done.out) == (0, "")
    assert f"{RUNS}: 4 runs with 16 transcripts, 16 verdicts; 4 new\n" in done.err
    assert f"{ELO}: 120 comparisons of 4 models\n" in done.err
    first, second = done.err.splitlines()[-2:]
    assert first.startswith("next: bench run eqbench3 --model SPEC --judge SPEC places a model")
    assert second == "next: bench rate eqbench3 --published rates the published verdicts"
    rows = bench("runs", "--json").json["runs"]
    assert {row["name"] for row in rows} == {f"{name} (imported)" for name in MODELS}
    assert {row["status"] for row in rows} == {"complete"}


def test_a_second_time_nothing_is_downloaded_or_imported_twice(
    bench: Bench, publish: Callable[..., Any], files: Files
) -> None:
    """And the comparisons are the same to the byte."""
    publish()
    fetch(bench)
    made = cache_folder() / "eqbench3" / "ladder" / "comparisons.jsonl.gz"
    before, asked = made.read_bytes(), len(files.asked)
    done = fetch(bench)
    assert done.code == 0
    assert "published ladder: all there and right in" in done.err
    assert "4 runs with 16 transcripts, 16 verdicts; 0 new\n" in done.err
    assert (len(files.asked), made.read_bytes()) == (asked, before)
    assert len(bench("runs", "--json").json["runs"]) == 4


def test_a_first_model_is_placed_among_the_published_by_its_own_judge(
    bench: Bench, publish: Callable[..., Any], judges: LoopbackServer
) -> None:
    """One command; no published verdict is in that rating, and no own one in the published."""
    publish()
    fetch(bench)
    url = judges.base_url
    done = bench(
        "run", "eqbench3", "--model", "openai/own", "--base-url", url, "--judge", "openai/j",
        "--judge-base-url", url, "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    rated = {row["model"] for row in done.json["ratings"]}
    assert rated == {"openai/own", *(f"{name} (imported)" for name in MODELS)}
    assert {request.model for request in judges.requests} == {"own", "j"}
    board = bench("leaderboard", "eqbench3", "--judge", "openai/j", "--json").json
    assert board["judge"].startswith("openai/j at local")
    read = done.json["comparisons"]["read"]
    assert sum(row["comparisons"] for row in board["rows"]) == 2 * read
    published = bench("rate", "eqbench3", "--published", "--json").json
    assert {row["model"] for row in published["ratings"]} == set(MODELS)
    assert published["diagnostics"]["comparisons"] == 120


def test_published_verdicts_are_rated_with_the_anchors_of_the_pack(
    bench: Bench, publish: Callable[..., Any]
) -> None:
    """The two that fix the published scale are among them."""
    publish()
    fetch(bench)
    rated = bench("rate", "--benchmark", "eqbench3", "--published", "--json").json
    assert rated["anchors"] == [
        {"model": "o3", "rating": 1500.0},
        {"model": "llama-3.2-1b-instruct", "rating": 200.0},
    ]
    assert [row["rank"] for row in rated["ratings"]] == [1, 2, 3, 4]


def test_published_verdicts_have_to_be_fetched(bench: Bench, publish: Callable[..., Any]) -> None:
    """The message has the command; a benchmark without a ladder is refused."""
    publish()
    done = bench("rate", "eqbench3", "--published")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "not on this machine; bench data fetch eqbench3 --ladder gets them" in done.err
    assert bench("rate", "seceu", "--published").err.endswith("seceu has no published ladder\n")
    assert bench("rate", "--published").code == 2
    assert "unknown benchmark 'some.jsonl'" in bench("rate", "some.jsonl", "--published").err
    done = bench("data", "fetch", "seceu", "--ladder")
    assert (done.code, "seceu has no published ladder" in done.err) == (2, True)


KILLED = """
from pathlib import Path
from eibench.core.cli import main
from eibench.plugins.eqbench3.benchmark import EQBench3

EQBench3.data = Path({data!r})
main()
"""


@pytest.mark.parametrize("when", ["downloading", "importing"])
def test_what_was_killed_is_resumed(
    bench: Bench, publish: Callable[..., Any], files: Files, when: str
) -> None:
    """With `kill -9`: the next command has the same runs and comparisons as any other."""
    publish()
    files.hangs = when == "downloading"
    journal = Path("runs", "bench.sqlite")
    code = KILLED.format(data=str(EQBench3.data))
    process = Process(["data", "fetch", "eqbench3", "--ladder"], Path.cwd(), code=code)
    end = time.monotonic() + 60
    while not (ELO in files.asked if files.hangs else journal.exists() and journal.stat().st_size):
        assert process.poll() is None
        assert time.monotonic() < end, "it never came"
        time.sleep(0.002)
    process.kill()
    process.communicate(timeout=60)
    files.hangs = False
    files.over.set()
    done = fetch(bench)
    assert done.code == 0, done.err
    assert len(bench("runs", "--json").json["runs"]) == 4
    assert bench("rate", "eqbench3", "--published", "--json").code == 0
    assert files.asked.count(RUNS) == 1
    assert files.asked.count(ELO) == (2 if when == "downloading" else 1)


def test_a_file_with_another_id_is_refused(
    bench: Bench, publish: Callable[..., Any], files: Files
) -> None:
    """Nothing of it is kept, and nothing is imported."""
    publish()
    files.files[ELO] = files.files[ELO][:-1] + b"!"
    done = fetch(bench)
    assert done.code == 3
    assert re.search(r"git's id of it is [0-9a-f]{40}, that of the manifest is", done.err)
    assert not Path("runs").exists()
    there = cache_folder() / "eqbench3" / "ladder"
    assert [path.name for path in sorted(there.iterdir()) if path.name[0] != "."] == [RUNS]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (gzip.compress(b'{"a": ' * 9)[:-9], "the packed data is damaged or cut off"),
        (gzip.compress(b" " * 2**25), "expands to more than 250 times its size"),
        (b'{"a": 1}', "is not gzip, though its name ends in .gz"),
        (gzip.compress(b'{"a": 1'), "is not JSON: no , or } at character 8"),
        (gzip.compress(b'{"a": 1}'), 'is no file of EQ-Bench 3: it has no run with "scenario'),
    ],
    ids=["cut", "bomb", "plain", "broken", "other"],
)
def test_a_broken_file_is_refused_in_one_line(
    bench: Bench, publish: Callable[..., Any], body: bytes, message: str
) -> None:
    """It is the one of the manifest, so the next command says the same."""
    publish(bodies={ELO: body})
    for _ in range(2):
        done = fetch(bench)
        assert (done.code, done.err.splitlines()[-1][:6]) == (3, "Error:")
        assert message in done.err
    assert not (cache_folder() / "eqbench3" / "ladder" / "comparisons.jsonl.gz").exists()


def test_what_is_missing_is_counted_with_its_reason(
    bench: Bench, publish: Callable[..., Any], run: Make
) -> None:
    """Of runs and of comparisons; hostile names break no line."""
    rows = ladder_rows()
    rows[0]["judge_response"] = None
    rows[1]["order"] = "\x1b[31m"
    del rows[2]["test_model_avg_response_length"]
    odd = run("../[red]'odd'", tasks={"8": {"status": "error"}})
    publish(runs=[odd, run("o3", rubric_judge_model=None, judge_model=None)], rows=rows)
    done = fetch(bench)
    assert done.code == 0, done.err
    assert "118 comparisons of 4 models, of 1 the lengths are not known\n" in done.err
    assert "  left out: 1 x what the judge said is not there\n" in done.err
    assert "  left out: 1 x its order is unknown\n" in done.err
    assert "  left out: 1 x it is not finished\n" in done.err
    assert "\x1b" not in done.err
    judges = {row["judge"] for row in bench("runs", "--json").json["runs"]}
    assert judges == {JUDGE, "imported/eqbench.com"}


def test_the_manifest_names_the_ladder_of_the_pinned_commit() -> None:
    """The commit of the official pack, and the ids that git has there."""
    manifest = json.loads((folder("eqbench3") / "manifest.json").read_text())
    commit = manifest["packs"]["official"]["commit"]
    base = f"https://raw.githubusercontent.com/EQ-bench/eqbench3/{commit}/data"
    assert manifest["ladder"]["files"] == [
        {"path": name, "url": f"{base}/{name}", "blob": id}
        for name, id in (
            (RUNS, "e9671a8b089b321b919c7b3374899a9df71e7aa7"),
            (ELO, "c51f11c0ec80cecdfa6b14989d7a1114bac9ec3b"),
        )
    ]


def test_it_is_said_which_ranks_are_sure(bench: Bench, publish: Callable[..., Any]) -> None:
    """Over families, with length taken off, for all at once; the second and third are tied."""
    publish()
    fetch(bench)
    out = " ".join(bench("rate", "eqbench3", "--published").out.split())
    two = "2 (o3, llama-3.2-1b-instruct)"
    assert f"ranks that are sure (95 %), of 4 models: over families of items: {two}" in out
    assert f"with length taken off too: {two}" in out
    assert out.endswith(f"and for all models at once: {two} first place may be that of o3")


def test_the_published_board_has_all_rows_of_its_page() -> None:
    """`eqbench3.js` of EQ-bench/EQ-bench-site at 04a8066b048a: 79 models, the ends here."""
    rows = published_rows()
    assert len({row["model_name"] for row in rows}) == len(rows) == 79
    assert not any(row["model_name"].startswith("*") for row in rows)
    first, last = rows[0], rows[-1]
    assert (first["model_name"], first["elo_norm"], first["rubric_0_100"]) == (
        "claude-fable-5", 2049.7, 82.6,
    )  # fmt: skip
    assert (last["model_name"], last["elo_norm"]) == (
        "meta-llama/llama-3.2-1b-instruct", 200.0,
    )  # fmt: skip
