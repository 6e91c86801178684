"""The results that a journal keeps: of each run its own, and views beside it."""

from typing import cast

from ..result_document import ResultDocument
from .file import JournalFile, now, object_of
from .records import RunRecord, as_json
from .schema import RUNS, VIEWS, ViewRow
from .tables import DamagedRow


def document_of(text: str) -> ResultDocument:
    """A run's result, looked at but for the fields that `reports.protocols` asks for.

    Raises:
        DamagedRow: It is none.
    """
    document = object_of(text)
    if wrong := RUNS.shapes["document"](document):
        raise DamagedRow(f"its result {wrong}")
    return cast("ResultDocument", document)


class DocumentStore(JournalFile):
    """The journal's results."""

    def end_run(
        self,
        run: RunRecord,
        status: str,
        *,
        seconds: float,
        finished: bool | None,
        document: ResultDocument | None = None,
    ) -> None:
        """Store how a command on a run ended, and its result if it has one.

        Args:
            run: The run.
            status: Its status from here on.
            seconds: How long the command has worked.
            finished: Whether it has gone through all samples; ``None`` to leave that as it is.
            document: The run's own result.
        """
        ended = "finished_at" if finished is None else "?"
        at = [] if finished is None else [now() if finished else None]
        self._add(
            f"UPDATE runs SET status = ?, elapsed_s = elapsed_s + ?, finished_at = {ended},"
            " document = coalesce(?, document) WHERE n = ?",
            (status, seconds, *at, document and as_json(document), run.n),
        )
        self.writer.flush()

    def add_view(self, run: RunRecord, name: str, document: ResultDocument) -> None:
        """Store a result beside the run's own, in place of one of the same name."""
        row = ViewRow(name=name, document=as_json(document), at=now())
        self._add(VIEWS.adding(), (run.n, *row))
        self.writer.flush()

    def views(self, run: RunRecord) -> dict[str, ResultDocument]:
        """The results beside the run's own by name, the latest last."""
        sql = "SELECT name, document FROM views WHERE run = ? ORDER BY at, name"
        found = self._rows(sql, (run.n,), lambda row: (str(row[0]), document_of(row[1])), run)
        return dict(found)

    def document(self, run: RunRecord) -> ResultDocument | None:
        """The run's last result document, if it has one."""
        sql = "SELECT document FROM runs WHERE n = ? AND document IS NOT NULL"
        return next(self._rows(sql, (run.n,), lambda row: document_of(row[0]), run), None)
