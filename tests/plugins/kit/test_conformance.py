"""What `bench plugin check` finds in plugins, and that ours and the reference ones conform."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.checking import Finding, Subject, named_subjects
from eibench.core.checking.targets import KINDS
from eibench.core.plugins import installed
from eibench.plugins.kit.conformance import CHECKS, Conformance, lock
from eibench.plugins.kit.conformance.running import results_of
from eibench.testing import conformance
from tests.plugins.kit import faulty
from tests.reference_plugins.doorstep.doorstep import Doorstep
from tests.reference_plugins.listening.listening import CHECKS as QUESTIONS
from tests.reference_plugins.listening.listening import Listening

test_conforms = conformance(
    Doorstep(), skip=("K02", "K15", "K23"), reason="they take long, and are made of others below"
)
REFERENCE = Path(__file__).parents[2] / "reference_plugins"


def finding_of(check: str, subject: Subject) -> Finding:
    """The first finding of a check, which must have one, with all that an author needs."""
    result = CHECKS[check].run(subject)
    assert result.verdict is Conformance.FAIL, result
    assert result.findings[0].todo
    return result.findings[0]


@pytest.mark.parametrize("fault", faulty.ALL, ids=lambda fault: fault.name)
def test_each_planted_fault_is_found(fault: faulty.Faulty) -> None:
    """By its check, which names the method, says where it is, and what to do."""
    thing = fault.make()
    finding = finding_of(fault.check, Subject(thing, thing.name, patience_s=fault.patience_s))
    assert finding.method == fault.method
    assert re.search(fault.words, finding.message), finding
    assert re.search(r"\w+\.py(:\d+)?", finding.where or finding.message), finding


def installed_names() -> list[str]:
    """All of ours that can be checked, but one whose games take the checks a minute."""
    return [name for kind in KINDS.values() for name in getattr(installed(), kind).declared
            if name != "diplobench"]  # fmt: skip


@pytest.mark.parametrize("name", [*installed_names(), "undercurrents", "condolences", "listening"])
def test_ours_and_the_reference_plugins_conform(name: str) -> None:
    """No check finds anything in what comes with eibench, whether it is installed or a project."""
    path = REFERENCE / name
    for subject in named_subjects(str(path) if path.is_dir() else name):
        failed = [r for r in results_of(subject) if r.findings]
        assert not failed


PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "planted"
version = "0.1"
[project.entry-points.eibench]
planted = "planted:Planted"
[tool.hatch.build]
include = ["planted.py"]
"""
MODULE = """
import socket
import time
from undercurrents import Undercurrents
print("hello")
try:
    socket.create_connection(("127.0.0.1", 9), 0.1)
except OSError:
    pass
until = time.process_time() + 0.5
while time.process_time() < until:
    pass

class Planted(Undercurrents):
    name = "planted"

    async def generate(self, item, model, options):
        await model.chat(" ".join({"calm", "glad", "sad", "angry", "afraid", "proud", item.id}))
        return await super().generate(item, model, options)

    def demo_reply(self, item, request, ability, rng):
        return "feeling: A" + chr(10) + "reason: B"
"""


