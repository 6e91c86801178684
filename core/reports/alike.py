"""Replies that should differ and are word for word alike: is anything drawn at all?

Chance gives no text of `LONG` characters twice at a temperature of `DRAWN` and more, as it was
sent; where none was sent, the server's own may be 0, and nothing is said of repeats. Nor do two
items get one text, at whatever temperature.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..benchmark.model import role_in
from ..journal import LongReplies, LongReply
from ..text import plural

_SHARE = 0.2
"""Of the items, from which on replies that are alike are no accident, as refusals may be."""
CAUSES = (
    "a proxy may answer from its cache, and transformers serve draws only where the model's "
    "generation_config.json says do_sample (--extra-body "
    '\'{"generation_config": "{\\"do_sample\\": true}"}\')'
)
_BROKEN = "is the chat template broken, or does a cache answer?"


class AlikeReplies(NamedTuple):
    """Replies of one party that are word for word alike.

    Attributes:
        iterations: The most of an item.
        repeated: Items with drawn replies in two iterations and more.
        whole: Among them those whose every long reply comes in all iterations.
        partly: Those with any that comes in two iterations.
        items: Items with a long reply.
        shared: Items that got the text that most items got.
        again: Samples where one question got one text at several temperatures.
    """

    iterations: int = 0
    repeated: int = 0
    whole: int = 0
    partly: int = 0
    items: int = 0
    shared: int = 0
    again: int = 0

    @property
    def is_one_text(self) -> bool:
        """Whether all repeats are one text, so that they measure nothing."""
        return 0 < self.repeated == self.whole


def alike_among(
    replies: Iterable[LongReply], counts: Iterable[LongReplies]
) -> dict[str, AlikeReplies]:
    """What is alike by phase, where anything is."""
    by_phase: dict[str, list[LongReply]] = defaultdict(list)
    for reply in replies:
        by_phase[reply.phase].append(reply)
    items: dict[str, dict[str, LongReplies]] = defaultdict(dict)
    for count in counts:
        items[count.phase][count.item_id] = count
    alike = {phase: _alike(each, items[phase]) for phase, each in by_phase.items()}
    return {phase: one for phase, one in alike.items() if one.partly or one.shared or one.again}


def _alike(replies: Sequence[LongReply], items: Mapping[str, LongReplies]) -> AlikeReplies:
    repeated = {item_id: one for item_id, one in items.items() if one.drawn_in > 1}
    iterations, times = defaultdict[tuple[str, int], set[int]](set), defaultdict[str, int](int)
    for reply in replies:
        if reply.drawn and reply.item_id in repeated:
            iterations[reply.item_id, reply.text].add(reply.iteration)
    partly = {item_id for (item_id, _), each in iterations.items() if len(each) > 1}
    for reply in replies:
        each = iterations.get((reply.item_id, reply.text), ())
        times[reply.item_id] += len(each) == items[reply.item_id].drawn_in > 1
    whole = [item_id for item_id in partly if times[item_id] == items[item_id].drawn]
    return AlikeReplies(
        max((one.drawn_in for one in repeated.values()), default=0),
        len(repeated),
        len(whole),
        len(partly) if len(partly) >= _SHARE * len(repeated) else 0,
        len(items),
        shared if (shared := _shared(replies)) >= _SHARE * len(items) else 0,
        _asked_again(replies),
    )


def _shared(replies: Iterable[LongReply]) -> int:
    """How many items got the one text that most got, each asked something of its own."""
    by_text: dict[int, list[LongReply]] = defaultdict(list)
    for reply in replies:
        by_text[reply.text].append(reply)
    counts = [
        min(len({reply.item_id for reply in each}), len({reply.digest for reply in each}))
        for each in by_text.values()
    ]
    return most if (most := max(counts, default=0)) > 1 else 0


def _asked_again(replies: Iterable[LongReply]) -> int:
    """In how many samples one question got one text at several temperatures, one of them high."""
    asked: dict[tuple[str, int, int, int], list[LongReply]] = defaultdict(list)
    for reply in replies:
        asked[reply.item_id, reply.iteration, reply.messages, reply.text].append(reply)
    samples = {
        (item_id, iteration)
        for (item_id, iteration, _, _), each in asked.items()
        if len({reply.temperature for reply in each}) > 1 and any(reply.drawn for reply in each)
    }
    return len(samples)


def alike_warnings(alike: Mapping[str, AlikeReplies]) -> list[str]:
    """A line for each thing that is alike, by party."""
    return [line for phase, one in alike.items() for line in _sentences(one, role_in(phase))]


def _sentences(one: AlikeReplies, role: str | None) -> list[str]:
    of = f" of the role {role}" if role else ""
    lines = []
    if one.partly:
        lines.append(f"{told_repeats(one, of)}; {CAUSES}")
    if one.shared:
        lines.append(
            f"{one.shared:,} of {plural(one.items, 'item')} got one and the same long reply{of}: "
            f"{_BROKEN}"
        )
    if one.again:
        lines.append(
            f"{plural(one.again, 'sample')} got{of} the same text, word for word, at another "
            f"temperature: does the server draw at all? {CAUSES}"
        )
    return lines


def told_repeats(one: AlikeReplies, of: str = "") -> str:
    """What is alike among the repeats of items."""
    if one.is_one_text:
        repeats = f"all {one.iterations} repeats of {plural(one.whole, 'item')}"
        return f"{repeats} are the same text{of}: does the server draw at all?"
    items = f"{one.partly:,} of {plural(one.repeated, 'item')}"
    return f"repeats of {items} are the same text{of}, word for word: does the server draw?"
