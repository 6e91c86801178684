"""What must not become public, taken out of every text: keys, e-mail addresses, hosts, folders."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..clients.keys import Redactor

_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}(?![\w-])"
)
_KEYS = re.compile(
    r"\b(?:AIza[\w-]{30,}|gh[pousr]_\w{20,}|hf_[A-Za-z0-9]{20,}|xai-[\w-]{20,}|AKIA[A-Z0-9]{12,}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"
)
_SECRET = re.compile(r"[A-Z][A-Z0-9_]*_(?:API_KEY|KEY|TOKEN|SECRET)")
_BEGINNINGS = ("sk-", "pk-", "key-", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_", "xai-",
               "AKIA", "eyJ")  # fmt: skip
"""One of these, or a known key, is in a text that may hold one: texts without are not searched."""
_LEAST = 8
"""Characters of what is looked for as a key."""
MAIL, KEY, PLACE = "[e-mail]", "[key]", "[place]"
_MARKS = {MAIL: "e-mail addresses", KEY: "keys", PLACE: "hosts and folders"}


class Masker:
    """Takes what must not become public out of texts, and counts it.

    Args:
        places: Hosts and folders that nobody need know.
        environment: Where keys are; the process's by default.

    Attributes:
        found: How much was taken out, by kind.
        scope: Another one where more may be taken out than before; it holds no key.
    """

    def __init__(
        self, places: Iterable[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        known = os.environ if environment is None else environment
        secrets = [v for name, v in known.items() if _SECRET.fullmatch(name) and len(v) >= _LEAST]
        self._redact = Redactor(secrets)
        self._hints = (*_BEGINNINGS, *(word for secret in secrets for word in secret.split()))
        self._places = sorted({p for p in places if len(p) > 3}, key=lambda p: -len(p))
        self.found: Counter[str] = Counter()
        self.scope = (len(secrets), self._places)

    def text(self, text: str) -> str:
        """A text without them."""
        made = text
        if any(part in text for part in self._hints):
            made = _KEYS.sub(KEY, self._redact(text))
        if "@" in made:
            made = _MAIL.sub(MAIL, made)
        for place in self._places:
            if place in made:
                made = made.replace(f" at {place}", "").replace(place, PLACE)
        if made is not text and made != text:
            self._count(text, made)
        return made

    def _count(self, before: str, after: str) -> None:
        for mark, name in _MARKS.items():
            self.found[name] += after.count(mark) - before.count(mark)
        hidden = sum(before.count(f" at {place}") for place in self._places)
        self.found[_MARKS[PLACE]] += hidden

    def value(self, value: Any) -> Any:
        """A JSON value without them; named tuples are left as they are."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(k): self.value(v) for k, v in value.items()}
        if type(value) in (list, tuple):
            return type(value)([self.value(one) for one in value])
        return value
