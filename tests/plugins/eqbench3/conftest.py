"""Small packs in both forms, judges of every mood, runs in upstream's form."""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from eibench import PackSource
from eibench.data import folder
from eibench.testing import LoopbackServer, ReceivedRequest

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
BUNDLED = folder("eqbench3") / "bundled"

TURNS = {"role-play": 3, "drafting": 3, "analysis": 1}


# Packs


def scenario(id: str, kind: str = "role-play", **changes: Any) -> dict[str, Any]:
    """A scenario of our own form, which no other is like."""
    turns = [f"Scene {id}, part {n}: somebody waits." for n in range(1, TURNS[kind] + 1)]
    made = {"id": id, "title": f"Title {id}", "kind": kind, "category": "Waiting", "turns": turns}
    return {**made, "notes": f"Notes of {id}.", **changes}


def toml(rows: Sequence[Mapping[str, Any]]) -> str:
    """Scenarios as TOML; JSON's texts and lists are TOML's too."""
    tables = ("\n".join(f"{k} = {json.dumps(v)}" for k, v in row.items()) for row in rows)
    return "\n\n".join(f"[[scenario]]\n{table}" for table in tables)


@pytest.fixture
def own_pack(tmp_path: Path) -> Callable[..., Path]:
    """Writes a pack in our form, with the bundled prompts; texts may be given as they are."""

    def write(
        *rows: Mapping[str, Any], scenarios: str | None = None, prompts: str | None = None
    ) -> Path:
        path = tmp_path / "own"
        path.mkdir(exist_ok=True)
        (path / "scenarios.toml").write_text(toml(rows) if scenarios is None else scenarios)
        if prompts is None:
            shutil.copy(BUNDLED / "prompts.toml", path)
        else:
            (path / "prompts.toml").write_text(prompts)
        return path

    return write


#: A pack in upstream's form and in our words.
UPSTREAM = {
    "scenario_prompts.txt": "######## 1 | Work | The lift\n####### Prompt1\nIt stops.\n"
    "####### Prompt2\nIt goes on.\n\n######## 208 | Drafts | The note\n####### Prompt1\nWrite.\n"
    "\n######## 8 | Direct | The call\n####### Prompt1\nSpeak.\n"
    "\n######## 401 | Analysis | The tape\n####### Prompt1\nA: hm.\nB: hm.\n",
    "scenario_notes.txt": "# 1\nHe is afraid of lifts.\n# 401\nNobody listens.\n",
    "scenario_master_prompt.txt": "{scenario_prompt}\n\n--\n\n# Within\n\n"
    "# Without\n\n# Aloud\n\n--",
    "scenario_master_prompt_message_drafting.txt": "{scenario_prompt}\n\n# Reader\n\n# Text\n",
    "scenario_master_prompt_analysis.txt": "[TAPE]\n{scenario_prompt}\n[/TAPE]\nExplain.",
    "debrief_prompt.txt": "Look back.",
    "rubric_scoring_criteria.txt": "demonstrated_empathy\n# a comment\npragmatic_ei\n"
    "depth_of_insight\nsocial_dexterity\nemotional_reasoning\nmessage_tailoring\n\nwarmth\n",
    "rubric_scoring_criteria_analysis.txt": "depth_of_insight\nemotional_reasoning\n"
    "theory_of_mind\nsubtext_identification\nintellectual_grounding\ncorrectness",
    "rubric_scoring_prompt.txt": "[TALK]\n{transcript}\n{debrief}\n[/TALK]\n# Grade *all*\n"
    "{output_format}",
    "rubric_scoring_prompt_analysis.txt": "[TALK]\n{transcript}\n[/TALK]\n{output_format}",
    "pairwise_prompt_eqbench3.txt": '{\n  "chain_of_thought_reasoning": "what you think",\n}',
    "pairwise_prompt_eqbench3_analysis.txt": "",
}


@pytest.fixture
def upstream_pack(tmp_path: Path) -> Callable[..., Path]:
    """Writes a pack in upstream's form; changes are by file name, dots as underscores."""

    def write(**changes: str) -> Path:
        path = tmp_path / "upstream"
        path.mkdir(exist_ok=True)
        for name, text in UPSTREAM.items():
            (path / name).write_text(changes.get(name.removesuffix(".txt"), text), encoding="utf-8")
        return path

    return write


