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


_NEEDED = f"an interval needs items with {FEWEST_FAMILIES} different texts"
_BASED = "the intervals are based on"


def why_no_interval(families: int, texts: int = 0, counted: str = "") -> str | None:
    """Why so many families make no interval; ``None`` where they do.

    Args:
        families: How many that all count alike would say as much.
        texts: How many there are, where they are more.
        counted: How these count, such as ``in groups``.
    """
    if families >= FEWEST_FAMILIES:
        return None
    if texts > families:
        return f"{_NEEDED}, here are {texts} {counted}, which say as much as {families}"
    here = "is 1" if families == 1 else f"are {families}"
    return f"{_NEEDED}, here {here}"


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


def few_families(families: int, texts: int = 0, counted: str = "") -> list[str]:
    """The warning about what stands on so many families; none where they are enough.

    The arguments are those of `why_no_interval`.
    """
    if reason := why_no_interval(families, texts, counted):
        return [reason]
    if families >= FEW_FAMILIES:
        return []
    based = f"{families} different texts"
    if texts > families:
        based = f"{texts} different texts {counted}, which say as much as {families}"
    return [f"{_BASED} {based}; with fewer than {FEW_FAMILIES} they are approximate"]


def is_of_few_families(warning: str) -> bool:
    """Whether a warning is one of `few_families`."""
    return warning.startswith((_NEEDED, _BASED))
