"""What a site makes public: texts of packs with a licence, no keys, no addresses, no places."""

import base64
import gzip
import html
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from eibench.core.cli.report import run_input
from eibench.core.html import item_pages
from eibench.core.html.masking import Masker
from eibench.core.html.policy import Policy
from eibench.core.html.report import OPEN
from eibench.core.journal import Journal
from eibench.core.runs.stored_run import StoredRun
from eibench.core.types.result_document import Grade
from eibench.testing import LoopbackServer, uniform_ratings

Bench = Callable[..., Any]
SITE = Path("site")
MAIL, KEY = "jane.doe+x@mail.example.org", "hf_ABCDEFGHIJKLMNOPQRSTUVWX"
PROMPT = "You are a very secret assistant."
NOTE = "only-for-us"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A model that writes an address and a key beside its ratings."""
    answer = uniform_ratings(1)
    with LoopbackServer(lambda r: f"{answer(r)}\n\nWrite to {MAIL}, {KEY}.") as server:
        yield server


def run(bench: Bench, server: LoopbackServer, *more: object) -> None:
    """A run with a system prompt and a note."""
    where = ("--model", "openai/x", "--base-url", server.base_url)
    done = bench("run", "eqbench-v1", *where, "--limit", 2, "--system", PROMPT,
                 "--note", f"why={NOTE}", *more)  # fmt: skip
    assert done.code == 0, done.err


def everything() -> dict[str, str]:
    """All files of the site as text, what is packed in them unpacked."""
    found = {}
    for path in SITE.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        for packed in re.findall(r'"(H4sI[^"]+)"', text):  # as base64 of gzip begins
            text += gzip.decompress(base64.b64decode(packed)).decode()
        found[str(path)] = text
    return found


@pytest.mark.parametrize("planted", [MAIL, KEY, PROMPT, NOTE, "127.0.0.1"])
def test_what_nobody_need_know_is_in_no_file(
    bench: Bench, empty_place: Path, server: LoopbackServer, planted: str
) -> None:
    """Neither addresses and keys that a model wrote, nor what the run was made with."""
    run(bench, server)
    done = bench("site", "-o", SITE, "--texts", "all")
    assert done.code == 0, done.err
    assert "left out of what was written: " in done.err
    assert [path for path, text in everything().items() if planted in text] == []
    assert any("[e-mail], [key]." in text for text in everything().values())


def test_a_key_that_is_known_later_is_left_out_then(
    bench: Bench, empty_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of transcripts too, which nothing else of would be written again."""
    later, answer = "fake words of a later key", uniform_ratings(1)
    with LoopbackServer(lambda r: f"{answer(r)}\n\n{later}") as server:
        run(bench, server)
    assert bench("site", "-o", SITE).code == 0
    assert any(later in text for text in everything().values())
    monkeypatch.setenv("LATER_API_KEY", later)
    assert bench("site", "-o", SITE).code == 0
    assert not any(later in text for text in everything().values())


def test_texts_of_a_pack_without_a_licence_are_left_out(
    bench: Bench, empty_place: Path, server: LoopbackServer, questions: Callable[..., Path]
) -> None:
    """By default; its numbers, ids and digest are there, and --texts all has the texts."""
    path = questions("1,2")
    run(bench, server, "--dataset", path)
    asked = json.loads(path.read_text())["1"]["prompt"].splitlines()[0]
    assert bench("site", "-o", SITE).code == 0
    assert not list(SITE.glob("texts/*/*"))
    assert not [path for path, text in everything().items() if asked in text]
    assert any("not published here" in text for text in everything().values())
    assert bench("site", "-o", SITE, "--texts", "all").code == 0
    assert any(asked in text for text in everything().values())


@pytest.mark.parametrize(("policy", "named"), [(OPEN, True), (Policy("all"), False)])
def test_the_transcripts_of_a_report_name_hosts_to_their_owner_alone(
    bench: Bench, empty_place: Path, server: LoopbackServer, policy: Policy, named: bool
) -> None:
    """Whoever was asked is called as in the own journal; for others without the host."""
    run(bench, server)
    with Journal(Path("runs"), create=False) as journal:
        stored = StoredRun(journal, journal.runs()[-1])
        first, *_ = run_input(stored, policy, transcripts=True).texts
    asked = first.record["iterations"][0]["calls"][0]["asked"]
    assert (" at local" in asked) is named


