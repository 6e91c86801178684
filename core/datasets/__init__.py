"""Data packs: finding their files, and knowing them by their contents."""

from .manifest import FileEntry as FileEntry
from .manifest import Manifest as Manifest
from .manifest import PackEntry as PackEntry
from .manifest import read_manifest as read_manifest
from .readers import read_json as read_json
from .readers import read_jsonl as read_jsonl
from .sources import cache_folder as cache_folder
from .sources import find_pack as find_pack