# Runs in upstream's form


def _asked(form: str, *said: str) -> list[str]:
    template = UPSTREAM[f"scenario_master_prompt{form}.txt"]
    return [template.format(scenario_prompt=text) for text in said]


#: What the user says in the scenarios of that pack, as the model was sent it.
ASKED = {
    "1": _asked("", "It stops.", "It goes on."),
    "208": _asked("_message_drafting", "Write."),
    "8": ["Speak."],
    "401": _asked("_analysis", "A: hm.\nB: hm."),
}
_WORDS = (
    "I wonder what it is like for her, and I might be wrong. It is late, and nobody has said so."
)


def told_grades(id: str, grade: float = 12) -> str:
    """What a rubric judge says: the same grade for each criterion of the scenario's kind."""
    criteria = UPSTREAM[f"rubric_scoring_criteria{'_analysis' * (id == '401')}.txt"]
    names = [name for name in criteria.splitlines() if name and name[0] != "#"]
    return json.dumps({"chain_of_thought_reasoning": "I saw it.", **dict.fromkeys(names, grade)})


def foreign_task(id: str, model: str = "o3", iteration: int = 1, **changes: Any) -> dict[str, Any]:
    """A finished task of upstream's form, with changes; `replies` and `grade` make its texts."""
    replies = changes.pop("replies", None) or [
        f"# Within\n{_WORDS}\n\n# Aloud\n{model} {iteration}"
    ]
    grade = changes.pop("grade", 12)
    history: list[dict[str, Any]] = []
    for n, asked in enumerate(ASKED[id]):
        history.append({"role": "user", "content": asked})
        history.append({"role": "assistant", "content": replies[n % len(replies)]})
    analysis = id == "401"
    made = {
        "scenario_id": id,
        "prompts": [],
        "debrief_prompt": None if analysis else UPSTREAM["debrief_prompt.txt"],
        "iteration_index": iteration,
        "test_model": model,
        "status": "rubric_scored",
        "error": None,
        "conversation_history": history,
        "parsed_responses": [{"raw": "never looked at"}],
        "debrief_response": None if analysis else f"{model} looks back.",
        "rubric_scores": {"demonstrated_empathy": 20.0},
        "raw_rubric_judge_text": told_grades(id, grade),
        "rubric_run_error": None,
        "start_time": 1746000000.5,
        "end_time": 1746000009.5,
    }
    return {key: value for key, value in {**made, **changes}.items() if value != "ABSENT"}


def foreign_run(model: str = "o3", iterations: int = 1, **changes: Any) -> dict[str, Any]:
    """A run of upstream's form with all scenarios, with changes; `tasks` change by scenario."""
    tasks = changes.pop("tasks", {})
    made = {
        "run_key": f"0a1b2c3d_{model}",
        "model_name": model,
        "api_model_id": f"maker/{model}",
        "test_model": model,
        "judge_model": "maker/sonnet",
        "rubric_judge_model": "maker/sonnet",
        "elo_judge_model": "N/A",
        "start_time": "2025-05-01T10:00:00.123456+00:00",
        "end_time": "2025-05-01T11:00:00+00:00",
        "status": "completed",
        "truncate_for_rubric": False,
        "iterations_requested": iterations,
        "scenario_tasks": {
            str(n): {id: foreign_task(id, model, n, **tasks.get(id, {})) for id in ASKED}
            for n in range(1, iterations + 1)
        },
        "results": {"average_rubric_score": 20},
    }
    return {key: value for key, value in {**made, **changes}.items() if value != "ABSENT"}


@pytest.fixture
def runs_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of runs; each is known by its key, or by a number."""

    def write(*runs: Any, name: str = "eqbench3_runs.json", **more: Any) -> Path:
        path = tmp_path / name
        keyed = {r.get("run_key", str(n)) if isinstance(r, dict) else str(n): r
                 for n, r in enumerate(runs)}  # fmt: skip
        raw = json.dumps({**keyed, **more}).encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
        return path

    return write


@pytest.fixture
def task() -> Callable[..., dict[str, Any]]:
    """Makes a task of upstream's form."""
    return foreign_task


