"""Which parameters a server's refusal is about, where it says so in words only.

"`temperature` is deprecated for this model" names a parameter that has to stay
away; "temperature: range 0..1" names one whose value is wrong, which is the
user's to mend. Only the first counts as refused.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from ..errors import ErrorKind, ProviderError

_REFUSES = re.compile(
    r"(not|n't) (support|allow|accept|permit|available)|unsupported|deprecated|unrecogni[sz]ed"
    r"|unknown parameter|extra inputs|may only be set|must be unset"
    r"|cannot (both )?be (used|set|specified)",
    re.IGNORECASE,
)
_ONE_OF_THEM = re.compile(r"\bboth\b|\bonly one\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:when|if|unless|while)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!;])\s+")


def refused_parameters(message: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The parameters that a message says cannot be sent; empty when it refuses none.

    Of parameters that exclude each other, the first in `names` is kept.
    """
    found: list[str] = []
    for sentence in _SENTENCE.split(message):
        if not _REFUSES.search(sentence):
            continue
        # "temperature may only be set to 1 when thinking is enabled" is about temperature.
        clause = _CONDITION.split(sentence)[0]
        named = [n for n, words in names.items() if any(_says(clause, w) for w in words)]
        found += named[1:] if _ONE_OF_THEM.search(clause) and len(named) > 1 else named
    return list(dict.fromkeys(found))


def token_limit(
    most: int, names: Sequence[str], refused: Collection[str], host: str, *, needed: bool
) -> dict[str, int]:
    """The token limit under the first of its names that the server takes; empty when none.

    Raises:
        ProviderError: None is taken and one is needed, as nothing else bounds a call's cost.
    """
    name = next((n for n in names if n not in refused), None)
    if name is None and needed:
        raise ProviderError(
            ErrorKind.INVALID_REQUEST,
            f"{host} refuses {' and '.join(names)}, and without a token limit --max-cost cannot "
            "hold; ask a server that takes one, or leave --max-cost out",
            fatal=True,
        )
    return {name: most} if name else {}


def _says(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w|\.\w)", text, re.IGNORECASE) is not None
