"""Names of files, which every file system and every server takes."""

import pytest

from eibench.core.html.slugs import slug


@pytest.mark.parametrize("name", ["con", "nul", "com1", "lpt9", "con.v2", "CON.v2", "index"])
def test_what_a_system_keeps_for_itself_is_no_name(name: str) -> None:
    """Windows takes no `con.html` and no `con.v2.html`; a server takes `index` for a folder."""
    made = slug(name)
    assert made.partition(".")[0] not in {"con", "nul", "com1", "lpt9", "index"}
    assert made != slug(f"{name}-")


@pytest.mark.parametrize("name", ["console", "index-2", "m.con", "com", "llama-3.1-8b"])
def test_what_only_looks_like_it_stays(name: str) -> None:
    """A plain name is its own."""
    assert slug(name) == name
