"""Small things that messages say."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from eibench.core.console import output

Bench = Callable[..., Any]


def test_an_unknown_item_is_told_with_those_there_are(bench: Bench) -> None:
    """The nearest one, and a list; a range of names would be no help."""
    done = bench("run", "eqbench3", "--dataset", "bundled", "--items", "thursday-kye")
    assert (done.code, done.out) == (2, "")
    assert "--items thursday-kye: the pack has no such item; did you mean thursday-key?" in done.err
    assert "(it has: thursday-key, " in done.err and " and 8 more)" in done.err


def test_info_tells_no_empty_default(bench: Bench) -> None:
    """And a number without needless digits."""
    shown = bench("info", "eqbench3").out
    assert "Default: .\n" not in shown
    assert "(0: do not). Default: 0.\n" in shown


def test_the_plan_says_of_calls_that_there_may_be_more(bench: Bench) -> None:
    """Beside the calls, and not of what is free."""
    message = bench("run", "eqbench-v1", "--dataset", "bundled", "--dry-run").err
    assert "30 to 150 calls to demo/medium; " in message
    assert re.search(r"; free$", message, re.M)


def test_a_part_that_is_done_has_nothing_to_do(bench: Bench) -> None:
    """With --limit the rest was not asked for; nothing failed, and nothing waits."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--no-elo", "--limit", 3)
    shown = bench(*run).out
    assert "COMPLETE" in shown and "not asked for │" in shown
    assert "to do" not in shown


def test_a_plan_is_wrapped_between_words_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Elsewhere it is one line."""
    text = "60 calls to openai/m080-1 and 60 calls to anthropic/some-model"
    for terminal, lines in ((True, 2), (False, 1)):
        console = Console(stderr=True, force_terminal=terminal, width=40, color_system=None)
        monkeypatch.setattr(output, "err", lambda console=console: console)
        output.tell_wrapped(text)
        message = capsys.readouterr().err.splitlines()
        assert len(message) == lines
        assert " ".join(part.strip() for part in message) == text
