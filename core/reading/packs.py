"""Data packs: which files, and what was read of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..types import Item


@dataclass(frozen=True, slots=True)
class PackSource:
    """A data pack's files, found and checked, ready to be read.

    Attributes:
        name: ``bundled``, ``official``, or ``custom`` for anything else.
        sha256: Of the contents; what the pack is known by.
        files: By the name the manifest gives each (for a custom pack, the file's own name).
        facts: What the manifest says of the pack: licence, source, protocol.
    """

    name: str
    sha256: str
    files: Mapping[str, Path]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    """A data pack that has been read.

    Attributes:
        items: In pack order.
        comparability: Which published numbers a result may stand beside, or why none.
        warnings: What is odd about the data, one line each.
    """

    source: PackSource
    items: Sequence[Item]
    comparability: str
    warnings: tuple[str, ...] = ()

    @property
    def clusters(self) -> dict[str, str]:
        """Each item's cluster, by its id."""
        return {item.id: item.cluster for item in self.items}
