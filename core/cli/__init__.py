"""The `bench` command."""

import sys


def main() -> None:
    """Run `bench`; what the console script calls."""
    from .app import app

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character gets "?" for it
            stream.reconfigure(errors="replace")
    app.main(prog_name="bench")
