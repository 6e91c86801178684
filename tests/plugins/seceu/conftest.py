"""What the tests of SECEU share: the official files if they are here, packs, and an empty place."""

import json
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")


@pytest.fixture(scope="session")
def official() -> Path:
    """The folder of the official files."""
    if OFFICIAL is None:
        pytest.skip("EIBENCH_OFFICIAL_DATA does not say where the official data is")
    return Path(OFFICIAL) / "seceu"


@pytest.fixture(autouse=True)
def empty_place(empty_place: Path) -> Path:
    """Every test here runs in it."""
    return empty_place


_STORY = {
    "id": "1",
    "story": "The bus is late. Ana would feel:",
    "options": ["Angry", "Bored", "Glad", "Sad"],
    "reference": [4, 3, 2, 1],
}


@pytest.fixture
def pack(empty_place: Path) -> Callable[..., Path]:
    """Writes a JSON pack: stories by their changes to a plain one, and what else it holds."""

    def write(*stories: dict[str, Any], name: str = "pack.json", **rest: Any) -> Path:
        items = [{**_STORY, "id": str(n), **s} for n, s in enumerate(stories or [{}], start=1)]
        path = empty_place / name
        path.write_text(json.dumps({"items": items, **rest}), encoding="utf-8")
        return path

    return write


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture
def docx(empty_place: Path) -> Callable[..., Path]:
    """Writes a .docx of paragraphs, tabs as tabs; or of given XML."""

    def write(
        paragraphs: Sequence[str] = (), *, xml: str | bytes = "", name: str = "text.docx"
    ) -> Path:
        path = empty_place / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", xml or document(paragraphs))
        return path

    return write


def document(paragraphs: Sequence[str]) -> str:
    """The XML of a document."""
    body = "".join(f"<w:p>{_runs(paragraph)}</w:p>" for paragraph in paragraphs)
    return f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'


def _runs(paragraph: str) -> str:
    texts = map(escape, paragraph.split("\t"))
    parts = [f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' for text in texts]
    return "<w:r><w:tab/></w:r>".join(parts)
