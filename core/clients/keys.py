"""Which key goes to which host, and how keys are kept out of everything else.

A provider's standard key goes to the provider's own host and to loopback only.
Any other host gets the key that was named for it, or none. ``.env`` in the
working directory may set key variables, and nothing else.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit

from ..errors import ConfigError
from .base import Provider, is_loopback

_KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_(API_KEY|KEY|TOKEN)")
_LOOKS_LIKE_A_KEY = re.compile(r"\b(sk|pk|key)-[A-Za-z0-9_\-]{8,}")
HIDDEN = "[key]"


class Environment:
    """Key variables of the process and, where those are silent, of ``.env``."""

    def __init__(self, process: Mapping[str, str], dotenv: Path | None = None) -> None:
        self._process = process
        self._dotenv = dotenv
        self._file: dict[str, str] | None = None

    def get(self, name: str) -> str | None:
        """A variable's value without blanks around it; ``None`` when unset or empty."""
        value = self._process.get(name) or self._from_file(name) or ""
        return value.strip() or None

    def _from_file(self, name: str) -> str | None:
        if self._dotenv is None or not _KEY_VARIABLE.fullmatch(name):
            return None
        if self._file is None:
            self._file = _read_dotenv(self._dotenv)
        return self._file.get(name)


def _read_dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    values = dotenv_values(path, interpolate=False)
    return {k: v for k, v in values.items() if v and _KEY_VARIABLE.fullmatch(k)}


def choose_key(
    provider: Provider, base_url: str | None, named: str | None, environment: Environment
) -> tuple[str | None, str | None]:
    """The key for an endpoint and the variable it is in; a key of ``None`` means: send none.

    Args:
        provider: Whose standard key may be used on its own host and on loopback.
        base_url: Where the requests go; ``None`` for the provider's own host.
        named: The variable given with ``--api-key-env``, if any.
        environment: Where variables are looked up.

    Raises:
        ConfigError: A key is needed and its variable is not set.
    """
    if named:
        key = environment.get(named)
        if key is None:
            raise ConfigError(f"no key: {named}, named by --api-key-env, is not set")
        return key, named
    own = base_url is None or urlsplit(base_url).hostname == provider.host
    standard = provider.key_env
    if standard is None or not (own or is_loopback(base_url)):
        return None, None
    key = environment.get(standard)
    if key is None and own:
        raise ConfigError(
            f"no key for {provider.name}/...: set {standard} (in the environment or in .env)"
        )
    return key, standard


class Redactor:
    """Takes known keys, and whatever looks like one, out of a text."""

    def __init__(self, keys: Iterable[str | None] = ()) -> None:
        self._keys = {k for k in keys if k}

    def add(self, key: str | None) -> None:
        """One more key to hide."""
        if key:
            self._keys.add(key)

    def literal(self, text: str) -> str:
        """The text without known keys, as they are or URL-quoted."""
        for key in self._keys:
            if key in text:
                text = text.replace(key, HIDDEN)
            if (quoted := quote(key, safe="")) in text:
                text = text.replace(quoted, HIDDEN)
        return text

    def __call__(self, text: str) -> str:
        """The text without known keys and without anything of a key's form."""
        return _LOOKS_LIKE_A_KEY.sub(HIDDEN, self.literal(text))


#: All keys that this process has read; whatever prints or stores uses it.
redact = Redactor()
