"""The files of an exporter, put into a folder: all of them, or none where it fails."""

from pathlib import Path, PurePosixPath

from ..errors import DataError
from ..guard import Called, call
from ..hooks.exporters import Exporter, ExportFile, ExportRequest
from ..journal.temporary import replacing


def export(exporter: Exporter, request: ExportRequest, folder: Path) -> list[Path]:
    """The files that were written.

    Raises:
        PluginError: The exporter raised, gave something else than files, or one outside the folder.
        UsageError: It cannot write these runs.
        DataError: The folder cannot be written.
    """
    called = Called(exporter, "files")
    files = call(called, lambda: list(exporter.files(request)))
    if not files:
        called.refuse("returned no file")
    paths = [_path(called, file, folder) for file in files]
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        called.refuse(f"returned {twice.relative_to(folder)} twice")
    try:
        for path, file in zip(paths, files, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as out:
                out.write(
                    file.content if isinstance(file.content, bytes) else file.content.encode()
                )
    except OSError as error:
        raise DataError(folder, f"cannot be written: {error.strerror or error}") from None
    return paths


def _path(called: Called, file: object, folder: Path) -> Path:
    """Where a file goes, which is within the folder, also where links lead."""
    if not isinstance(file, ExportFile):
        called.refuse(f"returned {type(file).__name__}, not an eibench.ExportFile")
    if not isinstance(file.content, bytes | str):
        called.refuse(f"returned a file whose content is {type(file.content).__name__}")
    name: object = file.path
    if not isinstance(name, str) or not name.isprintable():
        called.refuse(f"returned a file whose path is {name!r}")
    path = folder / PurePosixPath(name)
    inside = path.resolve().is_relative_to(folder.resolve()) and path.resolve() != folder.resolve()
    if not inside or ".." in path.parts[len(folder.parts) :] or "\\" in name:
        called.refuse(f"returned the file {name!r}, which is outside the folder")
    return path
