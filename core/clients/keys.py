"""Which key goes to which host, and how keys are kept out of everything else.

A provider's standard key goes to the provider's own host and to loopback only.
Any other host gets the key that was named for it, or none. ``.env`` in the
working directory may set key variables, and nothing else.

Fields of ``--extra-body`` hold no credential, so they are checked here too.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from ..errors import ConfigError, UsageError
from ..parties.providers import OF_MODEL, ClientConfig, PartyOptions, Provider, is_loopback
from ..parties.secrets import dotted, find_credentials, is_variable_name
from ..types import JsonObject, Sampling

_KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_(API_KEY|KEY|TOKEN)")
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|key)-([A-Za-z0-9_\-]{8,}+)")
# Words with dashes between them, such as an item's id ("key-event-family-99"), are no key.
_WORDS = re.compile(r"(?:[a-z]{1,15}-)++(?:[a-z]{1,15}|\d{1,4})")
_KEY_AFTER_WORDS = re.compile(r"\b(?:sk|pk|key)-[a-z]{8,15}\Z")
_KEY_HEADERS = frozenset({"authorization", "api-key", "x-api-key"})
HIDDEN = "[key]"
_SECRET = 8
"""Anything shorter is a placeholder such as "EMPTY" or "ollama": a word, not a secret."""
_SECRET_IN_REPLIES = 16
"""In a model's words only what cannot be one of them is hidden, as they are what is scored."""


class Environment:
    """Key variables of the process and, where those are silent, of ``.env``."""

    def __init__(self, process: Mapping[str, str], dotenv: Path | None = None) -> None:
        self._process = process
        self._dotenv = dotenv
        self._file: dict[str, str] | None = None

    def get(self, name: str) -> str | None:
        """A variable's value without blanks around it; ``None`` when unset or empty."""
        return self._process.get(name, "").strip() or self._from_file(name).strip() or None

    def _from_file(self, name: str) -> str:
        if self._dotenv is None or not _KEY_VARIABLE.fullmatch(name):
            return ""
        if self._file is None:
            self._file = _read_dotenv(self._dotenv)
        return self._file.get(name, "")


def process_environment() -> Environment:
    """The process's variables and the key variables of ``.env``."""
    return Environment(os.environ, Path(".env"))


