"""How many families of items an interval needs: the one rule, and its words.

Items of a family share a text, so families are what was sampled. An item without a family is one
by itself. Below 8 families there is no interval; below 20 there is a warning
(docs/coverage.md has the coverage that was measured). Free of numpy, as every result asks.
"""

FEWEST_FAMILIES = 8
"""With fewer there is no interval."""
ALPHA = 0.05
"""Below it, a p-value tells two numbers apart."""
FEW_FAMILIES = 20
"""With fewer, intervals are flagged as rough."""

NO_SPREAD = (
    "an interval needs items that differ; here they are alike, or most resamples have no number"
)
"""Why there is no interval where families are enough."""


def why_no_interval(families: int) -> str | None:
    """Why so many families make no interval; ``None`` where they do."""
    if families >= FEWEST_FAMILIES:
        return None
    here = "is 1" if families == 1 else f"are {families}"
    return f"an interval needs items with {FEWEST_FAMILIES} different texts, here {here}"


def unequal_families(families: int, effective: float) -> list[str]:
    """The warning about families of very unequal size; none where they are not.

    `effective` is how many of equal size would say as much, (sum n)^2 / sum n^2.
    """
    if 2 * effective >= families:
        return []
    return [
        f"many items share a text: these {families} texts say as much as {effective:.1f} with as "
        "many items each, so intervals and what is told apart are approximate"
    ]


def too_few_for(families: int, tests: int) -> bool:
    """Whether so few families can show nothing in any of so many tests, adjusted for each other.

    Of K families p is 2^(1 - K) at least, as by their signs (`wild.wild_bootstrap`), and Holm's is
    that times the tests.
    """
    return tests >= ALPHA * 2.0 ** (families - 1)


def few_families(families: int) -> list[str]:
    """The warning about what stands on so many families; none where they are enough."""
    if reason := why_no_interval(families):
        return [reason]
    if families >= FEW_FAMILIES:
        return []
    return [
        f"the intervals are based on {families} different texts; with fewer than {FEW_FAMILIES} "
        "they are approximate"
    ]
