"""Numbers of bytes as people write them."""

import re

from .rules import UnfitValue

_UNITS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9,
    "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)


class SizeRule:
    """A number of bytes above 0: itself, or a text such as ``16MiB``."""

    words = "a size above 0, such as 16MiB or 1048576"

    def check(self, value: object) -> int:
        """The bytes of a number or a text."""
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            raise UnfitValue(self.words)
        return self.read(text)

    def read(self, text: str) -> int:
        """The bytes in a text such as ``16MiB``, ``500 kB`` or ``1048576``."""
        found = _SIZE.fullmatch(text.strip())
        unit = _UNITS.get(found[2].lower()) if found else None
        size = int(float(found[1]) * unit) if found and unit else 0
        if size < 1:
            raise UnfitValue(self.words)
        return size


def size_text(size: int) -> str:
    """A number of bytes in whole KiB, MiB or GiB where it is such a number."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size:,} bytes"
