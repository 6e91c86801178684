"""A judge's settings: what it is sent, whose grades they make, and where it is asked."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.testing import LoopbackServer, ReceivedRequest, Response

Bench = Callable[..., Any]
Write = Callable[..., Path]
PAIR = re.compile(r"^\[RESPONDENT (A\d+)", re.MULTILINE)
REPLY = "# What goes on in me\n\nI wince.\n\n# What I do\n\nI wait, and look at *her*."


@dataclass
class Lab:
    """A run of two scenarios with a model and judges at one server.

    Attributes:
        refuse: Says why the server refuses a judge's request, if it does.
    """

    bench: Bench
    server: LoopbackServer
    pack: Path
    refuse: list[Callable[[ReceivedRequest], str | None]] = field(default_factory=list)

    def run(self, *more: object, judges: tuple[str, ...] = ("judge-a",)) -> Any:
        """`bench run` with these judges."""
        named = (word for judge in judges for word in ("--judge", f"openai/{judge}"))
        at = () if "--judge-base-url" in more else ("--judge-base-url", self.server.base_url)
        return self.bench("run", "eqbench3", *self.model, *named, *at, "--no-elo", *more)

    @property
    def model(self) -> tuple[str, ...]:
        """The model's options."""
        url = self.server.base_url
        return ("--model", "openai/m", "--base-url", url, "--dataset", str(self.pack))

    def bodies(self, model: str = "judge-a", *, trial: bool = False) -> list[dict[str, Any]]:
        """What a model was sent, but for whether it answers."""
        asked = (r for r in self.server.requests if r.model == model and r.is_trial == trial)
        return [dict(request.body) for request in asked]


@pytest.fixture
def lab(bench: Bench, own_pack: Write, grades: Callable[..., dict[str, Any]]) -> Iterator[Lab]:
    """Two role-plays: two verdicts of each judge, 6 of 10."""
    refuse: list[Callable[[ReceivedRequest], str | None]] = []

    def respond(request: ReceivedRequest) -> str | Response:
        if request.model in ("m", "n"):
            return f"{REPLY} {f'I am {request.model}, and I stay with her for a while. ' * 30}"
        if why := next((w for one in refuse if (w := one(request))), None):
            return Response(400, json.dumps({"error": {"message": why}}).encode())
        if request.is_trial:
            return "OK."
        if codes := list(dict.fromkeys(PAIR.findall(request.prompt))):
            keys = re.findall(r'^[^\S\n]*"(\w+)"\s*:', request.prompt, re.MULTILINE)
            return json.dumps(dict.fromkeys(keys, f"{codes[0]}++"))
        return json.dumps(grades(request.prompt, 6))

    rows = [
        {"id": f"s{n}", "title": "t", "kind": "role-play", "turns": [f"Scene s{n}."], "notes": "N."}
        for n in range(2)
    ]
    with LoopbackServer(respond) as server:
        yield Lab(bench, server, own_pack(*rows), refuse)


def too_large(request: ReceivedRequest) -> str | None:
    """A server that writes at most 4,096 tokens."""
    if request.body.get("max_tokens", 0) > 4096:
        return "max_tokens is too large: this model supports at most 4096 completion tokens"
    return None


def test_a_judge_of_little_room_judges_with_the_room_that_is_set(lab: Lab) -> None:
    """Each of its requests, the first one too, asks for no more; the whole run is scored."""
    lab.refuse.append(too_large)
    done = lab.run("--judge-set", "max_tokens=2000", "--json")
    assert done.code == 0, done.err
    assert done.json["items"]["scored"] == 2
    rooms = {body["max_tokens"] for body in (*lab.bodies(), *lab.bodies(trial=True))}
    assert rooms == {2000}


def test_another_room_or_no_schema_asks_nothing_again(lab: Lab) -> None:
    """They decide whether a verdict can be read, and the verdicts that are there were read."""
    first = lab.run("--json").json
    n = len(lab.server.requests)
    again = lab.run("--judge-set", "max_tokens=2000", "--judge-set", "schema=off", "--json")
    assert again.code == 0, again.err
    assert len(lab.server.requests) == n
    assert again.json["grader"] == first["grader"] and again.json["main"]


