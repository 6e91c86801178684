"""Models without a chat form: prompts by templates, `/v1/completions`, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import DataError, Message
from eibench.core.errors import ProviderError, UsageError
from eibench.core.parties.prompt_templates import find_template
from eibench.testing import LoopbackServer, ReceivedRequest, Response, uniform_ratings

TEMPLATES = Path(__file__).parents[2] / "data" / "templates"
RENDERED = json.loads((TEMPLATES / "rendered.json").read_text("utf-8"))


@pytest.mark.parametrize("name", RENDERED["prompts"])
def test_a_template_gives_what_the_reference_renderer_gives(name: str) -> None:
    """Byte for byte what `transformers` rendered of the same template and messages."""
    template = find_template(name if name == "chatml" else str(TEMPLATES / name))
    for rows, expected in zip(RENDERED["messages"], RENDERED["prompts"][name], strict=True):
        assert template.render([Message(role, text) for role, text in rows]) == expected


def test_raw_adds_nothing() -> None:
    """The messages' own words; it cannot say who spoke, so talks are refused."""
    raw = find_template("raw")
    assert raw.render([Message("user", "<|im_start|> {{ x }}")]) == "<|im_start|> {{ x }}"
    assert raw.render([Message("system", "Be kind."), Message("user", "q")]) == "Be kind.\n\nq"
    with pytest.raises(ProviderError, match="use chatml or a file"):
        raw.render([Message("user", "a"), Message("assistant", "b"), Message("user", "c")])


def test_a_template_cannot_reach_out(tmp_path: Path) -> None:
    """It runs in a sandbox; what it raises is an error that ends the run."""
    path = tmp_path / "evil.jinja"
    path.write_text("{{ messages.__class__.__mro__[1].__subclasses__() }}", "utf-8")
    with pytest.raises(ProviderError, match=r"evil\.jinja"):
        find_template(str(path)).render([Message("user", "q")])
    path.write_text("{{ raise_exception('a user comes first') }}", "utf-8")
    with pytest.raises(ProviderError, match="a user comes first"):
        find_template(str(path)).render([Message("user", "q")])
    for text in ("{{ 1 / 0 }}", "{% include 'x' %}", "{{ lipsum() }}",
                 "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}"):  # fmt: skip
        path.write_text(text, "utf-8")
        with pytest.raises(ProviderError, match=r"evil\.jinja: .") as error:
            find_template(str(path)).render([Message("user", "q")])
        assert error.value.fatal


def test_a_broken_template_is_named_with_its_line(tmp_path: Path) -> None:
    """Before anything is asked."""
    path = tmp_path / "x.jinja"
    path.write_text("a\n{% for %}", "utf-8")
    with pytest.raises(DataError, match="line 2"):
        find_template(str(path))
    with pytest.raises(DataError, match="raw, chatml or a file"):
        find_template(str(tmp_path / "absent"))


CHATML = {"BENCH_TEMPLATE": "chatml"}


def test_a_run_by_completions(bench: Callable[..., Any]) -> None:
    """The path, the prompt and the stop; another template is another run, chat one more."""
    with LoopbackServer(uniform_ratings(1)) as server:
        args = ("run", "eqbench-v2", "--model", "openai/base", "--base-url", server.base_url,
                "--limit", "2", "--json")  # fmt: skip
        runs = [
            bench(*args, *more, env=env).json["run_id"]
            for more, env in ((("--completions",), {}), (("--completions",), CHATML), ((), {}))
        ]
        again = bench(*args, "--completions").json
    assert len(set(runs)) == 3 and again["run_id"] == runs[0]
    chats = {request.path: request for request in server.requests}
    assert set(chats) == {"/v1/completions", "/v1/chat/completions"}
    raw, chatml = (
        next(r for r in server.requests if r.body.get("prompt", "").startswith(start) == is_chatml)
        for start, is_chatml in (("<|im_start|>", False), ("<|im_start|>", True))
    )
    assert "stop" not in raw.body and chatml.body["stop"] == ["<|im_end|>"]
    assert "messages" not in raw.body and raw.body["model"] == "base"
    assert chatml.body["prompt"].endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert again["items"]["scored"] == 2


def test_a_server_that_refuses_stops_is_asked_without(bench: Callable[..., Any]) -> None:
    """Once, and not again and again: the template's own stop is left out too."""
    rate = uniform_ratings(1)

    def respond(request: ReceivedRequest) -> Any:
        if "stop" in request.body:
            error = {"message": "Unsupported parameter: 'stop'", "param": "stop"}
            return Response(400, json.dumps({"error": error}).encode())
        return rate(request)

    with LoopbackServer(respond) as server:
        done = bench("run", "eqbench-v2", "--model", "openai/base", "--base-url", server.base_url,
                     "--limit", "2", "--completions", "--json", env=CHATML)  # fmt: skip
    assert done.json["items"]["scored"] == 2 and done.json["not_sent"] == []
    assert sum("stop" in request.body for request in server.requests) <= 2


def test_an_answer_without_a_text_is_an_error(bench: Callable[..., Any]) -> None:
    """A server that answers as for a chat is not read as one that says nothing."""
    chat = {"choices": [{"index": 0, "message": {"content": "5"}, "finish_reason": "stop"}]}
    with LoopbackServer(lambda request: chat) as server:
        done = bench("run", "eqbench-v2", "--model", "openai/base", "--base-url", server.base_url,
                     "--limit", "1", "--completions", "--json",
                     env={"BENCH_MAX_RETRIES": "0"})  # fmt: skip
    assert done.json["items"]["failed"] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--completions", "--model", "anthropic/x"], "--completions is for openai/ models"),
        (["--completions", "--model", "openai/x", "--batch"], "does not go with --completions"),
        (["--completions", "--model", "openai/x", "--extra-body", '{"prompt": "x"}'], "prompt"),
    ],
)  # fmt: skip
def test_what_has_no_completions_is_refused(
    bench: Callable[..., Any], args: list[str], message: str
) -> None:
    """Before anything is asked."""
    done = bench("run", "eqbench-v2", *args)
    assert done.code == 2 and message in done.err


def test_a_key_that_contradicts_completions_is_named(bench: Callable[..., Any]) -> None:
    """With the file that has it; a template there is for the runs that ask so."""
    Path("bench.toml").write_text('[run]\nbatch = "all"\ntemplate = "raw"\n', "utf-8")
    asked = ("run", "eqbench-v2", "--model", "openai/x", "--dry-run")
    done = bench(*asked, "--completions")
    assert done.code == 2 and "--batch does not go with --completions" in done.err
    assert done.err.rstrip().endswith("(set in bench.toml)")
    assert bench(*asked).code == 0
    with pytest.raises(UsageError, match=r"^template is for completions"):
        eibench.run("eqbench-v2", model="openai/x", template="raw")
