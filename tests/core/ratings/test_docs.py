"""What docs/ratings.md and docs/plugins.md show is so."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import eibench
from eibench import Comparisons, RatingSettings
from eibench.core.plugins import Catalogue, Plugin
from eibench.core.ratings.reading import read_comparisons

DOCS = Path(eibench.__file__).resolve().parents[2] / "docs"


def test_the_line_of_the_page_is_read(tmp_path: Path) -> None:
    """As it stands there."""
    text = (DOCS / "ratings.md").read_text(encoding="utf-8")
    block = re.search(r"```json\n(.*?)\n```", text, re.S)
    assert block
    path = tmp_path / "line.jsonl"
    path.write_text(block[1])
    found = read_comparisons(path)
    assert (found.models, found.margin.tolist(), found.has_lengths) == (
        ("openai/x", "openai/y"),
        [1],
        True,
    )
    assert set(json.loads(block[1])) == {
        "item", "iteration", "a", "b", "first", "margins", "judge", "len_a", "len_b", "family",
    }  # fmt: skip


def test_the_engine_of_the_plugin_page_rates(round_of: Comparisons) -> None:
    """The example's file is a plugin, and its engine makes ratings."""
    text = (DOCS / "plugins.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(# file: tone/extras.py\n.*?)\n```", text, re.S)
    assert block
    module: dict[str, Any] = {"__name__": "my_extras"}
    exec(compile(block[1], "my_extras.py", "exec"), module)
    catalogue = Catalogue()
    plugin = SimpleNamespace(**{k: v for k, v in module.items() if k.startswith("register_")})
    catalogue.load([Plugin("my_extras", "docs", lambda: plugin)])
    assert not catalogue.broken
    ratings = catalogue.rating_engines.things["wins"].rate(round_of, RatingSettings())
    assert {row.model for row in ratings.rows} == set(round_of.models)
    assert ratings.rows[0].rating >= ratings.rows[-1].rating
