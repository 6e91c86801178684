"""Where prices come from, and which of them holds for a model.

A price is looked for in this order: ``--price``, ``[prices]`` of bench.toml, our
own table, the lists of providers. The first two are the user's word and hold for
any host; the last two hold for the provider's own host alone, as another host
may sell the same name for anything. A price that is nowhere is unknown, never 0.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import ConfigError, UsageError
from ..parties.providers import ModelSpec, Provider, is_loopback
from .prices import MOST, Beyond, Price

PriceList = Callable[[ModelSpec], Price | None]
TABLE = Path(__file__).with_name("table.toml")


def parse_price(text: str) -> Price:
    """The price of ``--price IN,OUT``.

    Raises:
        UsageError: It is not two numbers from 0 on.
    """
    try:
        dollars_in, dollars_out = (float(part) for part in text.split(","))
        source = f"--price {dollars_in:g},{dollars_out:g}"
        return Price(dollars_in, dollars_out, source=source, stated=True)
    except ValueError:
        raise UsageError(
            f"--price {text!r} is not IN,OUT: dollars per million tokens, each from 0 to "
            f"{MOST:,.0f}, such as --price 2,8"
        ) from None


_FIELDS = {"input": "input", "output": "output", "cached": "cached_input",
           "cache_write": "cache_write"}  # fmt: skip


def read_prices(raw: object, path: object) -> dict[str, Price]:
    """The prices of bench.toml by model spec.

    Tables ``[prices."openai/gpt-x"]`` with ``input`` and ``output``, and ``cached`` and
    ``cache_write`` where they differ.

    Raises:
        ConfigError: A spec, a name or a value is wrong.
    """
    if not isinstance(raw, Mapping):
        raise ConfigError(f'{path}: prices must be tables; write [prices."openai/gpt-x"]')
    prices = {}
    for spec, row in raw.items():
        where = f'{path} [prices."{spec}"]'
        try:
            ModelSpec.parse(spec)
        except UsageError as error:
            raise ConfigError(f"{where}: {error}") from None
        prices[spec] = replace(_read_price(row, where, source=where), stated=True)
    return prices


def _read_price(row: object, where: str, *, source: str, valid_from: str = "") -> Price:
    if not isinstance(row, Mapping):
        raise ConfigError(f"{where}: must be a table with input and output")
    if unknown := set(row) - set(_FIELDS):
        raise ConfigError(f"{where}: unknown {min(unknown)}; there are {', '.join(_FIELDS)}")
    if missing := [name for name in ("input", "output") if name not in row]:
        raise ConfigError(f"{where}: {missing[0]} is missing (dollars per million tokens)")
    for name, value in row.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and 0 <= value <= MOST):
            raise ConfigError(
                f"{where}: {name} must be a number from 0 to {MOST:,.0f}, not {value!r:.40}"
            )
    rates = {_FIELDS[name]: float(value) for name, value in row.items()}
    return Price(**rates, source=source, valid_from=valid_from)  # type: ignore[arg-type]


@cache
def read_table(path: Path = TABLE) -> dict[str, list[Price]]:
    """Our price table by model spec, each model's rows in the order of their dates.

    Raises:
        ConfigError: The file is broken.
    """
    table: dict[str, list[Price]] = {}
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["price"]
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{path}: the price table cannot be read: {error}") from None
    for n, row in enumerate(rows, 1):
        if missing := [name for name in ("model", "source", "valid_from") if name not in row]:
            raise ConfigError(f"{path}, row {n}: {missing[0]} is missing")
        table.setdefault(row.pop("model"), []).append(_table_row(row, f"{path}, row {n}"))
    return {spec: sorted(rows, key=lambda row: row.valid_from) for spec, rows in table.items()}


def _table_row(row: dict[str, Any], where: str) -> Price:
    day = str(row.pop("valid_from"))
    source = f"eibench price table of {day} ({row.pop('source')})"
    longer = row.pop("beyond", None)
    price = _read_price(row, where, source=source, valid_from=day)
    if longer is not None:
        over = int(longer.pop("tokens"))
        dearer = _read_price(longer, where, source=source, valid_from=day)
        price = replace(price, beyond=Beyond(over, dearer))
    return price


OWN_MACHINE = Price(0.0, 0.0, source="this machine's own server")
IN_PROCESS = Price(0.0, 0.0, source="nothing leaves this process")
DEMO = Price(0.0, 0.0, source="demo models are free")
OWN_HOSTS: Mapping[str, str | None] = {
    "openai": "api.openai.com", "anthropic": "api.anthropic.com"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PriceBook:
    """All prices that this command knows.

    Attributes:
        configured: Those of bench.toml by model spec.
        today: Rows of our table that begin later do not hold yet.
        demo: Names of providers whose models are not real, hence free.
        local: Names of providers of which nothing leaves this process, hence free too.
    """

    configured: Mapping[str, Price] = field(default_factory=dict)
    today: date = field(default_factory=date.today)
    hosts: Mapping[str, str | None] = field(default_factory=lambda: OWN_HOSTS)
    demo: frozenset[str] = frozenset({"demo"})
    local: frozenset[str] = frozenset()
    lists: Sequence[PriceList] = ()

    @classmethod
    def of(
        cls,
        providers: Iterable[Provider],
        configured: Mapping[str, Price],
        lists: Sequence[PriceList] = (),
    ) -> "PriceBook":
        """The book for these providers, the user's own prices and what else is listed."""
        known = list(providers)
        return cls(
            configured=configured,
            hosts={p.name: p.host for p in known},
            demo=frozenset(p.name for p in known if p.demo),
            local=frozenset(p.name for p in known if p.local),
            lists=lists,
        )

    def find(
        self, spec: ModelSpec, base_url: str | None, price: Price | None = None
    ) -> Price | None:
        """What a model's tokens cost there; ``None`` when that is unknown.

        `price` is that of ``--price``, if this model is what it is for.
        """
        if spec.provider in self.demo:
            return DEMO
        if price := price or self.configured.get(str(spec)):
            return price
        if is_loopback(base_url):
            return OWN_MACHINE
        if base_url is None and spec.provider in self.local:
            return IN_PROCESS
        is_own_host = base_url is None or urlsplit(base_url).hostname == self.hosts.get(
            spec.provider
        )
        return self._listed(spec) if is_own_host else None

    def _listed(self, spec: ModelSpec) -> Price | None:
        listed = str(spec).removeprefix("litellm/")  # the same host at the same price
        for row in reversed(read_table().get(listed, [])):
            if row.valid_from <= str(self.today):
                return row
        return next(filter(None, (list_price(spec) for list_price in self.lists)), None)
