"""A vote over one question that was asked several times, its choices in another order each time.

Where a choice stands sways a model, so benchmarks of choices ask in several orders and put the
answers to a vote. `shuffled` gives the orders, `vote` the score of what was answered, `chance` what
random answers get.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from math import factorial
from typing import TypeVar

from eibench import JsonDict, Score
from eibench.core.benchmark import Model

from .choices import keep_order

T = TypeVar("T")
VOTES = ("majority", "each", "all")
"""The rules of `vote`."""


def shuffled(
    choices: Sequence[T], model: Model, orders: int, name: str = "choices"
) -> list[tuple[T, ...]]:
    """The choices in so many random orders, the same for every model and after a stop.

    The requests do not depend on each other, so make them together (`asyncio.gather`). Two orders
    may be alike; each is asked all the same. Choices that name others by their letters or by where
    they stand (``All of the above``) keep the order of the data in all of them.

    Args:
        choices: In the order of the data.
        model: Whose `draw` is used: by item and iteration.
        orders: How many; 0 for one, that of the data.
        name: Of what is chosen, where a request has choices of several kinds.
    """
    if not orders or keep_order(choices):
        return [tuple(choices)] * max(1, orders)
    return [tuple(model.draw(f"{name} {n}").sample(choices, len(choices))) for n in range(orders)]


def vote(
    answers: Sequence[Mapping[str, Hashable] | str],
    right: Mapping[str, Hashable],
    rule: str = "majority",
    whole: str = "",
) -> Score:
    """The score of answers to one question: a value from 0 to 1 for each part of it.

    Args:
        answers: What was chosen in each part, as `right` names them; or, as a text, why that
            could not be read.
        right: The right choice of each part.
        rule: ``majority``: 1 where the choice with the most votes is right; a tie at the top is no
            choice, so it is 0, and flagged. ``each``: the share of answers that are right.
            ``all``: 1 where every answer is right.
        whole: The name of a further value, for having every part right at once; by ``each``
            within an answer. Where there is a single part, that value takes its place.

    Returns:
        Unscored where half of the answers or more could not be read; by ``all`` where one could
        not. Otherwise those that could not are left out and flagged. The detail counts the votes.

    Raises:
        ValueError: There is no such rule, or there are no answers.
    """
    if rule not in VOTES or not answers:
        raise ValueError(f"vote needs answers and a rule of {', '.join(VOTES)}, not {rule!r}")
    read = [answer for answer in answers if not isinstance(answer, str)]
    unread = [answer for answer in answers if isinstance(answer, str)]
    if 2 * len(read) <= len(answers) or (unread and rule == "all"):
        of = f" ({len(unread)} of {len(answers)} answers)" if len(answers) > 1 else ""
        return Score.unscored(unread[0] + of)
    counts = {part: Counter(answer[part] for answer in read) for part in right}
    flags = {"unread answers": bool(unread)}
    if rule == "majority":
        winners = {part: _winners(votes) for part, votes in counts.items()}
        flags["tie"] = any(len(top) > 1 for top in winners.values())
        hits = [{part: top == [right[part]] for part, top in winners.items()}]
    else:
        hits = [{part: answer[part] == right[part] for part in right} for answer in read]
    merged = min if rule == "all" else _share
    parts = right if len(right) > 1 or not whole else ()
    values = {part: float(merged([hit[part] for hit in hits])) for part in parts}
    if whole:
        values[whole] = float(merged([all(hit.values()) for hit in hits]))
    votes: JsonDict = {
        part: {str(choice): n for choice, n in of.most_common()} for part, of in counts.items()
    }
    raised = tuple(flag for flag, holds in flags.items() if holds)
    return Score(values, flags=raised, detail={"votes": votes})


def chance(choices: int, orders: int, rule: str = "majority") -> float:
    """What `vote` expects for one part of random answers, every one of them readable.

    By ``majority`` that is the chance that the right choice has more of the votes than each other
    one: for m votes of it, the coefficient of x^(n - m) in n!/m! (1 + x + ... +
    x^(m-1)/(m-1)!)^(k-1), over k^n (the votes are multinomial). Parts are chosen independently, so
    that of the whole is the product.

    Args:
        choices: k, how many there are; one of them is right.
        orders: n, how often the question is asked.
        rule: One of `VOTES`.

    Raises:
        ValueError: There is no such rule, no choice or no order.
    """
    if rule not in VOTES or choices < 1 or orders < 1:
        raise ValueError(f"chance needs choices, orders and a rule of {', '.join(VOTES)}")
    if rule != "majority":
        return 1 / float(choices) ** (orders if rule == "all" else 1)
    ways = 0.0
    for most in range(1, orders + 1):
        series = [1.0] + [0.0] * (orders - most)
        for _ in range(choices - 1):
            series = [
                sum(series[n - m] / factorial(m) for m in range(min(most, n + 1)))
                for n in range(len(series))
            ]
        ways += factorial(orders) / factorial(most) * series[-1]
    return ways / float(choices) ** orders


def _winners(votes: Counter[Hashable]) -> list[Hashable]:
    """The choices with the most votes."""
    most = max(votes.values())
    return [choice for choice, n in votes.items() if n == most]


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)
