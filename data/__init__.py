"""Data packs, a folder per benchmark: our own texts, and the manifests of upstream's.

No code but this: `folder` tells where a benchmark's data lies.
"""

from pathlib import Path


def folder(name: str) -> Path:
    """The data folder of a benchmark, such as ``eqbench_v1``."""
    return Path(__file__).resolve().parent / name
