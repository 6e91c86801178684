"""What of a journal becomes public: which texts, and no key, e-mail address, host or folder.

Texts are masked before a page or a file is made of them: a link is no text.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from markupsafe import Markup

from ..clients.keys import Redactor
from ..journal import RunRecord
from ..parties.party import is_imported
from ..plugins import installed
from ..reports.comparability import judge_in
from ..reports.suggestions import another_run, judge_words, pack_of, usual_url
from ..reports.transcripts import ItemCall, ItemDocument
from ..types.result_document import ResultDocument
from .rendering import as_it_is
from .slugs import Address
from .transcripts import ItemText

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
MAIL, KEY, PLACE = "[e-mail]", "[key]", "[place]"
_MARKS = {MAIL: "e-mail addresses", KEY: "keys", PLACE: "hosts and folders"}


class Masker:
    """Takes what must not become public out of texts, and counts it by kind.

    `private` are hosts and folders; keys are those of the environment. `scope` is another one where
    more may be taken out than before; it holds no key.
    """

    def __init__(
        self, private: Iterable[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        known = os.environ if environment is None else environment
        secrets = [v for name, v in known.items() if _SECRET.fullmatch(name) and len(v) >= _LEAST]
        self._redact = Redactor(secrets)
        self._beginnings = (*_BEGINNINGS, *(word for secret in secrets for word in secret.split()))
        self._any_hint = re.compile("|".join(map(re.escape, self._beginnings)))
        self._fields = dict[str, str]()
        self._private = sorted({name for name in private if len(name) > 3}, key=lambda p: -len(p))
        self._patterns = [(name, _whole(name)) for name in self._private]
        self.counts: Counter[str] = Counter()
        self.scope = (len(secrets), self._private)

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


def _whole(name: str) -> re.Pattern[str]:
    """What finds a place: a folder by whole parts of a path, a host by whole words."""
    before, after = (
        (r"[\w.~-]", r"[\w-]|\.\w") if re.search(r"[/\\]", name) else (r"[\w-]", r"[\w-]")
    )
    return re.compile(f"( at )?(?<!{before}){re.escape(name)}(?!{after})")


URL = "URL"
"""Stands for an address that is not told: without it the command would ask the provider itself."""
_PLACES = re.compile(r" --(?:runs-dir|config) ('[^']*'|\S+)")
_PLAYERS = re.compile(r"(--role-base-url [^\s=]+=)\S+")


def command_that_repeats(run: RunRecord, document: ResultDocument, *, public: bool = False) -> str:
    """The command; nothing where it is not known.

    A public one has no hosts, paths and system prompt: ``URL`` stands for an address.
    """
    benchmark = installed().benchmarks.things.get(run.benchmark)
    if benchmark is None or is_imported(run.model):
        return ""
    judge = judge_words(judge_in(document), address=(lambda host: URL) if public else usual_url)
    pack = pack_of(document, None if public else run.settings.get("dataset"))
    settings = {**run.settings, "system": None} if public else run.settings
    command = another_run(document, benchmark, settings, dataset=pack, judge=judge, model=run.model)
    if run.endpoint:
        command += f" --base-url {URL if public else usual_url(run.endpoint)}"
    return _PLAYERS.sub(rf"\1{URL}", _PLACES.sub("", command)) if public else command


TEXTS = ("licensed", "all", "none")
NOT_PUBLISHED = "(the system prompt is not published)"
_NO_LICENCE = {"", "none", "none stated", "unknown"}


@dataclass(eq=False)
class Policy:
    """What pages may hold: ``all`` texts, those with a licence (``licensed``), or ``none``.

    Of a page that is not public nothing is masked or left out.
    """

    texts: str = "licensed"
    masker: Masker = field(default_factory=Masker)
    public: bool = True

    def shows(self, facts: Mapping[str, object]) -> bool:
        """Whether the texts of a pack are shown, of which its manifest has these facts."""
        licensed = str(facts.get("licence") or "").lower() not in _NO_LICENCE
        return self.texts == "all" or (self.texts == "licensed" and licensed)

    @property
    def masked(self) -> Callable[[Any], Any]:
        """A value as it may be shown, without what must not become public."""
        return self.masker.value if self.public else as_it_is

    def published(self, item: ItemText) -> ItemText:
        """An item's transcripts as they may be shown, where the pack's are."""
        if not self.public:
            return item
        rows = [
            {**row, "calls": [_public(call) for call in row["calls"]]}
            for row in item.record["iterations"]
        ]
        record = self.masked({**item.record, "iterations": rows})
        return ItemText(cast("ItemDocument", record), self.masked(item.views))

    def command(self, run: RunRecord, document: ResultDocument) -> str:
        """The command that repeats a run; nothing where it is not known."""
        return command_that_repeats(run, document, public=self.public)

    def document(self, document: ResultDocument) -> ResultDocument:
        """A result without the hosts that were asked."""
        if not self.public:
            return document
        public = {**document, "endpoint": None, "judge_endpoint": None}
        if judge := judge_in(document):
            public |= {"judge": judge.public.label, "judged_by": judge.public.as_json()}
            names = {one.label: one.public.label for one in judge.judges}
            if rows := document.get("judges"):
                rows_by_judge = [
                    {**row, "judge": names.get(row["judge"], row["judge"])} for row in rows
                ]
                public["judges"] = rows_by_judge
        if roles := document.get("roles"):
            public["roles"] = {name: {**who, "endpoint": None} for name, who in roles.items()}
        return public  # type: ignore[return-value]  # the same fields


def _public(call: ItemCall) -> ItemCall:
    """A call without its system prompt."""
    messages_shown = [
        [role, NOT_PUBLISHED if role == "system" else text] for role, text in call["messages"] or ()
    ]
    messages = None if call["messages"] is None else messages_shown
    return cast("ItemCall", {**call, "messages": messages})
