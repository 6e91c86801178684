"""Cutting transcripts alike before they are compared, so that length alone does not win.

What is counted is declared by the pack: characters, or tokens by the counter below,
which needs no network and no model's vocabulary.
"""

import re

MARK = "... [truncated]"
"""Stands where a text was cut."""
_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")


def count_tokens(text: str) -> int:
    """Tokens by the declared counter: a run of up to six letters or digits, or one other sign.

    On English prose it counts within a few percent of what current models' tokenizers do.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def truncate(text: str, limit: int, unit: str) -> str:
    """A text cut to a limit, with a mark where it was.

    Args:
        text: Any length.
        limit: Most characters or tokens, without the mark.
        unit: ``characters`` or ``tokens``.

    Raises:
        ValueError: There is no such unit.
    """
    if unit == "characters":
        return text if len(text) <= limit else text[:limit] + MARK
    if unit != "tokens":
        raise ValueError(f"truncation counts characters or tokens, not {unit!r}")
    for number, match in enumerate(_TOKEN.finditer(text), start=1):
        if number > limit:
            return text[: match.start()].rstrip() + MARK
    return text
