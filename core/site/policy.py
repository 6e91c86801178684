"""What of a run becomes public: which texts, and nothing that names machines or folders."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..pages.inputs import ItemText

TEXTS = ("licensed", "all", "none")


_HOST = re.compile(r" at [^\s,;()+]+")


def without_hosts(label: str | None) -> str | None:
    """The label of a model or a judge, or of a panel of them, without where they are served."""
    return label and _HOST.sub("", label)


class Policy(NamedTuple):
    """What a site may hold.

    Attributes:
        texts: ``all`` texts; those of packs with a licence (``licensed``); or ``none``.
    """

    texts: str = "licensed"

    def shows(self, facts: Mapping[str, Any]) -> bool:
        """Whether the texts of a pack are shown.

        Args:
            facts: What its manifest says.
        """
        return self.texts == "all" or (self.texts == "licensed" and bool(facts.get("licence")))

    def published(self, item: ItemText, facts: Mapping[str, Any]) -> ItemText | None:
        """What is shown of an item's transcripts; ``None`` for nothing.

        Args:
            item: All that was said about it.
            facts: What the pack's manifest says.
        """
        return item if self.shows(facts) else None
