"""Gathers the files of changes/ into the first version of CHANGELOG.md, and removes them.

python docs/changes.py
"""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = {"numbers": "Numbers that change", "fixed": "Fixed", "added": "Added", "": "Changed"}
"""Headings in the changelog by the kind in a file's name: ``NAME.KIND.md``, or ``NAME.md``."""


def fragments(folder: Path) -> list[Path]:
    """The files of a folder that say what changed."""
    return [path for path in sorted(folder.glob("*.md")) if path.name != "README.md"]


def gathered(changelog: str, files: Iterable[Path]) -> str:
    """The changelog, in its first version each change as the first line of its section.

    Raises:
        ValueError: A file is of no kind, or holds nothing.
    """
    top, version, *older = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)
    for path in files:
        kind = path.stem.partition(".")[2]
        text = path.read_text(encoding="utf-8").strip().removeprefix("- ")
        if kind not in SECTIONS or not text:
            raise ValueError(f"{path.name}: changes/README.md says what such a file holds")
        heading = f"### {SECTIONS[kind]}\n\n"
        if heading not in version:
            version = f"{version.rstrip()}\n\n{heading}" + "\n" * bool(older)
        version = version.replace(heading, f"{heading}- {text}\n", 1)
    return "".join([top, version, *older])


if __name__ == "__main__":
    page, found = ROOT / "CHANGELOG.md", fragments(ROOT / "changes")
    page.write_text(gathered(page.read_text(encoding="utf-8"), found), encoding="utf-8")
    for path in found:
        path.unlink()