@pytest.mark.skipif(
    "EIBENCH_OFFICIAL_DATA" not in os.environ, reason="EIBENCH_OFFICIAL_DATA is not set"
)
def test_a_licence_that_is_not_stated_is_none(bench: Bench, empty_place: Path) -> None:
    """SECEU's authors state none for their stories, and their manifest entry says so."""
    official = Path(os.environ["EIBENCH_OFFICIAL_DATA"], "seceu")
    assert bench("run", "seceu", "--dataset", official, "--limit", 2).code == 0
    done = bench("site", "-o", SITE)
    assert done.code == 0, done.err
    assert not list(SITE.glob("texts/*/*"))
    assert "none stated" in bench("site", "--dry-run").out


@pytest.mark.parametrize(
    ("texts", "licence", "shown"),
    [
        ("licensed", "MIT", True),
        ("licensed", "none stated", False),
        ("licensed", "None", False),
        ("licensed", None, False),
        ("all", "none stated", True),
        ("none", "MIT", False),
    ],
)
def test_whose_texts_are_shown(texts: str, licence: str | None, shown: bool) -> None:
    """Those of packs with a licence, all, or none."""
    assert Policy(texts).shows({"licence": licence}) is shown


def test_the_command_of_a_page_needs_an_address(
    bench: Bench, empty_place: Path, server: LoopbackServer
) -> None:
    """Else a reader's key would go to the provider; the server's own address is not told."""
    run(bench, server)
    assert bench("site", "-o", SITE).code == 0
    (page,) = SITE.glob("models/*.html")
    assert "--base-url URL</code>" in page.read_text(encoding="utf-8")


def test_no_page_names_where_a_pack_is(
    bench: Bench, empty_place: Path, server: LoopbackServer, questions: Callable[..., Path]
) -> None:
    """Neither a site nor a report for others: the command that repeats the run says PATH."""
    path = questions("1,2", name="our-secret-pack.json")
    run(bench, server, "--dataset", path)
    assert bench("site", "-o", SITE).code == 0
    assert bench("report", "-o", "page.html", "--public").code == 0
    pages = [*everything().values(), Path("page.html").read_text(encoding="utf-8")]
    assert not [page for page in pages if "our-secret-pack" in page]
    assert sum("--dataset PATH" in page for page in pages) == 2


def test_a_preview_lists_and_writes_nothing(
    bench: Bench, empty_place: Path, server: LoopbackServer
) -> None:  # fmt: skip
    """Boards, models, packs with their licence, and what is left out."""
    run(bench, server)
    done = bench("site", "--dry-run")
    assert done.code == 0
    assert "openai/x" in done.out
    assert "Apache-2.0" in done.out
    assert "nothing was written" in done.out
    assert re.search(r"left out of what was written: .*e-mail addresses", done.out)
    assert not SITE.exists()


def test_a_site_needs_a_folder(bench: Bench, empty_place: Path) -> None:
    """Or a preview."""
    done = bench("site")
    assert done.code == 2
    assert "--output FOLDER" in done.err


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("me@here.example", "[e-mail]"),
        ("a@b and @someone, 3 @ 4.50", "a@b and @someone, 3 @ 4.50"),
        ("sk-abcdefgh12345678", "[key]"),
        ("AKIAABCDEFGHIJKL1234", "[key]"),
        ("openai/x at 10.0.0.7:8000, then 10.0.0.7:8000", "openai/x, then [place]"),
        ("look at me", "look at me"),
        ("the value of MY_API_KEY is fake-0123456789", "the value of MY_API_KEY is [key]"),
    ],
)
def test_what_is_masked(text: str, wanted: str) -> None:
    """Addresses, keys by their form and by the environment, known places; nothing else."""
    masker = Masker(["10.0.0.7:8000"], {"MY_API_KEY": "fake-0123456789", "OTHER": "look at"})
    assert masker.text(text) == wanted
    assert bool(+masker.counts) == (text != wanted)


def test_an_item_s_page_says_how_hard_it_is(bench: Bench, demos: Callable[..., Any]) -> None:
    """The mean over the models is that of `bench show --items`; each model leads to its answer."""
    documents = demos(3)
    assert bench("site", "-o", SITE).code == 0
    shown = [bench("show", d["run_id"], "--items", "--json").json for d in documents]
    item = shown[0]["items"][0]["item_id"]
    values = [row["value"] for s in shown for row in s["items"] if row["item_id"] == item]
    (page,) = SITE.glob(f"items/*/{item}.html")
    text = page.read_text(encoding="utf-8")
    assert f"{sum(values) / 3:.2f}" in text
    assert len(re.findall(r'href="\.\./\.\./models/[^"]+#', text)) == 3
    assert "not tested: needs 5 models" in text


