"""Statements about one result: how whole it is, its rank, what its judges did."""

from collections.abc import Sequence
from typing import NamedTuple

from ...parties.providers import host_of
from ...text import listed, plural
from ...types.result_document import OpenInterval, RatingRow, ResultDocument
from ..ratings import BoardRow
from .boards import LeaderKind, joint_rank, leader, tied_names
from .judges import answered_by

NAMED = 4
"""Tied models that a sentence names."""


class Completeness(NamedTuple):
    """How many of the pack's items were asked, and why a result is not complete."""

    status: str
    asked: int
    of: int
    causes: Sequence[str]

    @property
    def partial(self) -> bool:
        """Whether items of the pack were not asked."""
        return self.asked < self.of

    @property
    def text(self) -> str:
        """``partial: 4 of 30 items``, ``FAIL: ...``; empty for a whole result."""
        clauses = [f"partial: {self.asked} of {self.of} items"] if self.partial else []
        if self.status != "complete":
            clauses.insert(0, ": ".join([self.status.upper(), *self.causes[:1]]))
        return "; ".join(clauses)


def completeness(document: ResultDocument) -> Completeness:
    """How whole a result is, and if it is not, why."""
    items = document["items"]
    causes = [document["invalid"]] if document["invalid"] else []
    causes += answered_by(document)
    for kind in ("failed", "unscored"):
        if rows := document[kind]:
            causes.append(f"{plural(items[kind], 'sample')} {kind} ({rows[0]['reason']})")
    if items["pending"]:
        causes.append(f"{plural(items['pending'], 'sample')} to do")
    if left := document["comparisons"].get("planned"):
        causes.append(f"{plural(left, 'comparison')} to do")
    asked = items["total"] // document["iterations"]
    return Completeness(document["status"], asked, document["dataset"]["n_items"], causes)


class Origin(NamedTuple):
    """Where the model's replies are from.

    Attributes:
        asked_now: Calls to the model that the command that made the result has sent.
        sent_now: All of its calls, those to judges and players too.
        date: When the last reply came, in UTC, to the minute.
        hosts: Who gave them; nobody where that is the provider's own host.
    """

    asked_now: int
    sent_now: int
    date: str
    hosts: Sequence[str]

    @property
    def kept(self) -> bool:
        """Whether the command asked the model nothing."""
        return not self.asked_now

    @property
    def asked(self) -> str:
        """``asked 2026-11-23 20:50 at 127.0.0.1:41917``."""
        return f"asked {self.date}" + (f" at {listed(self.hosts, 2)}" if self.hosts else "")

    @property
    def text(self) -> str:
        """``from the journal, of 2026-11-23 20:50, asked at HOST; nothing was asked now``.

        Empty where the model was asked now. Where only judges or players were, it is the replies
        that are from the journal.
        """
        if not self.kept:
            return ""
        where = f", asked at {listed(self.hosts, 2)}" if self.hosts else ""
        what = "the model's replies are " if self.sent_now else ""
        end = "" if self.sent_now else "; nothing was asked now"
        return f"{what}from the journal, of {self.date}{where}{end}"


def origin(document: ResultDocument) -> Origin | None:
    """Where a result's replies are from.

    ``None`` where that is not recorded: answers that were given or imported, none that came yet,
    or a result of a program that did not say.
    """
    asked = document.get("asked")
    if asked is None or "now" not in asked or document["imported"] is not None:
        return None
    calls = document["calls"]
    total = calls["model"] + calls["judge"] + sum(calls.get("roles", {}).values())
    sent = max(0, total - calls["replayed"])
    date = asked["last"][:16].replace("T", " ")
    hosts = [host_of(url) for url in asked["addresses"]]
    return Origin(asked["now"], sent, date, hosts)


class StatedRank(NamedTuple):
    """The place of a model among those it was compared with; ``None`` is not known.

    Attributes:
        rank: By the rating alone.
        ends: The ranks that it may have, of all models at once.
        first: Whether it is first, shares first place, or neither.
        tied: Who cannot be told apart from it.
        tied_by_length: Who is told apart from it by one of two ratings, with length and without.
        rating: ``None`` on a board of scores.
    """

    rank: int
    ends: Sequence[int] | None
    of: int
    first: LeaderKind | None
    tied: Sequence[str] | None
    rating: float | None
    ci95: OpenInterval | None
    tied_by_length: Sequence[str] = ()

    @property
    def text(self) -> str:
        """``first of 4``, ``rank 1–2 of 4, shares first place``, ``rank 3 of 4``.

        Where intervals may lie apart and ranks do not, for length, it says so.
        """
        if self.of == 1:
            return "no other model is rated"
        if self.ends is None:
            return f"rank {self.rank} of {self.of} by {self._alone} alone, how sure is not known"
        if self.first is LeaderKind.FIRST:
            return f"first of {self.of}"
        low, high = self.ends
        ranks = str(low) if low == high else f"{low}–{high}"
        shares = ", shares first place" if self.first is LeaderKind.SHARED else ""
        long = listed(self.tied_by_length, NAMED)
        by_length = f" (tied with {long} only because of length)" if long else ""
        return f"rank {ranks} of {self.of}{shares}{by_length}"

    @property
    def _alone(self) -> str:
        return "the number" if self.rating is None else "the rating"

    @property
    def apart(self) -> str:
        """From whom it can be told apart, a clause; empty where that is not known."""
        if self.tied is None or self.of == 1:
            return ""
        if not self.tied:
            return "told apart from every other"
        return f"cannot be told apart from {listed(self.tied, NAMED)}"


def placed(document: ResultDocument) -> StatedRank | None:
    """The place of a result's own model among the rated ones; ``None`` where it has no rating."""
    return placed_among(document["ratings"], document["name"])


def placed_among(rows: Sequence[RatingRow] | Sequence[BoardRow], name: str) -> StatedRank | None:
    """The place of a model among the ranked rows of a board; ``None`` where it has no rank."""
    ranked = [row for row in rows if row["rank"] is not None]
    row_of_model = next((row for row in ranked if row["model"] == name), None)
    if row_of_model is None or row_of_model["rank"] is None:
        return None
    front = leader(rows)
    first = front.kind if row_of_model["model"] in front.models else None
    return StatedRank(
        rank=row_of_model["rank"],
        ends=joint_rank(row_of_model),
        of=front.of if joint_rank(row_of_model) else len(ranked),
        first=first,
        tied=tied_names(row_of_model),
        rating=row_of_model["rating"],
        ci95=row_of_model["ci95"],
        tied_by_length=row_of_model.get("depends_on_length") or (),
    )
