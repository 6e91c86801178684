"""The page on SECEU: its flags, its example of a pack, and its figures are the real ones."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import find_pack
from eibench.plugins.seceu.answers import FLAGS
from eibench.plugins.seceu.benchmark import Seceu
from eibench.plugins.seceu.packs import read_file

PAGE = (Path(eibench.__file__).resolve().parents[2] / "docs/seceu.md").read_text(encoding="utf-8")
SECEU = Seceu()


def read(dataset: str, **changes: Any) -> tuple[Any, dict[str, Any]]:
    """A pack and the options it was read with."""
    options = {"prompting": "direct", "lang": "en", "shuffle_options": False} | changes
    return SECEU.read_pack(find_pack(SECEU, dataset, options), options), options


def test_each_flag_is_explained_as_in_the_code() -> None:
    """The table of flags, in its order."""
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", PAGE, re.M))
    assert {name: rows[name] for name in FLAGS} == dict(FLAGS)


def test_the_example_of_a_pack_can_be_read(empty_place: Path) -> None:
    """As it stands on the page."""
    found = re.search(r"```json\n(.*?)```", PAGE, re.S)
    assert found
    (empty_place / "pack.json").write_text(found[1])
    contents = read_file(empty_place / "pack.json", lang="en")
    assert json.loads(found[1])["items"][0]["options"] == list(contents.stories[0].options)
    read("pack.json")


@pytest.mark.parametrize("name", ["random", "uniform", "best_constant"])
def test_baselines_of_the_bundled_packs_are_those_of_the_page(name: str) -> None:
    """English and Chinese, to two digits."""
    found = re.search(rf"^\| `{name}` .*\| (\d\.\d\d), (\d\.\d\d)", PAGE, re.M)
    assert found
    for lang, printed in zip(("en", "zh"), found.groups(), strict=True):
        pack, options = read("bundled", lang=lang)
        assert round(SECEU.baselines(pack, options)[name].value, 2) == float(printed)


def test_best_constant_falls_when_options_are_shuffled(official: Path) -> None:
    """The figure of the page: from 121.6 to 110.3."""
    pack, options = read(str(official), shuffle_options=True)
    found = SECEU.baselines(pack, options)["best_constant"]
    assert f"the best constant falls to {found.value:.1f}" in PAGE
