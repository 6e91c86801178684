"""Which price holds for a model, and what a wrong price file says."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from eibench.core.errors import ConfigError, UsageError
from eibench.core.parties.providers import ModelSpec
from eibench.core.spending.book import (
    TABLE,
    PriceBook,
    parse_price,
    read_prices,
    read_table,
)
from eibench.core.spending.prices import Price
from eibench.plugins.litellm import prices as litellm_map

GPT = ModelSpec("openai", "gpt-4.1")
RARE = ModelSpec("openai", "gpt-4.1-2025-04-14")
LOOPBACK = "http://127.0.0.1:8000/v1"
ELSEWHERE = "https://models.example/v1"
TODAY = date(2026, 12, 1)
TOLD = Price(7.0, 9.0, source="told")


def _book(**prices: Price) -> PriceBook:
    return PriceBook({f"openai/{name}": price for name, price in prices.items()}, TODAY)


def test_the_option_comes_before_the_file() -> None:
    """--price wins over bench.toml."""
    book = PriceBook({str(GPT): Price(1.0, 1.0)}, TODAY)
    assert book.find(GPT, None, price=TOLD) is TOLD


def test_the_file_comes_before_the_table() -> None:
    """bench.toml wins over our table and litellm's map."""
    assert PriceBook({str(GPT): TOLD}, TODAY).find(GPT, None) is TOLD


def test_our_table_comes_before_the_map_of_litellm() -> None:
    """A model in our table has its price, with the table's date, from there."""
    price = PriceBook(today=TODAY).find(GPT, None)
    assert price is not None
    assert (price.input, price.output, price.cached_input) == (2.0, 8.0, 0.5)
    assert price.source == "eibench price table of 2026-11-20 (litellm 1.106.2 offline map)"


@pytest.mark.skipif(litellm_map.map_file() is None, reason="litellm is not installed")
def test_the_map_of_litellm_comes_last() -> None:
    """A model that our table lacks has its price from the installed map."""
    price = PriceBook(today=TODAY, lists=[litellm_map.listed_price]).find(RARE, None)
    assert price is not None
    assert price.source.startswith("litellm ")


def test_a_row_of_the_table_does_not_hold_before_its_day() -> None:
    """Before its day, a row of our table is not used."""
    assert PriceBook(today=date(2026, 1, 1)).find(GPT, None) is None


@pytest.mark.parametrize("url", [LOOPBACK, "http://localhost/v1", "http://[::1]:80"])
def test_this_machine_is_free(url: str) -> None:
    """Loopback hosts cost nothing, whatever the model is called."""
    price = PriceBook(today=TODAY).find(GPT, url)
    assert price is not None
    assert price.free
    assert "machine" in price.source


def test_a_told_price_holds_on_this_machine_too() -> None:
    """--price and bench.toml make a loopback model cost something."""
    assert PriceBook(today=TODAY).find(GPT, LOOPBACK, price=TOLD) is TOLD
    assert PriceBook({str(GPT): TOLD}, TODAY).find(GPT, LOOPBACK) is TOLD


def test_another_host_does_not_have_the_prices_of_the_own_one() -> None:
    """A gateway may ask anything for gpt-4.1: unknown, unless the user tells."""
    assert PriceBook(today=TODAY).find(GPT, ELSEWHERE) is None
    assert PriceBook(today=TODAY).find(GPT, ELSEWHERE, price=TOLD) is TOLD


@pytest.mark.parametrize(
    ("spec", "url"),
    [("openai/gpt-4.1", "https://api.openai.com/v1"),
     ("anthropic/claude-sonnet-4-5", "https://api.anthropic.com"),
     ("litellm/openai/gpt-4.1", None)],
)  # fmt: skip
def test_the_own_host_may_be_spelled_out(spec: str, url: str | None) -> None:
    """The provider's own host given as --base-url, or through litellm, has its prices."""
    price = PriceBook(today=TODAY).find(ModelSpec.parse(spec), url)
    assert price is not None
    assert "price table" in price.source


def test_the_host_of_another_provider_is_another_host() -> None:
    """openai/... at Anthropic's compatible endpoint is not billed at OpenAI's prices."""
    assert PriceBook(today=TODAY).find(GPT, "https://api.anthropic.com/v1") is None


def test_demo_models_are_free_even_with_a_price() -> None:
    """Nothing can be billed for a model that does not exist."""
    price = PriceBook(today=TODAY).find(ModelSpec("demo", "medium"), None, price=TOLD)
    assert price is not None
    assert price.free


