"""Data packs: finding their files, and knowing them by their contents."""

from .sources import cache_folder as cache_folder
from .sources import find_pack as find_pack
from .sources import manifest_of as manifest_of
from .sources import read_manifest as read_manifest
