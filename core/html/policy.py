"""What of a journal becomes public: which texts, and nothing that names machines or folders."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..parties.sites import without_hosts
from ..reports.transcripts import ItemCall, ItemDocument
from .inputs import ItemText
from .masking import Masker

TEXTS = ("licensed", "all", "none")
NOT_PUBLISHED = "(the system prompt is not published)"
_NO_LICENCE = {"", "none", "none stated", "unknown"}


@dataclass
class Policy:
    """What a site may hold.

    Attributes:
        texts: ``all`` texts; those of packs with a licence (``licensed``); or ``none``.
        masker: Takes out of them what must not become public.
    """

    texts: str = "licensed"
    masker: Masker = field(default_factory=Masker)

    def shows(self, facts: Mapping[str, Any]) -> bool:
        """Whether the texts of a pack are shown.

        Args:
            facts: What its manifest says.
        """
        licensed = str(facts.get("licence") or "").lower() not in _NO_LICENCE
        return self.texts == "all" or (self.texts == "licensed" and licensed)

    def published(self, item: ItemText) -> ItemText:
        """An item's transcripts as they may be shown, where the pack's are."""
        rows = [
            {**row, "calls": [_public(call) for call in row["calls"]]}
            for row in item.record["iterations"]
        ]
        record = self.masker.value({**item.record, "iterations": rows})
        beside = self.masker.value(item.beside)
        return ItemText(cast("ItemDocument", record), beside)


def _public(call: ItemCall) -> ItemCall:
    """A call without its system prompt and without where it was made."""
    said = [
        [role, NOT_PUBLISHED if role == "system" else text] for role, text in call["messages"] or ()
    ]
    messages = None if call["messages"] is None else said
    names = {name: without_hosts(str(call[name])) or "" for name in ("asked", "model")}
    return cast("ItemCall", {**call, **names, "messages": messages})
