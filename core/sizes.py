"""Numbers of bytes as people write them."""

import re

from .errors import UsageError

_UNITS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9,
    "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)


def parse_size(text: str) -> int:
    """The bytes in a text such as ``16MiB``, ``500 kB`` or ``1048576``, at least 1.

    Raises:
        UsageError: It is none.
    """
    found = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(found[2].lower()) if found else None
    size = int(float(found[1]) * unit) if found and unit else 0
    if size < 1:
        raise UsageError(f"{text[:40]!r} is not a size above 0, such as 16MiB or 1048576")
    return size


def size_text(size: int) -> str:
    """A number of bytes in whole KiB, MiB or GiB where it is such a number."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size:,} bytes"
