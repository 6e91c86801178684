"""What a plugin declares to write runs in a form of its own: `bench export --format NAME`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..runs.stored_run import StoredRun


class ExportOption(NamedTuple):
    """An option of `bench export` for one exporter; its value is a text.

    Attributes:
        name: As in `ExportRequest.options`; ``--`` and dashes are added for the command line.
        help: One sentence, such as "Who ran the evaluation."
        metavar: What stands for its value in the help.
        multiple: It may be given several times: its value is a tuple of texts.
    """

    name: str
    help: str
    metavar: str = "TEXT"
    multiple: bool = False


class ExportRequest(NamedTuple):
    """What is to be exported.

    Attributes:
        runs: In the order of the command line, or the oldest first.
        options: The exporter's own, by name: ``None`` where one is not given, a tuple of texts
            where it may be given several times.
        time: When, in seconds since 1970.
        say: Tells the user a line, such as of a run that is left out.
    """

    runs: "Sequence[StoredRun]"
    options: Mapping[str, str | tuple[str, ...] | None]
    time: float
    say: Callable[[str], None]


class ExportFile(NamedTuple):
    """A file that an exporter gives.

    Attributes:
        path: Where it stands in the folder that is written to, with ``/`` between names.
        content: A text is written as UTF-8.
    """

    path: str
    content: bytes | str


@dataclass(frozen=True, slots=True)
class Exporter:
    """A form in which runs can be written.

    Attributes:
        name: What ``--format`` takes.
        title: One line, for `bench list`.
        files: Gives the files of a request. They are written when the last is there, so that one
            that fails writes nothing. It raises `UsageError` for runs that it cannot write.
        options: What it needs to know beside the runs.
        takes_all: Where no run is chosen, it is given all.
    """

    name: str
    title: str
    files: Callable[[ExportRequest], Iterable[ExportFile]]
    options: tuple[ExportOption, ...] = ()
    takes_all: bool = False
