"""Settings from Python, and messages in its words."""

from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import Sampling, UsageError
from eibench.core.settings.python import from_python, python_words
from eibench.core.settings.run_settings import RunSettings, SettingSource

SPOKEN = {
    "--max-tokens must be less": "max_tokens must be less",
    "[run] headers a and --note b": "headers a and notes b",
    "needs --judge SPEC": "needs judge=SPEC",
    "use --no-elo; --fresh asks again": "use elo=False; fresh=True asks again",
    'give --price IN,OUT or [prices."x/y"] in bench.toml': (
        'give prices={"x/y": {"input": ..., "output": ...}}'
    ),
    "bench rejudge R --judge SPEC adds one; or leave --judge out": (
        "bench rejudge R --judge SPEC adds one; or leave judge out"
    ),
    "'--judge' is no model; a--b is none": "'--judge' is no model; a--b is none",
}


@pytest.mark.parametrize(("message", "spoken"), SPOKEN.items())
def test_options_become_arguments(message: str, spoken: str) -> None:
    """But not in commands, and not in what the user wrote."""
    assert python_words(message) == spoken
    assert python_words(spoken) == spoken


def test_nothing_given_is_the_default() -> None:
    """`None` stands for it, whatever its type."""
    settings = from_python({"limit": None, "judge": None, "runs_dir": None})
    assert settings == RunSettings(sources={"model": SettingSource.GIVEN})


def test_single_arguments_go_into_the_sampling() -> None:
    """Beside those of a `Sampling`, as numbers that the command line would have."""
    settings = from_python({"temperature": 1, "sampling": Sampling(top_p=1, stop=("x",))})
    assert settings.sampling == Sampling(temperature=1.0, top_p=1.0, stop=("x",))
    assert isinstance(settings.sampling.top_p, float)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": {"elo": False, "rubric": False, "orders": "one"}}, "orders is about"),
        ({"options": {"elo": False, "rubric": False}, "without": ["x"]}, "without is about"),
        ({"judge_api_key_env": "A_KEY"}, "judge_api_key_env needs judge=SPEC"),
        ({"base_url": "gpu", "model": "openai/x"}, "base_url 'gpu' is not an http"),
    ],
)
def test_what_contradicts_itself_is_refused(
    empty_place: Path, arguments: dict[str, Any], message: str
) -> None:
    """As on the command line, before anything is made."""
    with pytest.raises(UsageError) as caught:
        eibench.run("eqbench3", **arguments)
    assert str(caught.value).startswith(message)
    assert not Path("runs").exists()
