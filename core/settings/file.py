"""``bench.toml``: defaults for options, servers, prices."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import ConfigError, DataError, UsageError
from ..parties.providers import OF_MODEL, PartyOptions, check_base_url
from ..reading.formats import read_toml
from ..reading.names import nearest
from ..spending.book import read_prices
from ..spending.prices import Price
from .tables import (
    NAME,
    EndpointSettings,
    RolePlayer,
    Suite,
    plain_names,
    read_endpoints,
    read_judges,
    read_players,
    read_suites,
    refuse_outside,
)

FILE = "bench.toml"
_LARGEST = 4 * 2**20
TABLES = ("run", "suite", "endpoints", "judges", "roles", "prices", "families")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a settings file says.

    Attributes:
        run: Values for options by their long names with underscores, as TOML has them.
        judges: How each judge is asked, by the keys of ``--judge-set``.
        prices: By model spec; the other tables are by name.
        families: Of models, by a name or a pattern of names.
        path: ``None`` when there is no file.
    """

    run: Mapping[str, Any] = field(default_factory=dict)
    endpoints: Mapping[str, EndpointSettings] = field(default_factory=dict)
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    roles: Mapping[str, RolePlayer] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    suites: Mapping[str, Suite] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    path: Path | None = None

    def endpoint(
        self, base_url: str | None, party: PartyOptions = OF_MODEL
    ) -> EndpointSettings | None:
        """The endpoint of that name or address; ``None`` for another address, or for none.

        Raises:
            UsageError: It is neither a name nor an address, holds a secret, or is the address of
                several.
        """
        if base_url is None:
            return None
        if base_url in self.endpoints:
            return self.endpoints[base_url]
        if "://" not in base_url and NAME.fullmatch(base_url):
            known = f"; there are: {', '.join(self.endpoints)}" if self.endpoints else ""
            hint = nearest(base_url, self.endpoints) or known
            raise UsageError(
                f"{party.base_url} {base_url!r} is neither an http:// or https:// address nor an "
                f"endpoint of bench.toml{hint}"
            )
        check_base_url(base_url, party)
        plain = _plain(base_url)
        names = [name for name, one in self.endpoints.items() if _plain(one.base_url) == plain]
        if len(names) > 1:
            message = f"{party.base_url} {base_url} is that of the endpoints {' and '.join(names)}"
            raise UsageError(f"{message}; name one of them")
        return self.endpoints[names[0]] if names else None


def read_settings(path: Path) -> SettingsFile:
    """What a file says.

    Raises:
        ConfigError: It is missing, not TOML (with the line), or something in it is unknown or
            wrong; the message names the file and the key.
    """
    try:
        raw = read_toml(path, _LARGEST)
    except DataError as error:
        raise ConfigError(str(error)) from None
    for name in raw:
        if name not in TABLES:
            near = nearest(name, TABLES)
            message = f"unknown table or key {name!r}{near}"
            raise ConfigError(f"{path}: {message}" + ("" if near else "; settings go under [run]"))
    if not isinstance(raw.get("run", {}), dict):
        raise ConfigError(f"{path}: run must be a table; write [run]")
    settings = SettingsFile(
        run=plain_names(f"{path}: [run]", raw.get("run", {})),
        endpoints=read_endpoints(raw.get("endpoints", {}), path),
        judges=read_judges(raw.get("judges", {}), path),
        roles=read_players(raw.get("roles", {}), path),
        prices=read_prices(raw["prices"], path) if "prices" in raw else {},
        suites=read_suites(raw.get("suite", {}), path),
        families=_read_families(raw.get("families", {}), path),
        path=path,
    )
    refuse_outside(f"{path}: [run] ", settings.run, path)
    for suite in settings.suites.values():
        where = f"{path}: [suite.{suite.name}] "
        for values in (suite.run, *suite.options.values()):
            refuse_outside(where, values, path)
        refuse_outside(where, {"benchmarks": list(suite.benchmarks)}, path)
    return settings


def _read_families(raw: object, path: Path) -> dict[str, str]:
    """The families of models, by a name or a pattern such as ``acme-*``."""
    if not isinstance(raw, dict):
        raise ConfigError(
            f'{path}: families must be a table; write [families] and "acme-*" = "acme"'
        )
    for name, family in raw.items():
        if not (isinstance(family, str) and family.strip()):
            raise ConfigError(f'{path} [families] "{name}" must be the name of a family')
    return dict(raw)


def check_names(settings: SettingsFile, usable: Collection[str]) -> None:
    """Refuse a setting of ``[run]`` or of a suite that is none, by `ConfigError`."""
    tables = {"run": settings.run} | {f"suite.{s.name}": s.run for s in settings.suites.values()}
    for heading, table in tables.items():
        for name in table:
            if name not in usable:
                message = f"[{heading}] has no setting {name}{nearest(name, usable)}"
                raise ConfigError(f"{settings.path}: {message}")


def _plain(url: str) -> str:
    """An address in the one form that all of its spellings have."""
    try:
        parts = urlsplit(url)
        default = {"https": ":443", "http": ":80"}.get(parts.scheme, "")
        host = parts.netloc.lower().removesuffix(default)
    except ValueError:
        return url
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
