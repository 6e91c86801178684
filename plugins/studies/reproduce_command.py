"""`bench reproduce`: published numbers, computed again by the code that scores and imports."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

import eibench
from eibench import UsageError

from .reproduced import DIFFERS, ReproducedRow, as_json, as_markdown, reproduce, tables

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench reproduce\n"
    "  bench reproduce spiral-bench --data ~/spiral-bench\n"
    "  bench reproduce --data ~/sources -o published.md\n"
)
START, END = "<!-- Made by bench reproduce -->\n", "<!-- as far as here -->\n"
"""Between which lines of a Markdown file the table is put, where it has them."""


@click.command("reproduce", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("words", metavar="[BENCHMARK]...", nargs=-1)
@click.option("--data", "folders", multiple=True, metavar="FOLDER",
              type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Where copies of the sources are: a repository as it is upstream, or a folder "
                   "of several. Official packs are from there or from the cache.")  # fmt: skip
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE.md|FILE.json",
              type=click.Path(dir_okay=False, path_type=Path),
              help="Write the table to a file; where it has the two lines of docs/reproduce.md, "
                   "between them.")  # fmt: skip
@eibench.json_option
def reproduce_command(
    words: tuple[str, ...], folders: tuple[Path, ...], outputs: tuple[Path, ...], json_output: bool
) -> int:
    """Compute published numbers again, by the code that scores and imports.

    Of each benchmark: what is compared, the source, how many numbers, the largest difference, and
    what does not come out and why. Exit code 1 where a number differs by more than rounding
    explains and is not declared to. A row without data says what brings it.
    """
    if unfit := next((path for path in outputs if path.suffix not in (".md", ".json")), None):
        raise UsageError(f"-o {unfit}: name a file that ends in .md or .json")
    context = click.get_current_context()
    named = [eibench.named_benchmark(word, context) for word in words]
    if unknown := next((w for w, b in zip(words, named, strict=True) if b is None), None):
        raise UsageError(f"{unknown!r} is no benchmark; bench list names them")
    names = [one.name for one in named if one] or list(eibench.benchmarks())
    rows = list(reproduce(names, folders))
    if not rows:
        raise UsageError(f"of {', '.join(names)} no published number can be computed again")
    for path in outputs:
        eibench.write_lines(path, [_text(path, rows).encode()])
        eibench.tell(f"the table is in {path}")
    if json_output:
        eibench.show_json(as_json(rows))
    else:
        eibench.show(*tables(rows))
    return int(any(row.result == DIFFERS for row in rows))


def _text(path: Path, rows: Sequence[ReproducedRow]) -> str:
    """What a file is to hold."""
    if path.suffix == ".json":
        return json.dumps(as_json(rows), indent=1, ensure_ascii=False) + "\n"
    before, start, rest = (eibench.read_text(path) if path.exists() else "").partition(START)
    _, end, after = rest.partition(END)
    table = as_markdown(rows)
    return f"{before}{START}\n{table}\n{END}{after}" if start and end else table
