"""What a judge's replies were like: shares, and counts of verdicts."""

from eibench.core.ratings.auditing.asking import Reply, Verdicts, read_asking


def test_unread_replies_are_counted_by_family() -> None:
    """Two of 16 unread, four asked for again, one repaired."""
    flags = [("re-asked",), ("re-asked twice",), ("re-asked", "repaired"), ("re-asked twice",)]
    replies = [Reply(f"f{n % 8}", n >= 2, flags[n] if n < 4 else ()) for n in range(16)]
    found = read_asking(replies, Verdicts(5, 1, 2, 0, {"prose": 1}))
    assert found.unread.value == 2 / 16
    assert found.re_asked.value == 4 / 16
    assert found.repaired.value == 1 / 16
    assert found.unread.ci95 is not None and found.unread.ci95[0] > 0
    assert found.verdicts == (5, 1, 2, 0, {"prose": 1})


def test_without_verdicts_there_are_no_counts_of_them() -> None:
    """None, and not 0."""
    found = read_asking([Reply("f", True)], Verdicts())
    assert (found.verdicts, found.reason) == (None, "no verdict of this judge")
