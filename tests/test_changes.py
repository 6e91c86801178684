"""docs/changes.py: files of changes/ become lines of the changelog."""

import runpy
from pathlib import Path

import pytest

import eibench

ROOT = Path(eibench.__file__).resolve().parents[2]
CHANGES = runpy.run_path(str(ROOT / "docs" / "changes.py"))
BEFORE = "# Changelog\n\n## [0.2.0]\n\n### Fixed\n\n- Old.\n\n## [0.1.0]\n\n### Added\n\n- All.\n"


def written(folder: Path, **files: str) -> list[Path]:
    """Files of a folder, whose names have dots for underscores."""
    for name, text in files.items():
        (folder / f"{name.replace('_', '.')}.md").write_text(text, encoding="utf-8")
    found: list[Path] = CHANGES["fragments"](folder)
    return found


def test_a_change_stands_first_in_its_section_of_the_first_version(tmp_path: Path) -> None:
    """With or without a dash of its own; what was there stays."""
    files = written(tmp_path, one_fixed="One\n  more.\n", two_fixed="- Two.")
    after = BEFORE.replace("- Old.", "- Two.\n- One\n  more.\n- Old.")
    assert CHANGES["gathered"](BEFORE, files) == after


def test_a_section_that_is_not_there_yet_is_begun(tmp_path: Path) -> None:
    """At the end of the first version, and not in an older one that has it."""
    files = written(tmp_path, one_added="One.", two="Two.", README="Not a change.")
    after = BEFORE.replace("Old.\n", "Old.\n\n### Added\n\n- One.\n\n### Changed\n\n- Two.\n")
    assert CHANGES["gathered"](BEFORE, files) == after


@pytest.mark.parametrize(("name", "text"), [("one_other", "One."), ("one", " \n")])
def test_a_file_that_says_nothing_or_of_no_kind_is_named(
    tmp_path: Path, name: str, text: str
) -> None:
    """It is not left out."""
    with pytest.raises(ValueError, match=r"^one.*md: changes/README.md says"):
        CHANGES["gathered"](BEFORE, written(tmp_path, **{name: text}))


def test_all_changes_of_today_can_be_gathered() -> None:
    """Each file of changes/ becomes a line."""
    files = CHANGES["fragments"](ROOT / "changes")
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(CHANGES["gathered"](page, files).splitlines()) >= len(page.splitlines()) + len(files)
