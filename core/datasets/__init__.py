"""Data packs: finding their files, and knowing them by their contents."""

from ..reading.formats import read_json as read_json
from ..reading.formats import read_jsonl as read_jsonl
from .sources import FileEntry as FileEntry
from .sources import Manifest as Manifest
from .sources import PackEntry as PackEntry
from .sources import cache_folder as cache_folder
from .sources import find_pack as find_pack
from .sources import read_manifest as read_manifest
