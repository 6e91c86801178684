"""Where a folder is: SQLite and file locks are only as good as the file system below them."""

from pathlib import Path

NETWORK = {"9p", "afs", "ceph", "cifs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4"}
NETWORK |= {"ocfs2", "smb3", "smbfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
_MOUNTS = Path("/proc/self/mounts")


def network_file_system(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the network file system that a folder is on; ``None`` if it is on none.

    Only Linux tells in a file; elsewhere nothing is known, so ``None`` too.
    """
    try:
        rows = [line.split(" ") for line in mounts.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return None
    where = folder.resolve()
    around = [row for row in rows if len(row) > 2 and where.is_relative_to(_path(row[1]))]
    if not around:
        return None
    kind = max(around, key=lambda row: len(_path(row[1]).parts))[2]
    return kind if kind in NETWORK else None


def _path(mount: str) -> Path:
    return Path(mount.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
