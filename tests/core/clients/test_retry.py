"""The retry policy: whether, and after how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.clients.limits import RetryPolicy
from eibench.core.errors import RETRYABLE, ErrorKind, ProviderError

POLICY = RetryPolicy()


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_at_least_ten_attempts(kind: ErrorKind) -> None:
    """Rate limits, server errors, lost connections and garbage are tried ten times or more."""
    waits = [POLICY.wait(ProviderError(kind, "no"), n, lambda: 0.5) for n in range(1, 11)]
    assert all(w is not None for w in waits) == (kind in RETRYABLE)
    assert any(w is not None for w in waits) == (kind in RETRYABLE)


def test_it_ends() -> None:
    """The sixteenth attempt is the last one."""
    error = ProviderError(ErrorKind.SERVER, "no")
    assert POLICY.wait(error, 15, lambda: 0.0) is not None
    assert POLICY.wait(error, 16, lambda: 0.0) is None


def test_fatal_errors_are_final() -> None:
    """An error of a kind worth another attempt gets none when nothing else can succeed."""
    error = ProviderError(ErrorKind.CONNECTION, "no", fatal=True)
    assert POLICY.wait(error, 1, lambda: 0.0) is None


@given(
    kind=st.sampled_from(sorted(RETRYABLE)),
    tries=st.integers(1, POLICY.attempts - 1),
    draw=st.floats(0, 1, exclude_max=True),
)
def test_own_waits_are_bounded(kind: ErrorKind, tries: int, draw: float) -> None:
    """A wait of ours is between half its ceiling and its ceiling, which doubles up to a cap."""
    wait = POLICY.wait(ProviderError(kind, "no"), tries, lambda: draw)
    cap = POLICY.connection_cap_s if kind == ErrorKind.CONNECTION else POLICY.cap_s
    ceiling = min(cap, POLICY.base_s * 2 ** (tries - 1))
    assert wait is not None and ceiling / 2 <= wait <= ceiling


@given(asked=st.floats(0, 1e6), draw=st.floats(0, 1, exclude_max=True))
def test_never_before_the_server_says(asked: float, draw: float) -> None:
    """A wait is at least what the server asked for, and little more."""
    error = ProviderError(ErrorKind.RATE_LIMIT, "no", retry_after=asked)
    wait = POLICY.wait(error, 3, lambda: draw)
    assert wait is not None and asked <= wait <= asked + POLICY.base_s
