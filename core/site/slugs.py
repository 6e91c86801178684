"""Names of files and folders of a site, made of names that models, judges and items have."""

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_OTHER = re.compile(r"[^a-z0-9._-]+", re.ASCII)
DIGITS = 8
"""Of a digest: enough that two names of a site do not meet."""


def slug(name: str) -> str:
    """A name for a file: itself where that is plain, else what is left of it with a digest.

    Two names never give the same, also on file systems that do not tell cases apart.
    """
    if _PLAIN.fullmatch(name) and not re.search(r"-[0-9a-f]{8}$", name) and ".." not in name:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    return f"{readable(name)[:40]}-{digest}"


def judge_path(label: str) -> str:
    """Where the page of a judge is, of its label without hosts."""
    return f"judges/{slug(label)}.html"


def readable(text: str) -> str:
    """What is left of a text in a name of a file; two texts may give the same."""
    return _OTHER.sub("-", text.lower()).strip("-.")[:60].replace("..", ".") or "x"