def _read_dotenv(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values

    try:
        values = dotenv_values(path, interpolate=False) if path.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    return {k: v for k, v in values.items() if v and _KEY_VARIABLE.fullmatch(k)}


def choose_key(
    provider: Provider,
    base_url: str | None,
    variable: str | None,
    environment: Environment,
    party: PartyOptions = OF_MODEL,
) -> tuple[str | None, str | None]:
    """The key for an endpoint and the variable it is in; a key of ``None`` means: send none.

    `variable` is that given with ``--api-key-env``, if any. The provider's standard key may be used
    on its own host and on loopback.

    Raises:
        ConfigError: A key is needed and its variable is not set, or holds what is no key.
        UsageError: A name is given that may be the key itself.
    """
    if variable:
        check_variable(variable, environment, party)
        key = _read_key(variable, environment)
        if key is None:
            raise ConfigError(
                f"no key: the variable {variable}, which {party.api_key_env} names, is not set; "
                "set it, in the environment or in .env"
            )
        return key, variable
    parts = urlsplit(base_url or "")
    is_encrypted = parts.scheme == "https"  # else somebody on the way can read the key
    is_own_host = base_url is None or (is_encrypted and parts.hostname == provider.host)
    standard = provider.key_env
    if standard is None or not (is_own_host or is_loopback(base_url)):
        return None, None
    key = _read_key(standard, environment)
    if key is None and is_own_host:
        who = f"{party.title}{party.judge or f'{provider.name}/...'}"
        raise ConfigError(
            f"no key for {who}: set {standard} (in the environment or in .env), or name a server "
            f"of your own with {party.base_url} {party.address}"
        )
    return key, standard


def check_variable(variable: str, environment: Environment, party: PartyOptions = OF_MODEL) -> None:
    """Refuse, by `UsageError`, what may be the key itself and not its variable's name.

    The message does not show it.
    """
    if not is_variable_name(variable) and environment.get(variable) is None:
        raise UsageError(
            f"{party.api_key_env} takes the NAME of a variable, such as MY_API_KEY, and what is "
            "given is none that is set; put the key into a variable, in the environment or in .env"
        )


def _read_key(variable: str, environment: Environment) -> str | None:
    key = environment.get(variable)
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError(
            f"{variable} does not hold a key: there is a blank, a line break or a character "
            "that is not ASCII in it"
        )
    return key


def _hidden(match: re.Match[str]) -> str:
    """What stands for a text of a key's form; words stay."""
    is_words = _WORDS.fullmatch(match[1])
    return _KEY_AFTER_WORDS.sub(HIDDEN, match[0]) if is_words else HIDDEN


def with_key(config: ClientConfig) -> dict[str, str]:
    """The headers of each request; the user's own take the place of ours."""
    named = {name.lower() for name in config.headers}
    if config.key is None and named & _KEY_HEADERS:
        return dict(config.headers)
    key = {} if "authorization" in named else {"Authorization": f"Bearer {config.key or 'no-key'}"}
    return key | dict(config.headers)


class Redactor:
    """Takes known keys, and whatever looks like one, out of a text."""

    def __init__(self, keys: Iterable[str | None] = ()) -> None:
        self._forms: list[str] = []
        for key in keys:
            self.add(key)

    def add(self, key: str | None) -> None:
        """One more key, or header that may hold one, to hide."""
        for secret in {key or "", *(key or "").split()}:  # the words of "Bearer KEY" as well
            if len(secret) >= _SECRET:
                self._forms += {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}
        self._forms = sorted(set(self._forms), key=len, reverse=True)  # a part must not go first

    def reply(self, text: str) -> str:
        """A model's words without known keys, and otherwise as they are."""
        return self._without(text, _SECRET_IN_REPLIES)

    def __call__(self, text: str) -> str:
        """The text without known keys and without anything of a key's form."""
        return _LOOKS_LIKE_A_KEY.sub(_hidden, self._without(text, _SECRET))

    def _without(self, text: str, shortest: int) -> str:
        for form in self._forms:
            if len(form) >= shortest and form in text:
                text = text.replace(form, HIDDEN)
        return text


#: All keys that this process has read; whatever prints or stores uses it.
redact = Redactor()


OURS = {
    "model": "use --model",
    "messages": "the benchmark writes them",
    "prompt": "[run] template makes it",
    "stream": "replies are read whole",
    "n": "use --iterations",
}


def check_extra_body(sampling: Sampling, where: str = "--extra-body") -> None:
    """Refuse a field of an extra body that is ours, is set already, or is for a credential.

    Raises:
        UsageError: One is; the message does not show the value.
    """
    others = replace(sampling, extra_body=None).sent()
    for name in sampling.extra_body or {}:
        if name in OURS or name in others:
            why = OURS.get(name, "an option sets it already")
            raise UsageError(f"{where} may not set {name!r}: {why}")
    refuse_credentials(sampling, where)


def refuse_credentials(sampling: Sampling, where: str) -> None:
    """Refuse a credential in an extra body, as all fields of a request are stored with the run.

    Raises:
        UsageError: There is one; the message names its key and does not show it.
    """
    for path in find_credentials(sampling.extra_body or {}):
        raise UsageError(
            f"{where} holds {dotted(path)!r}, which is for a credential: what stands there would "
            "be stored with the run. Put a key into an environment variable and name that with "
            "--api-key-env or --judge-api-key-env; other headers go into [run] headers"
        )


def refuse_reserved(extra: JsonObject, reserved: Collection[str] = tuple(OURS)) -> None:
    """Refuse fields that a client itself sets, by `UsageError`."""
    if named := sorted(extra.keys() & set(reserved)):
        raise UsageError(f"--extra-body may not set {', '.join(named)}: the program does")
