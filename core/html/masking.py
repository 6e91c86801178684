"""What must not become public, taken out of every text: keys, e-mail addresses, hosts, folders.

Texts are masked before a page or a file is made of them: a link is no text.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

from ..clients.keys import Redactor
from .slugs import Address

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
_SHORT = 500
"""Characters up to which a text is searched for all beginnings at once; a long one takes longer."""
_LEAST = 8
"""Characters of what is looked for as a key."""
MAIL, KEY, PLACE, MODEL = "[e-mail]", "[key]", "[place]", "[left out]"
_MARKS = {MAIL: "e-mail addresses", KEY: "keys", PLACE: "hosts and folders",
          MODEL: "names of models left out"}  # fmt: skip


class Masker:
    """Takes what must not become public out of texts, and counts it by kind.

    Attributes:
        counts: How much was taken out, by kind.
        scope: Another value where more may be taken out than before; it holds no key.

    Args:
        private: Hosts and folders that nobody need know.
        environment: Where keys are; by default that of the process.
        models: Names that nobody need know either.
    """

    def __init__(
        self,
        private: Iterable[str] = (),
        environment: Mapping[str, str] | None = None,
        models: Iterable[str] = (),
    ) -> None:
        known = os.environ if environment is None else environment
        secrets = [v for name, v in known.items() if _SECRET.fullmatch(name) and len(v) >= _LEAST]
        self._redact = Redactor(secrets)
        self._beginnings = (*_BEGINNINGS, *(word for secret in secrets for word in secret.split()))
        self._any_hint = re.compile("|".join(map(re.escape, self._beginnings)))
        self._fields = dict[str, str]()
        self._private = sorted({name for name in private if len(name) > 3}, key=lambda p: -len(p))
        self._patterns = [(name, _whole(name)) for name in self._private]
        names = sorted(models, key=lambda name: -len(name))
        self._models = [(name, whole_name(name)) for name in names]
        self.counts: Counter[str] = Counter()
        self.scope = (len(secrets), [*self._private, *names])

    def text(self, text: str, *, is_field: bool = False) -> str:
        """A text without them; the name of a field may be that of a host."""
        masked = text
        if self._may_hold_key(text):
            masked = _KEYS.sub(KEY, self._redact(text))
        if "@" in masked:
            masked = _MAIL.sub(MAIL, masked)
        for name, pattern in () if is_field else self._patterns:
            if name in masked:
                masked = pattern.sub(lambda match: "" if match[1] else PLACE, masked)
        for name, pattern in () if is_field else self._models:
            if name in masked:
                masked = pattern.sub(MODEL, masked)
        if masked is not text and masked != text:
            self._count(text, masked)
        return masked

    def _may_hold_key(self, text: str) -> bool:
        if len(text) < _SHORT:
            return self._any_hint.search(text) is not None
        return any(part in text for part in self._beginnings)

    def _count(self, before: str, after: str) -> None:
        for mark, name in _MARKS.items():
            self.counts[name] += after.count(mark) - before.count(mark)
        named = [match[1] for _, pattern in self._patterns for match in pattern.finditer(before)]
        self.counts[_MARKS[PLACE]] += len([*filter(None, named)])

    def value(self, value: object) -> Any:
        """A value without them, and all within it; addresses and markup are left as they are."""
        if value is None or isinstance(value, float | int):
            return value
        if isinstance(value, str):
            return value if isinstance(value, Address | Markup) else self.text(value)
        if isinstance(value, Mapping):
            return {self._key(k): self.value(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            parts = map(self.value, value)
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return value

    def _key(self, key: object) -> Any:
        if not (isinstance(key, str) and key.isidentifier()):
            return self.value(key)
        if key not in self._fields:
            self._fields[key] = self.text(key, is_field=True)
        return self._fields[key]


def whole_name(name: str) -> re.Pattern[str]:
    """What finds a model's name, and not one that only has it at either end."""
    return re.compile(rf"(?<![\w.:/@+-]){re.escape(name)}(?![\w/@+-]|[.:]\w)")


def _whole(name: str) -> re.Pattern[str]:
    """What finds a place: a folder by whole parts of a path, a host by whole words."""
    before, after = (
        (r"[\w.~-]", r"[\w-]|\.\w") if re.search(r"[/\\]", name) else (r"[\w-]", r"[\w-]")
    )
    return re.compile(f"( at )?(?<!{before}){re.escape(name)}(?!{after})")
