"""Secrets in settings: where they do not belong, and how a setting is shown without them."""

import re
from collections.abc import Iterator, Mapping

HIDDEN = "[hidden]"
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_LONGEST_WORD = 15
"""Of a variable's name, where digits are in it; the keys of some providers are capitals too."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")
_HEADER = re.compile(r"[A-Za-z]{1,20}(?:-[A-Za-z]{1,20})*")
_CREDENTIAL = re.compile(
    r"(?:.+_)?(?:"
    r"authori[sz]ation|auth|bearer|cookie|credentials?|jwt|pass(?:word|wd|phrase|code)|pwd|secret"
    r"|(?:api|access|account|auth|encryption|private|secret|subscription)_?key|access_?key_?id"
    r"|(?:ad|access|api|auth|bearer|hf|refresh|security|session)_?token"
    r")|token"
)
_NAMED = re.compile(r"(.+)_(?:key|token)")
_PLAIN = frozenset(
    {"answer", "begin", "bos", "cache", "cls", "dedup", "end", "eos", "foreign", "group", "guided",
     "idempotency", "image", "input", "item", "label", "lookup", "mask", "output", "pad",
     "partition", "primary", "public", "response", "routing", "sep", "sort", "special", "start",
     "stop", "think", "unk"}
)  # fmt: skip
"""What a key or a token may be called that is no secret, by its word before that one."""
_KEY = re.compile(
    r"(?:sk|gsk|xai|hf|pplx|nvapi|ghp|glpat)[-_][\w-]{12,}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*",
    re.ASCII,
)
"""A key as known providers make them, or a JSON web token, whatever it is called."""
_OF_SCHEMAS = frozenset(
    {"$defs", "definitions", "dependencies", "dependentRequired", "dependentSchemas",
     "patternProperties", "properties"}
)  # fmt: skip
"""Keywords of JSON Schema under which keys are names that the schema's author chose."""

Path = tuple[str | int, ...]


def is_variable_name(text: str) -> bool:
    """Whether a text is the name of an environment variable, and cannot be a key itself."""
    words = text.split("_")
    return _VARIABLE.fullmatch(text) is not None and not any(
        len(word) > _LONGEST_WORD and not word.isalpha() for word in words
    )


def shown_address(url: str) -> str:
    """An address without the user, the password, the query and the fragment that it may hold."""
    plain = re.sub(r"([?#]).*", rf"\1{HIDDEN}", url, count=1, flags=re.S)
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*:/+)?.*[^/]@", rf"\1{HIDDEN}@", plain, flags=re.S)


def shown_header(name: str) -> str:
    """The name of a header, if it is words: else it may be the header's value, or a part of it."""
    return name if _HEADER.fullmatch(name) else HIDDEN


def find_credentials(body: object) -> Iterator[Path]:
    """The paths in a JSON value to what is a credential, by its key or by what stands there.

    Only texts can be one, so ``{"password": -5}``, as a bias, is none. Where a JSON schema calls a
    property ``password``, what stands there describes it and is none either.
    """
    left: list[tuple[Path, object]] = [((), body)]
    while left:
        path, value = left.pop()
        for key, inner in _parts(value):
            below = (*path, key)
            if _is_credential(path, key, inner):
                yield below
            else:
                left.append((below, inner))


def without_credentials(body: object) -> object:
    """The value with `HIDDEN` for each credential in it."""
    paths = frozenset(find_credentials(body))
    return _hidden(body, (), paths) if paths else body


def dotted(path: Path) -> str:
    """A place in a JSON value as messages name it, such as ``headers.authorization``."""
    return ".".join(map(str, path))


def _parts(value: object) -> Iterator[tuple[str | int, object]]:
    if isinstance(value, Mapping):
        yield from ((str(key), inner) for key, inner in value.items())
    elif isinstance(value, list | tuple):
        yield from enumerate(value)


def _is_credential(path: Path, key: str | int, value: object) -> bool:
    if isinstance(value, str) and _KEY.fullmatch(value):
        return True
    if isinstance(key, int) or not _is_named_like_one(key):
        return False
    of_schema = bool(path) and path[-1] in _OF_SCHEMAS
    return isinstance(value, str) if of_schema else _holds_text(value)


def _is_named_like_one(key: str) -> bool:
    """Whether a field is called like a credential, such as ``openrouter_key``.

    ``x-api-key``, ``xApiKey`` and ``X_API_KEY`` are one spelling.
    """
    spelled = "_".join(_WORD.findall(key)).lower()
    if _CREDENTIAL.fullmatch(spelled):
        return True
    named = _NAMED.fullmatch(spelled)
    return named is not None and named[1].rpartition("_")[2] not in _PLAIN


def _holds_text(value: object) -> bool:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and one:
            return True
        left += (inner for _, inner in _parts(one))
    return False


def _hidden(value: object, path: Path, paths: frozenset[Path]) -> object:
    if path in paths:
        return HIDDEN
    if isinstance(value, Mapping):
        return {key: _hidden(inner, (*path, str(key)), paths) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(inner, (*path, n), paths) for n, inner in enumerate(value)]
    return value
