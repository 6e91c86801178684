"""What of a journal becomes public: which texts, and no host, system prompt or key (`masking`)."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..journal import RunRecord
from ..parties.party import Party
from ..reports.comparability import judge_in
from ..reports.transcripts import ItemCall, ItemDocument
from ..types.result_document import ResultDocument
from .masking import Masker
from .rendering import as_it_is
from .repeating import command_that_repeats
from .transcripts import ItemText

TEXTS = ("licensed", "all", "none")
NOT_PUBLISHED = "(the system prompt is not published)"
_NO_LICENCE = {"", "none", "none stated", "unknown"}


@dataclass(eq=False)
class Policy:
    """What pages may hold: ``all`` texts, those with a licence (``licensed``), or ``none``.

    Of a page that is not public nothing is masked or left out. Comparisons with the models that
    are `left_out` are not shown.
    """

    texts: str = "licensed"
    masker: Masker = field(default_factory=Masker)
    public: bool = True
    left_out: Collection[str] = frozenset()

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
        compared = [c for c in item.record["comparisons"] if c["opponent"] not in self.left_out]
        record = self.masked({**item.record, "iterations": rows, "comparisons": compared})
        return ItemText(cast("ItemDocument", record), self.masked(item.views))

    def command(self, run: RunRecord, document: ResultDocument, known: Mapping[Party, str]) -> str:
        """The command that repeats a run; nothing where it is not known."""
        return command_that_repeats(run, document, None if self.public else known)

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