def test_the_list_of_items_has_their_first_words(bench: Bench) -> None:
    """Of the question, less what all of them begin with; and none where texts are not shown."""
    bench("run", "eqbench-v1", "--limit", "2")
    for texts, n in (("all", 2), ("none", 0)):
        assert bench("site", "-o", SITE, "--texts", texts).code == 0
        (page,), (data,) = SITE.glob("items/*.html"), SITE.glob("boards/*-items.js")
        document = json.loads(data.read_text().partition(",")[2].removesuffix(");\n"))
        assert [bool(item[-1]) for item in document["items"]] == [n > 0] * 2
        words = re.findall(r'</a> <span class="muted">([^<]+)</span>', page.read_text())
        assert len(set(words)) == n
        assert all(len(html.unescape(text)) <= 61 for text in words)


def test_a_long_board_links_all_its_items(
    bench: Bench, empty_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list has the hardest, its script's data all; each link leads to its place on a page."""
    monkeypatch.setattr(item_pages, "MOST", 12)
    monkeypatch.setattr(item_pages, "SHARED", 7)
    assert bench("run", "eqbench-v1", "--model", "demo/medium", "--dataset", "bundled").code == 0
    assert bench("site", "-o", SITE).code == 0
    (page,), (model,) = SITE.glob("items/*.html"), SITE.glob("models/*.html")
    assert len(re.findall(r'row"><a href="([^"]+)"', page.read_text())) == 12
    (data,) = SITE.glob("boards/*-items.js")
    paths = re.findall(r'"(items/[^"]+)"', data.read_text(encoding="utf-8"))
    assert len(set(paths)) == 30
    links = [(SITE, path) for path in paths]
    for file in (page, model):
        found = re.findall(r'href="([^"]+#[^"]+)"', file.read_text(encoding="utf-8"))
        links += [(file.parent, link) for link in found]
    for folder, link in links:
        path, _, place = link.partition("#")
        assert f'id="{place}"' in (folder / path).read_text(encoding="utf-8"), link


def test_a_judge_s_page_counts_the_scores_that_it_gave(
    bench: Bench, demos: Callable[..., Any]
) -> None:
    """As many as there are criteria of all samples; what is not tested stands first."""
    demos(3)
    assert bench("site", "-o", SITE).code == 0
    (page,) = SITE.glob("judges/*.html")
    text = page.read_text(encoding="utf-8")
    counted = re.findall(r'<td class="num">([\d,]+)</td><td class="num">\d+%</td>', text)
    assert f"{sum(map(int, counted)):,} values of 3 models" in text
    verdicts = re.findall(r'class="tag ([\w-]+)"', text)
    order = [grade.replace(" ", "-") for grade in get_args(Grade)]
    assert verdicts == sorted(verdicts, key=order.index)


@pytest.mark.parametrize("planted", [MAIL, KEY, PROMPT, "127.0.0.1"])
def test_a_report_for_others_names_no_place_either(
    bench: Bench, empty_place: Path, server: LoopbackServer, planted: str
) -> None:
    """With its transcripts unpacked; without --public they are there."""
    run(bench, server)
    for more, there in (((), True), (("--public",), False)):
        assert bench("report", "-o", "page.html", "--transcripts", *more).code == 0
        text = Path("page.html").read_text(encoding="utf-8")
        for packed in re.findall(r'"packed": "([^"]+)"', text):
            text += gzip.decompress(base64.b64decode(packed)).decode()
        assert (planted in text) is there


@pytest.mark.skipif(
    "EIBENCH_OFFICIAL_DATA" not in os.environ, reason="EIBENCH_OFFICIAL_DATA is not set"
)
@pytest.mark.parametrize("name", ["eqbench-v1", "eqbench-v2", "eqbench3", "seceu"])
def test_a_board_of_an_official_pack_has_the_published_one_beside_it(
    bench: Bench, empty_place: Path, name: str
) -> None:
    """In a table of its own, with as many rows as the plugin has scores."""
    official = Path(os.environ["EIBENCH_OFFICIAL_DATA"], name)
    judge = ("--judge", "demo/judge") if name == "eqbench3" else ()
    assert bench("run", name, "--dataset", official, "--limit", 2, *judge).code == 0
    done = bench("site", "-o", SITE)
    assert done.code == 0, done.err
    (board,) = (json.loads(p.read_text()) for p in SITE.glob("boards/*.json"))
    (page,) = SITE.glob("boards/*.html")
    found = page.read_text(encoding="utf-8").partition('class="published"')[2]
    rows = found.partition("</table>")[0].count("<tr")
    assert rows == len(board["published"]["rows"]) + 1
