"""What a settings file may send where: what the user approved on this machine.

A ``bench.toml`` comes with a folder, perhaps somebody else's. That it names a
key's variable and a host must not be enough to send the one to the other. So
each such pair is approved once, by the user, outside of any project folder; and
so is a host beyond the private networks that is asked without a key.
"""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors import ConfigError, UsageError
from ..journal.temporary import replacing
from ..parties.party import is_local
from ..parties.providers import ModelSpec, Provider, check_base_url, is_loopback
from ..parties.secrets import shown_address

FILE = "approved.json"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]/")
"""What a place is written with, so that it can be shown and put into a command line as it is."""
_DEFAULT_PORT = {"https": ":443", "http": ":80"}
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


WITHOUT_KEY = "NO_KEY"
"""What stands for a variable where requests go out without a key."""


class Sending(NamedTuple):
    """A key's variable, or `WITHOUT_KEY`, and the place that requests go to."""

    place: str
    variable: str

    @property
    def what(self) -> str:
        """What is sent."""
        return f"the key in {self.variable}" if self.variable != WITHOUT_KEY else "what is asked"


def place_of(provider: Provider, spec: ModelSpec, base_url: str | None) -> str:
    """Where requests go, as approvals know it.

    Returns:
        ``HOST`` or ``HOST:PORT`` over TLS, ``http://HOST:PORT`` without; of a provider's
        own host its name, and ``litellm/gemini`` where litellm alone knows the host.

    Raises:
        UsageError: The address is none, or its host has letters that no host has.
    """
    if base_url is not None:
        return normal(check_base_url(base_url))
    return provider.host or normal(f"{spec.provider}/{spec.name.partition('/')[0]}")


def normal(text: str) -> str:
    """A place as it is stored, from what a person writes: a host or an address.

    Raises:
        UsageError: It is no place.
    """
    scheme, mark, rest = text.partition("://")
    scheme, rest = (scheme.lower(), rest) if mark else ("https", text)
    head = rest.partition("/")[0]
    host = head if mark or set(head) & set(".:") else rest  # else such as litellm/gemini
    try:
        plain = host.lower() if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        plain = ""
    plain = plain.removesuffix(_DEFAULT_PORT.get(scheme, ""))
    if not plain or scheme not in _DEFAULT_PORT or not set(plain) <= _PLAIN:
        shown = shown_address(text)
        raise UsageError(f"{shown!r} is no host; write HOST, HOST:PORT or http://HOST:PORT")
    return plain if scheme == "https" else f"{scheme}://{plain}"


def needs_approval(provider: Provider, base_url: str | None, variable: str) -> bool:
    """Whether a file may send that key there only if the user approved it.

    It may not need it on this machine, and for a provider's standard key on its own host; nor, for
    requests without a key, in private networks.
    """
    if is_loopback(base_url):
        return False
    if variable == WITHOUT_KEY and (base_url is None or is_local(base_url)):
        return False
    parts = urlsplit(base_url or f"https://{provider.host}")
    is_own_host = parts.scheme == "https" and parts.hostname == provider.host is not None
    return not (is_own_host and variable in (provider.key_env, WITHOUT_KEY))


class Approvals:
    """The pairs that the user approved, in one file of the user's own, which need not be there."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or approvals_path()

    def __contains__(self, sending: Sending) -> bool:
        pairs = self.all()
        if sending.variable == WITHOUT_KEY:
            return any(sending.place == pair.place for pair in pairs)
        return sending in pairs

    def all(self) -> list[Sending]:
        """All pairs, sorted.

        Raises:
            ConfigError: The file cannot be read, is broken, or others may write to it.
        """
        try:
            with self.path.open(encoding="utf-8") as file:
                mode, text = os.fstat(file.fileno()).st_mode, file.read()
            if os.name == "posix" and mode & _OTHERS_MAY_WRITE:
                why = "other users may write to it; chmod 600 it after a look at what it holds"
                raise self._broken(why)
            raw = json.loads(text)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._broken(f"cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise self._broken("is not JSON") from None
        return sorted(self._pairs(raw))

    def add(self, sending: Sending) -> None:
        """Approve a pair.

        Raises:
            ConfigError: The file is broken or cannot be written.
        """
        self._write({*self.all(), sending})

    def remove(self, sending: Sending) -> bool:
        """Take an approval back; whether there was one."""
        pairs = self.all()
        if sending in pairs:
            self._write({*pairs} - {sending})
        return sending in pairs

    def _pairs(self, raw: object) -> Iterator[Sending]:
        rows = raw.get("approved") if isinstance(raw, dict) and len(raw) == 1 else None
        for row in rows if isinstance(rows, list) else [None]:
            if not isinstance(row, dict) or set(row) != set(Sending._fields):
                raise self._broken("does not have the form that bench writes")
            if not all(isinstance(value, str) for value in row.values()):
                raise self._broken("holds a value that is no text")
            yield Sending(**row)

    def _broken(self, why: str) -> ConfigError:
        return ConfigError(
            f"{self.path}: {why}; it holds what may go where, so nothing is sent. "
            "Repair it, or delete it and approve again"
        )

    def _write(self, pairs: set[Sending]) -> None:
        rows = [pair._asdict() for pair in sorted(pairs)]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with replacing(self.path, mode=0o600) as file:  # for the user alone
                file.write(json.dumps({"approved": rows}, indent=2).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None


def approvals_path() -> Path:
    """Where approvals are kept: in the user's settings folder, never in a project's."""
    import platformdirs

    return Path(platformdirs.user_config_dir("eibench", appauthor=False)) / FILE
