"""The `bench` command."""

import gc
import sys
from io import TextIOWrapper


def main() -> None:
    """Run `bench`; what the console script calls."""
    # A run makes little that only a collection can free, and much that each would look through.
    gc.set_threshold(100_000, 50, 1000)
    from .app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character gets "?" for it
            stream.reconfigure(errors="replace")
    app.main(prog_name="bench")