def test_another_temperature_is_another_grader(lab: Lab) -> None:
    """It asks again, its result stands beside the first one, and both say how it was asked."""
    first = lab.run("--json").json
    n = len(lab.bodies())
    done = lab.run("--judge-set", "temperature=none", "--judge-set", "reasoning_effort=low",
                   "--json")  # fmt: skip
    assert done.code == 0, done.err
    new = lab.bodies()[n:]
    assert len(new) == 2
    assert all("temperature" not in body for body in new)
    assert {body["reasoning_effort"] for body in new} == {"low"}
    assert done.json["grader"] != first["grader"] and done.json["run_id"] == first["run_id"]
    assert "(temperature none, effort low)" in done.json["judge"]
    assert done.json["judged_by"]["settings"] == {"temperature": None, "reasoning_effort": "low"}
    line = "judge openai/judge-a at local (temperature none, effort low)"
    assert line in done.json["comparability"]
    assert "(temperature" not in first["comparability"] and "settings" not in first["judged_by"]
    shown = lab.bench("show", first["run_id"], "--judge", done.json["judge"], "--json").json
    assert shown["grader"] == done.json["grader"]
    rescored = lab.bench("rescore", first["run_id"], "--judge", done.json["judge"], "--json")
    assert rescored.json["items"]["scored"] == 2, rescored.err
    assert len(lab.bodies()) == n + 2


def test_the_same_settings_ask_nothing_again(lab: Lab) -> None:
    """A run that is resumed with them finds its verdicts, in whatever order they are given."""
    one, other = ("--judge-set", "temperature=0.5"), ("--judge-set", "seed=3")
    lab.run(*one, *other)
    n = len(lab.server.requests)
    again = lab.run(*other, *one)
    assert again.code == 0, again.err
    assert len(lab.server.requests) == n


def test_one_judge_of_a_panel_has_settings_of_its_own(lab: Lab) -> None:
    """Effort and extra body arrive in its requests alone; what is for all arrives in all."""
    sets = ("openai/judge-b:reasoning_effort=low", "top_p=0.9",
            'openai/judge-b:extra_body={"chat_template_kwargs": {"enable_thinking": false}}',
            "openai/judge-b:top_p=none")  # fmt: skip
    given = (word for text in sets for word in ("--judge-set", text))
    done = lab.run(*given, "--json", judges=("judge-a", "judge-b"))
    assert done.code == 0, done.err
    a, b = lab.bodies("judge-a"), lab.bodies("judge-b")
    assert len(a) == len(b) == 2
    assert all("reasoning_effort" not in x and "chat_template_kwargs" not in x for x in a)
    assert {x["top_p"] for x in a} == {0.9} and not any("top_p" in x for x in b)
    assert {x["reasoning_effort"] for x in b} == {"low"}
    assert all(x["chat_template_kwargs"] == {"enable_thinking": False} for x in b)
    settings = [judge.get("settings") for judge in done.json["judged_by"]["judges"]]
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    of_b = {"top_p": None, "reasoning_effort": "low", "extra_body": extra}
    assert settings == [{"top_p": 0.9}, of_b]


def test_a_judge_without_schema_and_system_message(lab: Lab) -> None:
    """No request of its holds either; the system text, if any, stands before the question."""
    plain = lab.run("--json").json
    usual = lab.bodies()
    lab.run("--judge-set", "schema=off", "--judge-set", "system=off")
    other = lab.bodies()[len(usual) :]
    assert any("response_format" in body for body in usual)
    assert len(other) == 2 and not any("response_format" in body for body in other)
    for before, after in zip(_by_scene(usual), _by_scene(other), strict=True):
        texts = [m["content"] for m in before["messages"]]
        assert [m["role"] for m in after["messages"]] == ["user"]
        assert after["messages"][0]["content"] == "\n\n".join(texts)
    assert plain["items"]["scored"] == 2


