"""Words and what they mean: the same in the docs, on each site and under each report."""

from pathlib import Path

from markupsafe import escape

from eibench.core.html.index_page import glossary_page
from eibench.core.html.rendering import FOLDER, Head, glossary, in_one_file, rendered

DOCS = FOLDER.resolve().parents[1] / "docs"


def test_the_docs_have_the_glossary_of_the_pages() -> None:
    """If they do not, copy core/html/glossary.md to the end of docs/pages.md."""
    _, section = Path(DOCS / "pages.md").read_text(encoding="utf-8").split("## Glossary\n\n")
    assert section == (FOLDER / "glossary.md").read_text(encoding="utf-8")


def test_a_site_explains_each_word_of_it() -> None:
    """With all that is said of it."""
    page = rendered(glossary_page([])).content.decode()
    terms = [f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in glossary().items()]
    assert len(terms) > 10
    assert [term for term in terms if term not in page] == []


def test_a_report_says_below_what_its_whiskers_are() -> None:
    """In the words of the glossary."""
    report = in_one_file([glossary_page([])], Head("", "", demo=False, chips=[]))
    footer = report[report.index("<footer>") :]
    assert f"Whiskers run f{glossary()['whisker'][1:]}" in footer