def test_faults_of_a_project_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What its import prints, takes and reaches, data that the wheel lacks, the order of a set."""
    monkeypatch.syspath_prepend(REFERENCE / "undercurrents")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "planted.py").write_text(MODULE)
    (subject,) = named_subjects(str(tmp_path))
    messages = [finding.message for finding in CHECKS["K02"].run(subject).findings]
    prints, connects, takes = messages
    assert "prints" in prints
    assert "connects" in connects
    assert "takes" in takes
    assert "its wheel lacks undercurrents_data" in finding_of("K03", subject).message
    assert "in a new process" in finding_of("K23", subject).message
    (tmp_path / "pyproject.toml").write_text(PROJECT.replace("hatchling", "no_such_backend"))
    assert "wheel was not looked at" in CHECKS["K03"].run(subject).reason


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("import no_such_module", "no_such_module"),
        ("def (", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("from eibench import Benchmark\nclass One(Benchmark):\n    name = 'one'", "abstract"),
        ("def register_benchmarks(register): ...", "defines no benchmark"),
    ],
)
def test_what_cannot_be_loaded_is_a_finding_of_its_own(
    tmp_path: Path, invoke: Callable[..., Any], module: str, words: str
) -> None:
    """With the reason, in a row or an error."""
    (tmp_path / "planted.py").write_text(module)
    done = invoke("plugin", "check", str(tmp_path / "planted.py"))
    assert done.code in (1, 3)
    assert words in done.out + done.err


def test_the_lock_tells_what_to_raise(tmp_path: Path) -> None:
    """Other requests want another version, other scores another grading; both may be raised."""
    path = tmp_path / lock.NAME
    thing = faulty.Scenes()
    lock.update(Subject(thing, thing.name, lock=path))
    assert CHECKS["K14"].run(Subject(thing, thing.name, lock=path)).verdict is Conformance.OK
    for changes, method, words in (
        ({"generate": faulty.with_a_greeting}, "generate", "raise version"),
        ({"grade": faulty.one_for_all}, "grade", "raise grading"),
    ):
        changed = faulty.Faulty("", "K14", "", "", changes).make()
        finding = finding_of("K14", Subject(changed, changed.name, lock=path))
        assert (finding.method, words in finding.todo) == (method, True)
        raised = faulty.Faulty("", "K14", "", "", {**changes, words.split()[1]: "2"}).make()
        result = CHECKS["K14"].run(Subject(raised, raised.name, lock=path))
        assert result.verdict is Conformance.OK
        assert "--update-lock" in result.reason


@pytest.mark.parametrize("name", faulty.PROVIDERS)
def test_faults_of_a_provider_are_found(name: str) -> None:
    """Errors that are none of ours, a caught cancel, what was not sent, replies mixed up."""
    provider, check, words = faulty.PROVIDERS[name]
    assert re.search(words, finding_of(check, Subject(provider, "planted")).message)


@pytest.mark.parametrize("name", faulty.ENGINES)
def test_faults_of_a_rating_engine_are_found(name: str) -> None:
    """An order that counts, names that count, an error that is no UsageError."""
    engine, check, words = faulty.ENGINES[name]
    assert re.search(words, finding_of(check, Subject(engine, name)).message)


def test_published_verdicts_are_read_and_their_mean_is_told(tmp_path: Path) -> None:
    """Beside the published one; too few that can be read are a finding."""
    path = tmp_path / "verdicts.jsonl"
    listening = Listening()
    verdict = json.dumps({"reasoning": "seen", **dict.fromkeys(QUESTIONS.questions, 1)})
    rows = [{"item": "1", "verdict": verdict, "published": 0.75}]
    path.write_text("\n".join(map(json.dumps, rows)))
    subject = Subject(listening, "listening", verdicts=path)
    assert CHECKS["K21"].run(subject).reason == "1 of 1 read, mean 1, published 0.75"
    path.write_text(json.dumps({"item": "1", "verdict": "Fine!"}))
    assert "reads 0 of 1" in finding_of("K21", subject).message


ALWAYS_ZERO = """
from eibench import Score
from undercurrents import Undercurrents

class Planted(Undercurrents):
    async def grade(self, item, transcript, judge, options):
        return Score({"both": 0.0, "feeling": 0.0, "reason": 0.0})
"""


def test_the_command_says_what_is_wrong_and_where(
    tmp_path: Path, invoke: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As rows and as JSON, with exit code 1; a check that there is not is refused."""
    monkeypatch.syspath_prepend(REFERENCE / "undercurrents")
    (tmp_path / "planted.py").write_text(ALWAYS_ZERO)
    words = ("plugin", "check", str(tmp_path / "planted.py"), "--only", "K07")
    done = invoke(*words)
    assert done.code == 1
    assert re.search(
        r"FAIL  K07: grade of undercurrents .*planted.py:\d+\]; give no_answer", done.out
    )
    document = invoke(*words, "--json").json
    (check,) = document["plugins"][0]["checks"]
    assert (document["ok"], check["id"], check["findings"][0]["method"]) == (False, "K07", "grade")
    assert invoke("plugin", "check", "glicko2", "--only", "K7").code == 2
    assert invoke("plugin", "check", "glicko3").code == 2
    done = invoke("plugin", "check", "seceu", "--dataset", str(tmp_path / "none"), "--only", "K04")
    assert (done.code, "no such file" in done.out) == (1, True)
    assert "1 check not made" in invoke("plugin", "check", "seceu", "--only", "K13").out


def test_a_check_is_left_out_for_a_reason_alone() -> None:
    """And only one that there is."""
    with pytest.raises(ValueError, match="say why K11"):
        conformance(Doorstep(), skip=("K11",))
    with pytest.raises(ValueError, match="no check is called 'K99'"):
        conformance(Doorstep(), skip=("K99",), reason="none")


def test_each_check_is_documented() -> None:
    """docs/plugins.md has the id of each with the first line of its docstring."""
    page = (Path(__file__).parents[3] / "docs" / "plugins.md").read_text(encoding="utf-8")
    missing = [c.id for c in CHECKS.values() if f"| {c.id} | {c.title} |" not in page]
    rows = "\n".join(f"| {c.id} | {c.title} |" for c in sorted(CHECKS.values(), key=lambda c: c.id))
    assert not missing, f"docs/plugins.md wants\n{rows}"
