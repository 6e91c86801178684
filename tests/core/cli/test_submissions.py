"""`bench site --submissions`: a folder of bundles as boards, and the repository that takes them."""

import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from eibench.core.exchange.submissions import submitted_runs
from eibench.core.exchange.verification import AskedAgain, BundleFault
from eibench.core.exchange.verifying import verify
from eibench.core.html.gather import Submissions
from eibench.core.text import as_text
from eibench.testing import LoopbackServer
from tests.conftest import enter_empty_place, run_here
from tests.core.cli.test_bundles import of, rows_in, signed, unsigned

Bench = Callable[..., Any]
ASKED = AskedAgain("x", "model", "m", 5, 20, 1, 5)._asdict()
FOLDER, SITE = Path("submissions"), Path("site")
TEMPLATE = Path(__file__).resolve().parents[3] / "docs" / "submissions-template"


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bundles of a judged demo run, `judged.eib`, and of one without, `weak.eib`."""
    with pytest.MonkeyPatch.context() as patch:
        work = enter_empty_place(tmp_path_factory.mktemp("submissions"), patch)
        for command in (
            ("run", "eqbench3", "--no-elo", "--model", "demo/strong"),
            ("run", "seceu", "--model", "demo/weak"),
            ("bundle", "eqbench3", "-o", "judged.eib", "--prompt-format", "ChatML"),
            ("bundle", "seceu", "-o", "weak.eib", "--weights", "https://example.org/weights"),
        ):
            assert (done := run_here(*command)).code == 0, done.err
        return work


@pytest.fixture
def folder(empty_place: Path, bundles: Path) -> Path:
    """A folder of submissions with `weak.eib`."""
    FOLDER.mkdir()
    shutil.copy(bundles / "weak.eib", FOLDER)
    return FOLDER


def read(folder: Path = FOLDER) -> Submissions:
    """What is said of the bundles in a folder."""
    with submitted_runs(folder) as (_, submissions):
        return submissions


def absent(folder: Path = FOLDER) -> dict[str, str]:
    """Why files of a folder count for nothing."""
    return {one.what: one.why for one in read(folder).absent}


def build(bench: Bench, *more: str) -> Any:
    """The site of the folder."""
    done = bench("site", "--submissions", FOLDER, "-o", SITE, *more)
    assert done.code == 0, done.err
    return done


def put_record(bundle: Path, asked: Sequence[AskedAgain] = ()) -> None:
    """What `bench verify --json` writes of a bundle when these were asked again."""
    faults = tuple(fault for one in asked for fault in one.faults)
    done = verify(bundle)._replace(
        asked=tuple(asked), faults=faults, at="2026-01-02T03:04:05+00:00"
    )
    record = bundle.with_name(f"{bundle.name.removesuffix('.eib')}.verified.json")
    record.write_text(as_text(done.as_json()))


def test_a_row_says_what_was_verified_by_what_and_when(bench: Bench, folder: Path) -> None:
    """The page, its downloads and the page of the model; the page links to the weights."""
    build(bench)
    words = (
        r"recomputed from its replies by eibench [\w.]+ on \d{4}-\d\d-\d\d; "
        "nobody asked the model again"
    )
    (page,), (model,) = SITE.glob("boards/*.html"), SITE.glob("models/*.html")
    text = page.read_text(encoding="utf-8")
    assert re.search(f'<small>{words}; <a href="https://example.org/weights"', text)
    assert re.search(f"R{words[1:]}", model.read_text(encoding="utf-8"))
    assert "hashes find damage, not fraud" in text.lower()
    (row,) = json.loads(page.with_suffix(".json").read_text())["rows"]
    (line,) = csv.DictReader(page.with_suffix(".csv").read_text().splitlines())
    assert row["verified"] == line["verified"]
    assert re.fullmatch(words, row["verified"])


def test_a_site_has_the_same_bytes_again(bench: Bench, folder: Path) -> None:
    """Nothing of the journal that is made on the way is in it."""
    sites = []
    for _ in range(2):
        build(bench)
        sites.append({p: p.read_bytes() for p in SITE.rglob("*") if p.is_file()})
        shutil.rmtree(SITE)
    assert sites[0] == sites[1]


def test_a_bundle_that_does_not_hold_is_named_and_on_no_board(
    bench: Bench, folder: Path, bundles: Path
) -> None:
    """With what does not follow, on the first page and by the command."""
    rows = rows_in(bundles / "weak.eib")
    of(rows, "grade")["values"]["score"] = 99.0
    signed(rows, f"{folder}/weak.eib")
    done = build(bench)
    index = unescape((SITE / "index.html").read_text(encoding="utf-8"))
    for text in (done.err, index):
        assert re.search(
            r"weak\.eib: not verified: .+: item '1', .* does not follow from its replies", text
        )
    assert not list(SITE.glob("boards/*"))


def test_an_earlier_record_says_who_was_asked_again(folder: Path, bundles: Path) -> None:
    """Of judge and model, with what that could show; nobody is said to have asked nobody."""
    shutil.copy(bundles / "judged.eib", folder)
    (run,) = verify(folder / "judged.eib").runs
    judge = AskedAgain(run.run_id, "judge", "demo/judge", 7, 135, 1, 9, {"0.05": 0.3})
    model = AskedAgain(run.run_id, "model", "demo/strong", 5, 20, 1, 5, p=0.4, shows=7.1)
    put_record(folder / "judged.eib", [judge])
    words = read().runs[run.run_id].verified
    assert re.search(
        r"; its judge was asked again for 7 of 135 verdicts by eibench \S+ on 2026-01-02; "
        "nobody asked the model again$",
        words,
    )
    put_record(folder / "judged.eib", [judge, model])
    words = read().runs[run.run_id].verified
    assert "5 of 20 items (no difference found, and 7.10 is found in 80 %) by eibench" in words
    assert "nobody" not in words


def test_what_a_record_accuses_is_on_no_board(folder: Path) -> None:
    """Asked again, another judge answered than the bundle says."""
    (run,) = verify(folder / "weak.eib").runs
    fault = BundleFault("wrong", "other replies", run.run_id)
    put_record(
        folder / "weak.eib", [AskedAgain(run.run_id, "model", "m", 5, 20, 1, 5, faults=[fault])]
    )
    assert not read().runs
    assert absent() == {"weak.eib": "not verified: weak.verified.json says: other replies"}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"root": "ab" * 32}, "is of another bundle, whose root is abababababab"),
        ({"root": None}, '"root" must be a text'),
        ({"at": "<b>"}, "Invalid isoformat string"),
        ({"asked": [{"run_id": "x", "whom": "nobody"}]}, '"asked" holds one that needs'),
        ({"asked": [ASKED | {"p": 10**400}]}, '"p" must be a number from 0'),
    ],
)
def test_a_record_of_something_else_is_refused_by_name(
    folder: Path, changed: dict[str, object], why: str
) -> None:
    """The bundle stands on its board as if there were none."""
    put_record(folder / "weak.eib")
    record = folder / "weak.verified.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | changed))
    assert list(absent()) == ["weak.verified.json"]
    assert why in absent()["weak.verified.json"]
    (run,) = read().runs.values()
    assert run.verified.endswith("nobody asked the model again")


def test_files_that_are_no_bundle_are_named(folder: Path) -> None:
    """Each with the reason; a link is not followed, and no name is obeyed."""
    for name in ("empty.eib", "<img src=x>.eib", "a\n\x1b[2J.eib", os.fsdecode(b"\xff.eib")):
        (folder / name).touch()
    (folder / "folder.eib").mkdir()
    (folder / "link.eib").symlink_to("weak.eib")
    (folder / "lone.verified.json").touch()
    (folder / "notes.txt").touch()
    reasons = absent()
    assert sorted(reasons) == [
        "<img src=x>.eib", r"\xdcff.eib", r"a \x1b[2J.eib", "empty.eib", "folder.eib", "link.eib",
        "lone.verified.json",
    ]  # fmt: skip
    assert reasons["empty.eib"] == "is empty; bench bundle makes bundles"
    assert reasons["link.eib"] == reasons["folder.eib"] == "is no regular file"
    assert reasons["lone.verified.json"] == "there is no bundle of this name"
    assert len(read().runs) == 1


def test_names_of_files_are_text_on_pages(bench: Bench, folder: Path) -> None:
    """Markup in them is escaped."""
    (folder / "<img src=x>.eib").touch()
    build(bench)
    index = (SITE / "index.html").read_text(encoding="utf-8")
    assert "&lt;img src=x&gt;.eib" in index
    assert "<img src=x>" not in index


def test_a_run_that_two_bundles_hold_counts_once(folder: Path, bundles: Path) -> None:
    """The second is named, and whether it holds the same."""
    shutil.copy(bundles / "weak.eib", folder / "with.eib")
    rows = rows_in(bundles / "weak.eib")
    of(rows, "grade")["at"] = "2026-01-01T00:00:00.000+00:00"
    signed(rows, f"{folder}/x.eib")
    reasons = absent()
    assert re.fullmatch(r"run \w+ is shown as weak\.eib has it", reasons["with.eib"])
    assert reasons["x.eib"].endswith(", with other replies or grades: one of them is not true")


def test_a_folder_without_bundles_is_a_site_without_boards(bench: Bench, empty_place: Path) -> None:
    """So that a repository can be published before the first; one that is not there is an error."""
    FOLDER.mkdir()
    build(bench)
    assert "No board" in (SITE / "index.html").read_text(encoding="utf-8")
    done = bench("site", "--submissions", "elsewhere", "-o", "other")
    assert done.code == 3
    assert "elsewhere: cannot be read: No such file or directory" in done.err


def test_what_cannot_be_computed_here_is_named_without_folders(
    bench: Bench, folder: Path, questions: Any
) -> None:
    """A pack that is not here: which, but not where this machine would have it."""
    pack = questions("1,2")
    assert bench("run", "eqbench-v1", "--model", "demo/weak", "--dataset", pack).code == 0
    assert bench("bundle", "eqbench-v1", "-o", folder / "other.eib").code == 0
    build(bench)
    index = (SITE / "index.html").read_text(encoding="utf-8")
    assert "its numbers cannot be computed here" in index
    assert str(Path.cwd().parent) not in index


def test_a_packed_bundle_has_the_record_of_its_name(folder: Path) -> None:
    """`NAME.verified.json` is of `NAME.eib.gz` too."""
    put_record(folder / "weak.eib")
    packed = gzip.compress((folder / "weak.eib").read_bytes())
    (folder / "weak.eib").unlink()
    (folder / "weak.eib.gz").write_bytes(packed)
    assert len(read().runs) == 1
    assert not read().absent


def test_demo_runs_do_not_stand_beside_real_ones(bench: Bench, folder: Path) -> None:
    """They are named, and `--demo` shows them alone."""
    with LoopbackServer("2.5, 2.5, 2.5, 2.5") as server:
        where = ("--base-url", server.base_url, "--yes")
        done = bench("run", "seceu", "--model", "openai/m", *where)
        assert done.code == 0, done.err
    assert bench("bundle", "seceu", "-o", folder / "real.eib").code == 0
    done = build(bench)
    assert re.search(r"not on a board: weak\.eib: .* demo run", done.err)
    assert "openai/m" in (SITE / "index.html").read_text(encoding="utf-8")
    assert "not on a board: real.eib: " in build(bench, "--demo").err


class Workflow:
    """The workflow of the template, each step run as by its shell, in the clone of a fork."""

    def __init__(self) -> None:
        tools = Path("tools").resolve()
        tools.mkdir()
        (tools / "pip").write_text('#!/bin/sh\necho "pip $*"\n')
        (tools / "pip").chmod(0o755)
        who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")}  # fmt: skip
        path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.env = {**os.environ, **who, "PATH": path, "RUNNER_TEMP": str(Path.cwd())}
        shutil.copytree(TEMPLATE, "template")
        make = "git init -q -b main && git add -A && git commit -q -m Begin"
        self.shell(f"cd template && {make}", folder=".")
        self.shell("git clone -q --bare template fork && git clone -q fork clone", folder=".")
        self.env["BASE"] = self.shell("git rev-parse HEAD").stdout.strip()
        workflow = TEMPLATE / ".github/workflows/submissions.yml"
        self.whole = yaml.safe_load(workflow.read_text(encoding="utf-8"))

    def shell(self, command: str, folder: str = "clone", **env: str) -> Any:
        """What came of a command."""
        return subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=folder, env=self.env | env, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def job(self, name: str) -> tuple[int, str]:
        """The exit code of the first step of a job that fails, or 0; and what was printed."""
        out = ""
        for step in self.whole["jobs"][name]["steps"]:
            assert step.get("env", {}).keys() <= {"BASE"}
            done = self.shell(step.get("run", ""), **self.whole["env"])
            out += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, out
        return 0, out


def test_four_commands_lead_from_a_run_to_a_published_row(empty_place: Path, bundles: Path) -> None:
    """Those of the docs; a bad bundle makes the check fail, and is on no board."""
    shutil.copytree(bundles / "runs", "runs")
    flow = Workflow()
    page = (TEMPLATE.parent / "submissions.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```bash\n(bench bundle .*?)```", page, re.DOTALL)
    commands = block.strip().splitlines()
    assert len(commands) == 4
    for command in commands:
        done = flow.shell(command.replace("eqbench3", "seceu"))
        assert done.returncode == 0, done.stderr
    assert "NAME.eib" in flow.shell("git show --stat main", folder="fork").stdout
    rows = rows_in(bundles / "weak.eib")
    rows.remove(of(rows, "grade"))
    unsigned(rows, bundles / "weak.eib", "clone/submissions/a bad one.eib")
    flow.shell("git add -A && git commit -q -m more")
    code, out = flow.job("verify")
    assert code == 1
    assert out.count("\nverified: every number follows from the replies") == 1
    assert out.count("\nnot verified: ") == 1
    code, out = flow.job("publish")
    assert code == 0, out
    assert "not on a board: a bad one.eib: not verified: " in out
    (board,) = Path("clone/site/boards").glob("*.html")
    assert "recomputed from its replies by eibench" in board.read_text(encoding="utf-8")


def test_the_workflow_has_no_secret_and_pins_what_it_uses() -> None:
    """A pull request is only read, by actions of known commits."""
    text = (TEMPLATE / ".github/workflows/submissions.yml").read_text(encoding="utf-8")
    whole = yaml.safe_load(text)
    assert "secrets" not in text
    assert "pull_request_target" not in text
    assert whole["permissions"] == {"contents": "read"}
    assert "permissions" not in whole["jobs"]["verify"]
    uses = [
        step["uses"] for job in whole["jobs"].values() for step in job["steps"] if "uses" in step
    ]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", one) for one in uses)
