"""Names of files and folders of a site, made of names that models, judges and items have."""

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_OTHER = re.compile(r"[^a-z0-9._-]+", re.ASCII)
_KEPT = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|index)(\..*)?", re.ASCII)
"""What Windows keeps for devices, whatever the ending, and what servers take for a whole folder."""
DIGITS = 8
"""Of a digest: enough that two names of a site do not meet."""


class Address(str):
    """A part of an address within a site, in which nothing is masked: a link would lead nowhere."""

    __slots__ = ()


def slug(name: str) -> Address:
    """A name for a file: itself where that is plain, else what is left of it with a digest.

    Two names never give the same, also on file systems that do not tell cases apart.
    """
    if _is_plain(name):
        return Address(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    left = readable(name)[:40]
    return Address(f"{left.replace('.', '-') if _KEPT.fullmatch(left) else left}-{digest}")


def _is_plain(name: str) -> bool:
    taken = re.search(r"-[0-9a-f]{8}$", name) or ".." in name or _KEPT.fullmatch(name)
    return bool(_PLAIN.fullmatch(name)) and not taken


def model_path(name: str) -> Address:
    """Where the page of a model is."""
    return Address(f"models/{slug(name)}.html")


def board_path(key: str) -> Address:
    """Where the page of a board is."""
    return Address(f"boards/{key}.html")


def judge_path(label: str) -> Address:
    """Where the page of a judge is, of its label without hosts."""
    return Address(f"judges/{slug(label)}.html")


def readable(text: str) -> str:
    """What is left of a text in a name of a file; two texts may give the same."""
    return _OTHER.sub("-", text.lower()).strip("-.")[:60].replace("..", ".") or "x"
