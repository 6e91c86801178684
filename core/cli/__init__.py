"""The `bench` command."""


def main() -> None:
    """Run `bench`; what the console script calls."""
    from .app import app

    app.main(prog_name="bench")