def _by_scene(bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(bodies, key=lambda body: re.findall(r"Scene s\d", str(body["messages"])))


def test_rejudge_takes_the_settings(lab: Lab) -> None:
    """The judge that is named is asked with them; the same again asks nothing."""
    run_id = lab.run("--json").json["run_id"]
    n = len(lab.bodies())
    command = ("rejudge", run_id, "--judge", "openai/judge-a", "--judge-base-url",
               lab.server.base_url, "--judge-set", "temperature=0.7", "--judge-set",
               "max_tokens=3000", "--json")  # fmt: skip
    done = lab.bench(*command)
    assert done.code == 0, done.err
    new = lab.bodies()[n:]
    assert [(body["temperature"], body["max_tokens"]) for body in new] == [(0.7, 3000)] * 2
    assert "(temperature 0.7)" in done.json["judge"]
    assert lab.bench(*command).code == 0 and len(lab.bodies()) == n + 2


def test_python_has_the_same_settings(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """By key for all judges, by judge for one; both mean the run of the command line."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    url = lab.server.base_url
    done = lab.run("--judge-set", "temperature=none", "--json").json
    n = len(lab.server.requests)
    given: dict[str, Any] = {
        "model": "openai/m", "base_url": url, "judge": "openai/judge-a", "judge_base_url": url,
        "dataset": lab.pack, "options": {"elo": False},
    }  # fmt: skip
    for sets in ({"temperature": "none"}, {"openai/judge-a": {"temperature": None}}):
        result = eibench.run("eqbench3", **given, judge_set=sets)
        assert result.document["grader"] == done["grader"]
    assert len(lab.server.requests) == n
    with pytest.raises(eibench.UsageError, match="judge_set temperature must be a number from 0"):
        eibench.run("eqbench3", **given, judge_set={"temperature": -1})


TABLE = """
[endpoints.small]
base_url = "{url}"
max_tokens = 900
temperature = "none"

[judges."openai/judge-a"]
max_tokens = 1500
schema = false
"""


def test_the_settings_file_has_them_by_endpoint_and_by_judge(lab: Lab) -> None:
    """The judge's table goes before that of its endpoint, and the command before both."""
    Path("bench.toml").write_text(TABLE.format(url=lab.server.base_url))
    done = lab.run("--judge-base-url", "small", "--judge-set", "top_p=0.5", "--json")
    assert done.code == 0, done.err
    body = lab.bodies()[0]
    assert (body["max_tokens"], body.get("temperature"), body["top_p"]) == (1500, None, 0.5)
    assert "response_format" not in body
    config = lab.bench("config", "--json").json
    asked = {row["asked with"]: row["origin"] for n in ("judges", "endpoints") for row in config[n]}
    assert asked == dict.fromkeys(
        ["max_tokens 1500, no schema", "temperature none, max_tokens 900"], "file bench.toml"
    )


def test_a_variable_sets_them_too(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """And `bench config` says where it comes from."""
    monkeypatch.setenv("BENCH_JUDGE_SET", "max_tokens=700")
    assert lab.run().code == 0
    assert lab.bodies()[0]["max_tokens"] == 700
    rows = lab.bench("config", "--json").json["settings"]
    (row,) = [row for row in rows if row["name"] == "judge_set"]
    assert row["value"] == ["max_tokens=700"] and "BENCH_JUDGE_SET" in row["origin"]


WRONG = {
    "no such judge": ("openai/judge-x:temperature=0", "there is no such judge here"),
    "no such key": ("temprature=0", "there is no such setting; did you mean temperature?"),
    "no value": ("temperature", "is not of the form [JUDGE:]KEY=VALUE"),
    "out of range": ("temperature=-1", "must be a number from 0 on, or none, not '-1'"),
    "no switch": ("schema=maybe", "must be true or false, not 'maybe'"),
    "no JSON": ("extra_body={x}", "must be a JSON object"),
    "a field of ours": ('extra_body={"model": "x"}', "extra_body may not set 'model'"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_setting_that_is_none_is_refused(lab: Lab, text: str, message: str) -> None:
    """Before anything is sent, in one line that says which."""
    done = lab.run("--judge-set", text)
    assert done.code == 2
    assert message in done.err and "--judge-set" in done.err
    assert not lab.server.requests


def test_a_setting_is_given_once(lab: Lab) -> None:
    """Twice for one target is refused; for all and for one is no contradiction."""
    done = lab.run("--judge-set", "seed=1", "--judge-set", "seed=2")
    assert done.code == 2 and "--judge-set seed is given twice" in done.err


def test_a_credential_in_an_extra_body_is_refused(lab: Lab) -> None:
    """It would be stored with the grades; the message does not show it."""
    secret = "sk-proj-abcdefghijklmnop1234"
    done = lab.run("--judge-set", f'extra_body={{"api_key": "{secret}"}}')
    assert done.code == 2 and "is for a credential" in done.err and secret not in done.err


def test_judges_that_share_the_beginning_of_their_names(lab: Lab) -> None:
    """A name with a colon in it is found before what is only its beginning."""
    done = lab.run("--judge-set", "openai/judge:8b:top_p=0.5", judges=("judge", "judge:8b"))
    assert done.code == 0, done.err
    assert "top_p" not in lab.bodies("judge")[0]
    assert lab.bodies("judge:8b")[0]["top_p"] == 0.5


def test_the_plan_reckons_with_the_room_that_is_set(lab: Lab) -> None:
    """Fewer tokens out, and it names the judge with its settings."""
    plan = [
        lab.run(*more, "--dry-run", "--json") for more in ((), ("--judge-set", "max_tokens=10"))
    ]
    high = [done.json["runs"][0]["tokens"]["output"][1] for done in plan]
    assert high[0] - high[1] >= 2 * (8000 - 10)
    assert "(max_tokens 10)" in plan[1].err


# Where a judge is asked


def test_a_judge_without_key_and_address_is_asked_where_the_model_is(lab: Lab) -> None:
    """Both are openai/ and no key is there: the plan says so, and the run works."""
    done = lab.bench("run", "eqbench3", *lab.model, "--judge", "openai/judge-a", "--no-elo")
    assert done.code == 0, done.err
    assert len(lab.bodies()) == 2
    said = " ".join(done.err.split())
    assert f"the judge openai/judge-a is asked at {lab.server.base_url}, as the model" in said
    assert "OPENAI_API_KEY is not set" in said and "--judge-base-url" in said


def test_with_a_key_the_plan_says_that_the_provider_is_asked(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In words, with the option that asks the own server; nothing is sent by a plan."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    run = ("run", "eqbench3", *lab.model, "--judge", "openai/judge-a", "--no-elo")
    said = " ".join(lab.bench(*run, "--dry-run").err.split())
    assert "the judge openai/judge-a is asked at api.openai.com, not at the model's server" in said
    assert f"--judge-base-url {lab.server.base_url}" in said
    done = lab.bench(*run, "--max-cost", "5", "--price", "1,1")
    said = " ".join(done.err.split())
    assert "the price of the judge openai/judge-a" in said
    assert f"--judge-base-url {lab.server.base_url}" in said


def test_where_it_cannot_be_asked_the_message_says_that_the_judge_is_meant(lab: Lab) -> None:
    """And which option names its address."""
    run_id = lab.run("--json").json["run_id"]
    done = lab.bench("rejudge", run_id, "--judge", "openai/other")
    assert done.code == 3
    assert "no key for the judge openai/other: set OPENAI_API_KEY" in done.err
    assert "--judge-base-url URL" in done.err
    done = lab.bench("run", "eqbench3", *lab.model, "--judge", "anthropic/x", "--no-elo")
    assert "no key for the judge anthropic/x: set ANTHROPIC_API_KEY" in done.err


def test_an_anthropic_judge_gets_no_system_field(lab: Lab) -> None:
    """The system text is moved before any client makes a body of the request."""
    root = lab.server.base_url
    for sets in ((), ("--judge-set", "system=off")):
        done = lab.bench("run", "eqbench3", *lab.model, "--judge", "anthropic/judge-a",
                         "--judge-base-url", root, "--no-elo", *sets)  # fmt: skip
        assert done.code == 0, done.err
    bodies = lab.bodies()
    assert all("system" in body for body in bodies[:2])
    assert len(bodies) == 4 and not any("system" in body for body in bodies[2:])


def test_comparisons_are_made_with_the_settings(lab: Lab) -> None:
    """By a judge of the same settings none is made twice, by one of others all are."""

    def compare(*sets: str, model: str = "n") -> int:
        """How many comparisons are asked for."""
        before = len(lab.server.requests)
        asked = ("--model", f"openai/{model}", "--base-url", lab.server.base_url,
                 "--dataset", "bundled", "--limit", "2")  # fmt: skip
        named = ("--judge", "openai/judge-a", "--judge-base-url", lab.server.base_url)
        done = lab.bench("run", "eqbench3", *asked, *named, *sets)
        assert done.code == 0, done.err
        new = [r for r in lab.server.requests[before:] if PAIR.search(r.prompt)]
        assert all(r.body.get("temperature") == (0.4 if sets else 0.0) for r in new)
        return len(new)

    assert compare(model="m") == 0
    assert compare() > 0
    assert compare() == 0
    hot = ("--judge-set", "temperature=0.4")
    assert compare(*hot) > 0
    assert compare(*hot) == 0
    boards = lab.bench("leaderboard", "eqbench3", "--judge", "openai/judge-a (temperature 0.4)",
                       "--json")  # fmt: skip
    assert boards.code == 0, boards.err
    assert "(temperature 0.4)" in json.dumps(boards.json)


def test_an_exam_examines_the_judge_as_it_will_judge(lab: Lab) -> None:
    """It is asked with its settings, and the exam counts for the judge of these alone."""
    exam = ("exam", "openai/judge-a", "--base-url", lab.server.base_url, "--limit", "2", "--yes")
    done = lab.bench(*exam, "--judge-set", "temperature=0.3", "--judge-set", "max_tokens=500")
    assert done.code in (0, 1), done.err
    bodies = lab.bodies()
    assert bodies and {(b["temperature"], b["max_tokens"]) for b in bodies} == {(0.3, 500)}
    assert lab.bench(*exam, "--judge-set", "temperature=0.3").code == done.code
    assert len(lab.bodies()) == len(bodies)
    lab.bench(*exam)
    assert len(lab.bodies()) == 2 * len(bodies)
