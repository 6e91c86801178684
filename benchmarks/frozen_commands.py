"""The commands whose results must not change, and the model and judge that answer them.

Each command is a line as it would be typed. `{official}` is the folder of the official
data, `{url}` the loopback server, `{RUN}` the id of the run that the command labelled RUN
made. Only add lines: a line that is changed compares nothing any more.
"""

import hashlib
import json
import re
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from eibench.testing import ReceivedRequest

_RUBRIC = re.compile(r'"(\w+)": 0-(\d+)')
_RESPONDENT = re.compile(r"^\[RESPONDENT (A\d+)", re.MULTILINE)
_KEY = re.compile(r'^[^\S\n]*"(\w+)"\s*:', re.MULTILINE)
_REASONING = "chain_of_thought_reasoning"


class Command(NamedTuple):
    """One command.

    Attributes:
        label: What its output is called, and the run that it makes.
        line: Without the word `bench`.
    """

    label: str
    line: str


def _commands(text: str) -> list[Command]:
    rows = (line.partition(":") for line in text.strip().splitlines())
    return [Command(label.strip(), line.strip()) for label, _, line in rows]


_V3 = "run eqbench3 --model demo"
_BY_TWO = (
    "run eqbench3 --limit 6 --max-comparisons 20 --judge openai/judge --judge openai/other"
    " --judge-base-url {url} --base-url {url} --yes --json"
)
_TALK = "run mediation-live --limit 2 --exchanges 2 --json"
BUNDLED = _commands(f"""
    v1: run eqbench-v1
    v3: run eqbench3 --no-elo
    v1 again: run eqbench-v1 --json
    v3 again: run eqbench3 --no-elo --json
    v1 weak: run eqbench-v1 --model demo/weak --iterations 3 --parser reference --json
    v1 one pass: run eqbench-v1 --model demo/strong --no-revise --json
    v1 strong: run eqbench-v1 --model demo/strong --json
    v2: run eqbench-v2 --iterations 2 --json
    v2 weak: run eqbench-v2 --model demo/weak --revise --json
    v2 strong: run eqbench-v2 --model demo/strong --iterations 2 --json
    v2 de: run eqbench-v2 --lang de --model demo/strong --json
    seceu: run seceu --json
    seceu weak: run seceu --model demo/weak --json
    seceu strong: run seceu --model demo/strong --iterations 2 --json
    seceu zh: run seceu --lang zh --prompting two-shot-steps --shuffle-options --json
    queen: run emotionqueen --json
    queen weak: run emotionqueen --model demo/weak --limit 40 --json
    v3 strong: {_V3}/strong --iterations 2 --json
    v3 weak: {_V3}/weak --json
    v3 medium: {_V3}/medium --json
    v3 fourth: {_V3}/medium --name fourth --seed 4 --limit 9 --json
    v3 adaptive: {_V3}/strong --name fifth --seed 5 --schedule adaptive --max-comparisons 60 --json
    v3 staged: {_V3}/weak --name sixth --seed 6 --schedule staged --orders one --json
    v3 opponents: {_V3}/weak --name seventh --opponents demo/weak --json
    rate: rate --benchmark eqbench3 --json
    rate anchored: rate --benchmark eqbench3 --anchor demo/strong=1500 --anchor demo/weak=200 --json
    rate logit: rate --benchmark eqbench3 --engine fractional-logit --analyses full --json
    rate sequential: rate --benchmark eqbench3 --engine glicko2-sequential --json
    rate trueskill: rate --benchmark eqbench3 --engine trueskill --without sixth --json
    board: leaderboard eqbench3 --json
    board csv: leaderboard eqbench3 --engine fractional-logit --csv
    board v1: leaderboard eqbench-v1 --json
    board seceu: leaderboard seceu --dataset 15afb54ddb36 --json
    board queen: leaderboard emotionqueen --json
    judge: judge-report --benchmark eqbench3 --json
    correlate: correlate seceu eqbench3 --dataset seceu=15afb54ddb36 -o pairs.csv --demo --json
    correlate refused: correlate eqbench3 --demo --json
    repeat: repeat {{v2}} {{v2 strong}} --json
    compare: compare {{v3 strong}} {{v3 weak}} --json
    compare v1: compare {{v1}} {{v1 strong}} --json
    rescore: rescore {{v1 weak}} --set parser=strict --json
    rescore all: rescore --all --dry-run --json
    part: run eqbench3 --model demo/strong --limit 5 --json
    runs: runs --json
    show: show {{v3 adaptive}} --json
    prompts: prompts eqbench-v1 --limit 5 -o prompts.jsonl
    export: export {{v1 weak}} {{v3 weak}} {{seceu zh}} -o runs.jsonl
    export pairs: export {{v3 strong}} {{v3 adaptive}} --comparisons -o comparisons.jsonl
    rate file: rate comparisons.jsonl --json
    judge file: judge-report comparisons.jsonl --json
    import: import runs.jsonl --runs-dir other
    imported: runs --runs-dir other --json
    imported run: show {{v3 weak}} --runs-dir other --json
    panel: {_BY_TWO} --model openai/p
    panel second: {_BY_TWO} --model openai/q
    talk: {_TALK}
    list: list --json
    info: info eqbench3 --json
""")  # fmt: skip

