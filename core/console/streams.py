"""Standard streams whose reader has gone away."""

import contextlib
import os
from typing import IO


def silence(stream: IO[str] | None) -> None:
    """Let whatever is still written to a stream go nowhere, instead of being an error."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]  # None: AttributeError
        os.close(nowhere)
