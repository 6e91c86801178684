"""Paragraphs of .docx files: what is text, and what a hostile file may not do."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from eibench import DataError
from eibench.plugins.seceu.docx import MOST_BYTES, read_paragraphs

Docx = Callable[..., Path]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def body(inner: str, before: str = "") -> str:
    """A document with this inside."""
    return f"{before}<w:document {W}><w:body>{inner}</w:body></w:document>"


def test_paragraphs_come_in_order_with_their_tabs(docx: Docx) -> None:
    """Text of all runs of a paragraph together; an empty paragraph is an empty text."""
    assert read_paragraphs(docx(["One", "", "a\tb\tc"])) == ["One", "", "a\tb\tc"]


def test_a_word_cut_into_runs_is_one_word(docx: Docx) -> None:
    """Word processors cut runs anywhere, as around a spelling mark."""
    runs = "<w:r><w:t>Hel</w:t></w:r><w:proofErr/><w:r><w:t>pless</w:t></w:r>"
    assert read_paragraphs(docx(xml=body(f"<w:p>{runs}</w:p>"))) == ["Helpless"]


def test_tab_stops_and_deleted_text_are_no_text(docx: Docx) -> None:
    """A tab in the layout of a paragraph is none in its text; a line break is one."""
    layout = '<w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>'
    gone = "<w:del><w:r><w:delText>x</w:delText></w:r></w:del>"
    runs = f"<w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r>{gone}"
    assert read_paragraphs(docx(xml=body(f"<w:p>{layout}{runs}</w:p>"))) == ["a\nb"]


def test_entities_are_refused_before_they_are_expanded(docx: Docx) -> None:
    """A document type is the only place where entities can be declared."""
    bomb = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    xml = body("<w:p><w:r><w:t>&b;</w:t></w:r></w:p>", before=bomb)
    with pytest.raises(DataError, match="declares a document type, which is refused"):
        read_paragraphs(docx(xml=xml))


def test_nothing_outside_the_file_is_read(docx: Docx, empty_place: Path) -> None:
    """An external entity would name a file; it is refused, not fetched."""
    secret = empty_place / "secret"
    secret.write_text("secret words")
    declared = f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    with pytest.raises(DataError, match="document type") as caught:
        read_paragraphs(docx(xml=body("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>", before=declared)))
    assert "secret words" not in str(caught.value)


def test_an_undeclared_entity_is_an_error(docx: Docx) -> None:
    """Not an empty text."""
    with pytest.raises(DataError, match="not XML"):
        read_paragraphs(docx(xml=body("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>")))


def test_a_text_that_unpacks_to_very_much_is_refused(docx: Docx) -> None:
    """The limit holds while unpacking: 20 MiB of spaces pack to 20 KiB."""
    bomb = docx(xml=body(" " * (20 * 2**20)))
    assert bomb.stat().st_size < 10**5
    with pytest.raises(DataError, match=r"unpacks to over .* bytes, which is refused"):
        read_paragraphs(bomb)


def test_a_large_text_is_refused_even_when_it_does_not_pack_well(empty_place: Path) -> None:
    """Stored as it is, over the limit by one."""
    path = empty_place / "large.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("word/document.xml", b" " * (MOST_BYTES + 1))
    with pytest.raises(DataError, match="unpacks to over"):
        read_paragraphs(path)


def test_a_size_that_lies_does_not_help(docx: Docx) -> None:
    """The archive says 16 bytes; what comes is cut or refused, never more than said is kept."""
    path = docx(xml=body(" " * 2**21))
    raw = path.read_bytes()
    size = (2**21 + len(body(""))).to_bytes(4, "little")
    assert size in raw
    path.write_bytes(raw.replace(size, (16).to_bytes(4, "little")))
    with pytest.raises(DataError):
        read_paragraphs(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a .docx file"),
        (b"plain text", "not a .docx file"),
        (b"PK\x03\x04 and then nothing", "not a .docx file"),
    ],
    ids=["empty", "text", "cut off"],
)
def test_what_is_no_archive_is_said_to_be_none(
    empty_place: Path, content: bytes, message: str
) -> None:
    """One line, with the file's name."""
    path = empty_place / "x.docx"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_paragraphs(path)
    assert str(path) in str(caught.value)


def test_an_archive_of_something_else_is_refused(empty_place: Path) -> None:
    """A zip without the document."""
    path = empty_place / "x.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(DataError, match=r"holds no word/document\.xml"):
        read_paragraphs(path)


def test_other_packing_is_refused(empty_place: Path) -> None:
    """No word processor uses LZMA; its decoder stays out of reach."""
    path = empty_place / "x.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("word/document.xml", body(""))
    with pytest.raises(DataError, match="packed in an unusual way"):
        read_paragraphs(path)


def test_a_missing_file_is_another_error_than_a_broken_one(empty_place: Path) -> None:
    """So that a typing error in a path is seen as one."""
    with pytest.raises(DataError, match="no such file"):
        read_paragraphs(empty_place / "none.docx")


@pytest.mark.parametrize(
    "xml",
    [b"<w:document", b"\xff\xfe\x00", b'<?xml version="1.0" encoding="gb2312"?><a/>',
     b'<?xml version="1.0" encoding="no-such"?><a/>'],
    ids=["cut", "bytes", "gb2312", "no encoding"],
)  # fmt: skip
def test_broken_xml_is_an_error(docx: Docx, xml: bytes) -> None:
    """Also in an encoding that the parser cannot read."""
    with pytest.raises(DataError, match="not XML"):
        read_paragraphs(docx(xml=xml))