_AT = "--base-url {url} --yes --json"
_JUDGED = f"--judge openai/judge --judge-base-url {{url}} {_AT}"
_ONE = "run eqbench-v1 --dataset {official}/eqbench-v1/eq_bench_v1_questions_60.json"
_TWO = "--dataset {official}/eqbench-v2"
_THREE = "run eqbench3 --dataset {official}/eqbench3"
_SECEU = "run seceu --dataset {official}/seceu"
OFFICIAL = _commands(f"""
    v1: {_ONE} --model openai/a {_AT}
    v1 b: {_ONE} --model openai/b --parser reference --iterations 2 {_AT}
    v2: run eqbench-v2 {_TWO} --model openai/a {_AT}
    v2 b: run eqbench-v2 {_TWO} --model openai/b --revise --parser reference {_AT}
    v2 de: run eqbench-v2 {_TWO} --lang de --model openai/a {_AT}
    seceu: {_SECEU} --model openai/a {_AT}
    seceu b: {_SECEU} --model openai/b --iterations 2 {_AT}
    seceu zh: {_SECEU} --lang zh --prompting zero-shot --model openai/b {_AT}
    queen: run emotionqueen --model openai/a {_JUDGED}
    v3 a: {_THREE} --model openai/a {_JUDGED}
    v3 b: {_THREE} --model openai/b {_JUDGED}
    v3 o3: {_THREE} --model openai/o3 --max-comparisons 100 {_JUDGED}
    v3 c: {_THREE} --model openai/c --schedule adaptive --max-comparisons 60 {_JUDGED}
    other judge: rejudge {{v3 a}} --judge openai/other --judge-base-url {{url}} --yes --json
    show other: show {{v3 a}} --judge openai/other --json
    agreement: judges {{v3 a}} --json
    rate: rate --benchmark eqbench3 --judge openai/judge --json
    board: leaderboard eqbench3 --judge openai/judge --published --json
    judge: judge-report --benchmark eqbench3 --judge openai/judge --json
    show: show {{v3 c}} --json
    runs: runs --json
    export: export {{v2 de}} {{v3 c}} -o runs.jsonl
    export pairs: export {{v3 a}} {{v3 b}} --comparisons -o comparisons.jsonl
""")  # fmt: skip

#: What is begun, and killed after some answers.
KILLED = Command("killed", f"run eqbench3 --model openai/a --no-elo --concurrency 2 {_JUDGED}")
#: Goes on with the journal of BUNDLED, in which the killed run stands too.
CONTINUED = _commands(f"""
    runs: runs --json
    killed: {KILLED.line}
    killed elo: {KILLED.line.replace("--no-elo", "--name a2")}
    v1: run eqbench-v1 --json
    v1 more: run eqbench-v1 --iterations 2 --json
    v3 more: {_V3}/weak --iterations 2 --json
    v3 whole: {_V3}/medium --name fourth --seed 4 --json
    v3 eighth: {_V3}/strong --name eighth --json
    queen more: run emotionqueen --model demo/weak --limit 60 --json
    rescore: rescore {{v1 weak}} --set parser=strict --json
    rate: rate --benchmark eqbench3 --judge demo/judge --demo --json
    board: leaderboard eqbench3 --judge demo/judge --demo --json
    judge: judge-report --benchmark eqbench3 --judge demo/judge --demo --json
    show: show {{v3 adaptive}} --json
    export: export {{v3 strong}} {{v2}} -o again.jsonl
    panel: {_BY_TWO} --model openai/p
    panel second: {_BY_TWO} --model openai/q
    panel rescored: rescore {{panel}} --json
    panel board: leaderboard eqbench3 --json
    one of the panel: rejudge {{panel}} --judge openai/judge --judge-base-url {{url}} --yes --json
    talk: {_TALK}
    talk rescored: rescore {{talk}} --json
""")


def answer(request: "ReceivedRequest") -> str:
    """What the model or the judge says: always the same to the same request."""
    body = json.dumps(request.body, sort_keys=True)
    rng = Random(hashlib.sha256(body.encode()).digest())
    prompt = request.prompt
    if grades := _RUBRIC.findall(prompt):
        drawn = {name: round(rng.uniform(0, int(scale)), 1) for name, scale in grades}
        return json.dumps({_REASONING: "So.", **drawn})
    if codes := list(dict.fromkeys(_RESPONDENT.findall(prompt))):
        keys = [key for key in _KEY.findall(prompt) if key != _REASONING]
        margins = {key: rng.choice(codes) + "+" * rng.randint(1, 5) for key in keys}
        return json.dumps({_REASONING: "So.", **margins})
    if "[REPLY]" in prompt:
        passes = rng.randint(0, 1)
        return json.dumps({"reason": "So.", "PASS": passes, "WIN": passes * rng.randint(0, 1)})
    return _said(prompt, rng)


def _said(prompt: str, rng: Random) -> str:
    from eibench.plugins.kit.responders import fill_ratings

    form = fill_ratings(prompt, rng)
    if not form.startswith("I see no form"):
        return form
    words = ("perhaps", "she", "waits", "because", "the", "room", "is", "late", "and", "nobody")
    points = "; ".join(f"({n}) {p}" for n, p in enumerate(rng.sample((1, 2, 3, 4), 4), start=1))
    return f"{points}\n{' '.join(rng.choices(words, k=rng.randint(20, 200)))}."