def test_a_model_that_nobody_lists_has_no_price() -> None:
    """Unknown is None, never 0."""
    assert PriceBook(today=TODAY).find(ModelSpec("openai", "my-finetune"), None) is None
    assert PriceBook(today=TODAY).find(ModelSpec("acme", "model"), None) is None


def test_a_given_price_is_dollars_per_million_tokens() -> None:
    """IN,OUT as numbers, blanks allowed, and the source says what was given."""
    price = parse_price("0.5, 2")
    assert (price.input, price.output, price.cached_input) == (0.5, 2.0, None)
    assert price.source == "--price 0.5,2"


@pytest.mark.parametrize("text", ["", "2", "2,8,1", "a,b", "-1,2", "nan,1", "1,inf", "2;8", ","])
def test_a_given_price_of_another_form_is_a_usage_error(text: str) -> None:
    """The message shows the form."""
    with pytest.raises(UsageError, match=r"IN,OUT.*--price 2,8"):
        parse_price(text)


def test_prices_of_the_settings_file() -> None:
    """Each table gives a spec its price; the source names the place."""
    row = {"input": 1, "output": 2.5, "cached": 0.25, "cache_write": 1.25}
    prices = read_prices({"openai/gpt-x": row}, "bench.toml")
    source = 'bench.toml [prices."openai/gpt-x"]'
    assert prices == {"openai/gpt-x": Price(1.0, 2.5, 0.25, 1.25, source, stated=True)}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (3, "must be tables"),
        ({"gpt-x": {"input": 1, "output": 2}}, "not a model spec"),
        ({"openai/x": 3}, "must be a table with input and output"),
        ({"openai/x": {"input": 1}}, "output is missing"),
        ({"openai/x": {"input": 1, "output": 2, "out": 3}}, "unknown out"),
        ({"openai/x": {"input": "1", "output": 2}}, "input must be a number"),
        ({"openai/x": {"input": True, "output": 2}}, "input must be a number"),
        ({"openai/x": {"input": -1, "output": 2}}, "input must be a number from 0 to"),
        ({"openai/x": {"input": float("nan"), "output": 2}}, "input must be a number"),
    ],
)
def test_a_wrong_price_in_the_settings_file_is_refused(raw: object, message: str) -> None:
    """The message names the file and what is wrong."""
    with pytest.raises(ConfigError, match=rf"bench\.toml.*{message}"):
        read_prices(raw, "bench.toml")


def test_every_row_of_our_table_is_complete() -> None:
    """Each has a source, a day, and an output no cheaper than its input."""
    prices = [price for rows in read_table().values() for price in rows]
    assert prices
    for price in prices:
        assert price.source
        assert str(date.fromisoformat(price.valid_from)) == price.valid_from
        assert 0 < price.input <= price.output


def test_our_table_says_what_the_map_said() -> None:
    """With the map that the rows were copied from, each row equals its entry."""
    litellm_map.listed_price.cache_clear()
    for spec, [price] in read_table().items():
        own = spec.startswith(("openai/", "anthropic/"))
        listed = litellm_map.listed_price(ModelSpec.parse(spec if own else f"litellm/{spec}"))
        if listed is None or not listed.source.startswith("litellm 1.106.2 "):
            pytest.skip("another version of litellm is installed")
        theirs = (listed.input, listed.output, listed.cached_input, listed.cache_write)
        assert (price.input, price.output, price.cached_input, price.cache_write) == theirs, spec
        assert bool(price.beyond) == bool(listed.beyond), spec


ROW = '[[price]]\nmodel = "openai/x"\nvalid_from = {}\ninput = {}\noutput = 9\nsource = "a page"\n'


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a price table."""

    def write(text: str) -> Path:
        path = tmp_path / "table.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_rows_are_in_the_order_of_their_days(table: Callable[[str], Path]) -> None:
    """Old prices stay in the file and are read in order, however they stand there."""
    path = table(ROW.format("2026-06-01", 2) + ROW.format("2025-01-01", 1))
    assert [row.input for row in read_table(path)["openai/x"]] == [1.0, 2.0]


@pytest.mark.parametrize(
    "text", ["nonsense", "", ROW.replace("source", "sauce").format("2026-01-01", 1)]
)
def test_a_broken_table_is_an_error_with_its_path(table: Callable[[str], Path], text: str) -> None:
    """Not TOML, no rows, a row without a source: named, never taken for an empty table."""
    with pytest.raises(ConfigError, match=r"table\.toml"):
        read_table(table(text))


def test_the_table_is_beside_the_code() -> None:
    """The file ships with the package."""
    assert TABLE.is_file()