@pytest.fixture
def run() -> Callable[..., dict[str, Any]]:
    """Makes a run of upstream's form."""
    return foreign_run


@pytest.fixture
def official() -> Path:
    """The folder with the official data."""
    if OFFICIAL is None:
        pytest.skip("EIBENCH_OFFICIAL_DATA is not set")
    return Path(OFFICIAL) / "eqbench3"


@pytest.fixture
def source() -> Callable[[Path], PackSource]:
    """A folder as a pack that is known already."""

    def make(path: Path) -> PackSource:
        return PackSource("custom", "0" * 64, {p.name: p for p in sorted(path.iterdir())})

    return make


# Replies

_FORM = re.compile(r'"(\w+)": 0-(\d+)')


@pytest.fixture
def grades() -> Callable[..., dict[str, Any]]:
    """What a judge may answer to a prompt: the same grade for each criterion of its form."""

    def make(prompt: str, grade: float = 6) -> dict[str, Any]:
        names = [name for name, _ in _FORM.findall(prompt)]
        assert names, "a judge was asked without a form"
        return {"chain_of_thought_reasoning": "I saw it.", **dict.fromkeys(names, grade)}

    return make


# Imported runs

#: A prompt for comparisons in upstream's form and in our words.
PAIRWISE = (
    "Two replies.\n\n[RESPONDENT A0493]\n{conversation_history_A}\n{debrief_A}\n"
    "[/RESPONDENT A0493]\n\n[RESPONDENT A0488]\n{conversation_history_B}\n{debrief_B}\n"
    '[/RESPONDENT A0488]\n\n{\n  "chain_of_thought_reasoning": "what you think",\n'
    '  "kindness": "code and plus signs",\n  "sense": "code and plus signs"\n}'
)


@pytest.fixture
def pack(upstream_pack: Callable[..., Path]) -> Path:
    """Four scenarios in upstream's form and in our words, which can be compared."""
    analysis = re.sub(r"conversation_history_(.)\}\n\{debrief_.", r"response_\1", PAIRWISE)
    return upstream_pack(
        pairwise_prompt_eqbench3=PAIRWISE, pairwise_prompt_eqbench3_analysis=analysis
    )


@pytest.fixture
def bring(
    bench: Callable[..., Any], runs_file: Callable[..., Path], pack: Path
) -> Callable[..., Any]:
    """Writes a file of runs and imports it; `options` are those of the command."""

    def run(*runs: Any, options: tuple[object, ...] = (), dataset: Path = pack, **more: Any) -> Any:
        path = runs_file(*runs, **more)
        return bench("import", path, "--format", "eqbench3", "--dataset", dataset, *options)

    return run


@pytest.fixture
def judges(grades: Callable[..., dict[str, Any]]) -> Iterator[LoopbackServer]:
    """A model that says what the file's does, and judges: 14 of 20, and the first is better."""

    def respond(request: ReceivedRequest) -> str:
        if request.model == "own":
            last = request.messages[-1]["content"]
            return (
                "own looks back."
                if last == "Look back."
                else f"# Within\n{_WORDS}\n\n# Aloud\nown 1"
            )
        if codes := re.findall(r"^\[RESPONDENT (A\d+)\]", request.prompt, re.M):
            return json.dumps(dict.fromkeys(("kindness", "sense"), f"{codes[0]}++"))
        return json.dumps(grades(request.prompt, 14))

    with LoopbackServer(respond) as server:
        yield server


@pytest.fixture
def the_run(bench: Callable[..., Any]) -> Callable[[], dict[str, Any]]:
    """Gives the only run there is, as `bench runs` has it."""

    def found() -> dict[str, Any]:
        (run,) = bench("runs", "--json").json["runs"]
        return dict(run)

    return found


@pytest.fixture
def shown(bench: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the JSON document of `bench show`."""
    return lambda run_id, *more: bench("show", run_id, *more, "--json").json
