"""Batch APIs on the loopback interface: OpenAI's files and batches, Anthropic's message batches.

A batch is done when the server's own clock has come so far, which a test moves. Every fault that
is known of the real ones can be asked for.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

from eibench.plugins.kit.loopback import LoopbackServer, render
from eibench.plugins.kit.replies import plain_error
from eibench.plugins.kit.wire import Delivery, RawRequest, ReceivedRequest, Response

BATCH_FAULTS = (
    "closed-after-create", "error-after-create", "unknown-at-first", "shuffled", "line-missing",
    "line-twice", "errors-only", "expired-in-part", "cancelled", "gone", "refused", "failed",
    "forgotten", "page", "unknown-state", "undated",
)  # fmt: skip
"""A batch is made and its creation not answered, or with status 500; it is not known to the first
two questions; results are in disorder; the last one is missing, the first one there twice; all
requests fail; the last third expires; the batch is cancelled half-way; its results are no longer
kept; its creation is refused; it is found to be wrong later; it is never known; who asks how far it
is gets a proxy's page with status 200, or a state that no documentation has; no answer has a
``Date``."""
_PAGE = 100


@dataclass
class LoopbackBatch:
    """A batch that the server was given.

    Attributes:
        rows: The requests: `custom_id` and body.
        created: By the server's clock.
        asked: How often somebody asked how far it is.
    """

    id: str
    rows: Sequence[tuple[str, Mapping[str, Any]]]
    created: float
    metadata: Mapping[str, str] = field(default_factory=dict)
    results: list[tuple[str, str, Response | None]] = field(default_factory=list)
    is_done: bool = False
    asked: int = 0


class BatchServer(LoopbackServer):
    """A `LoopbackServer` that takes batches of both forms too.

    Args:
        takes: Seconds, by its own clock, that a batch takes.
        batch_faults: Some of `BATCH_FAULTS`; a test may change them at any time.

    Attributes:
        now: Its clock, seconds since 1970.
        batches: All that were accepted, by id.
        billed: The `custom_id` of each request that was answered, in order.
        fetched: How often results were fetched.
    """

    def __init__(
        self, *arguments: Any, takes: float = 0.0, batch_faults: set[str] | None = None, **more: Any
    ) -> None:
        super().__init__(*arguments, **more)
        self.takes = takes
        self.batch_faults = batch_faults or set()
        self.now = datetime.now(UTC).timestamp()
        self.batches: dict[str, LoopbackBatch] = {}
        self.billed: list[str] = []
        self.fetched = 0
        self.uploads: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}

    def advance(self, seconds: float) -> None:
        """Move its clock on."""
        self.now += seconds

    async def _other(self, raw: RawRequest) -> Response:
        response = await self._of_batches(raw)
        date = () if "undated" in self.batch_faults else (("Date", formatdate(self.now)),)
        return response._replace(headers=(*response.headers, *date))

    async def _of_batches(self, raw: RawRequest) -> Response:
        path, query = raw.path, raw.query
        anthropic = path.startswith("/v1/messages/batches")
        rest = path.removeprefix("/v1/messages/batches" if anthropic else "/v1/batches")
        try:
            if raw.method == "POST" and path == "/v1/files":
                return self._upload(raw)
            if raw.method == "GET" and path.startswith("/v1/files/"):
                return self._file(path.split("/")[3])
            if rest == path:
                return await super()._other(raw)
            if raw.method == "POST" and not rest:
                return self._create(raw, anthropic=anthropic)
            if not rest:
                return self._list(query, anthropic=anthropic)
            batch = self.batches[rest.strip("/").split("/")[0]]
        except (KeyError, ValueError, TypeError) as error:
            return plain_error(404 if isinstance(error, KeyError) else 400, f"no such: {error}")
        batch.asked += 1
        unknown_at_first = "unknown-at-first" in self.batch_faults and batch.asked <= 2
        if unknown_at_first or "forgotten" in self.batch_faults:
            return plain_error(404, "no such batch")
        if "page" in self.batch_faults:
            return Response(200, b"<html>Sign in</html>", content_type="text/html")
        await self._go_on(batch)
        if rest.endswith("/results"):
            return self._results(batch)
        return _json(self._shown(batch, anthropic=anthropic))

    def _upload(self, raw: RawRequest) -> Response:
        boundary = re.search(r"boundary=(\S+)", raw.headers["content-type"])
        parts = raw.body.split(b"--" + boundary[1].strip('"').encode()) if boundary else []
        (part,) = (one for one in parts if b"filename=" in one)
        content = part.partition(b"\r\n\r\n")[2].strip()
        rows = [json.loads(line) for line in content.splitlines()]
        id = f"file-{len(self.uploads)}"
        self.uploads[id] = [(row["custom_id"], row["body"]) for row in rows]
        shown = {"id": id, "object": "file", "purpose": "batch", "filename": "x"}
        more = {"bytes": len(content), "created_at": int(self.now), "status": "processed"}
        return _json({**shown, **more})

    def _create(self, raw: RawRequest, *, anthropic: bool) -> Response:
        if "refused" in self.batch_faults:
            return plain_error(400, "this batch is refused")
        body: Any = raw.json()
        rows: Any = (
            [(one["custom_id"], one["params"]) for one in body["requests"]]
            if anthropic
            else self.uploads[str(body["input_file_id"])]
        )
        ids = [custom_id for custom_id, _ in rows]
        if len(set(ids)) < len(ids) or not all(re.fullmatch(r"[\w-]{1,64}", id) for id in ids):
            return plain_error(400, "custom_id is not unique, or of another form")
        id = f"{'msgbatch' if anthropic else 'batch'}_{len(self.batches)}"
        metadata: Any = body.get("metadata") or {}
        batch = self.batches[id] = LoopbackBatch(id, rows, self.now, metadata)
        if "closed-after-create" in self.batch_faults:
            self.batch_faults.discard("closed-after-create")
            return Response(200, b"", delivery=Delivery.DROP)
        if "error-after-create" in self.batch_faults:
            self.batch_faults.discard("error-after-create")
            return plain_error(500, "something went wrong")
        return _json(self._shown(batch, anthropic=anthropic))

    def _list(self, query: str, *, anthropic: bool) -> Response:
        word = "msgbatch" if anthropic else "batch"
        ids = [id for id in reversed(self.batches) if id.startswith(f"{word}_")]
        if after := re.search(r"after(?:_id)?=(\w+)", query):
            ids = ids[ids.index(after[1]) + 1 :]
        page = [self._shown(self.batches[id], anthropic=anthropic) for id in ids[:_PAGE]]
        return _json({"object": "list", "data": page, "has_more": len(ids) > _PAGE})

    async def _go_on(self, batch: LoopbackBatch) -> None:
        """Answer its requests once its time has come."""
        if batch.is_done or self.now < batch.created + self.takes:
            return
        batch.is_done = True
        if "failed" in self.batch_faults:
            return
        n = len(batch.rows)
        kept = {"expired-in-part": n - n // 3, "cancelled": n // 2}
        most = min([n, *(kept[fault] for fault in self.batch_faults & kept.keys())])
        path = "/v1/messages" if batch.id.startswith("msg") else "/v1/chat/completions"
        for position, (custom_id, body) in enumerate(batch.rows):
            request = ReceivedRequest(self._received, path, {}, body, 0.0)
            self._received += 1
            if position >= most:
                batch.results.append((custom_id, "expired", None))
            elif "errors-only" in self.batch_faults:
                batch.results.append((custom_id, "errored", plain_error(500, "overloaded")))
            else:
                self.requests.append(request)
                response = render(await self._ask(request), request)
                good = response.status < 300
                self.billed += [custom_id] * good
                if good:
                    self.answered.append(request)
                kind = "succeeded" if good else "errored"
                batch.results.append((custom_id, kind, response))
        if "line-missing" in self.batch_faults:
            del batch.results[-1]
        if "line-twice" in self.batch_faults:
            batch.results.append(batch.results[0])
        if "shuffled" in self.batch_faults:
            random.Random(0).shuffle(batch.results)

    def _shown(self, batch: LoopbackBatch, *, anthropic: bool) -> Mapping[str, Any]:
        counts = {kind: sum(row[1] == kind for row in batch.results)
                  for kind in ("succeeded", "errored", "expired")}  # fmt: skip
        n = len(batch.rows)
        if anthropic:
            left = 0 if batch.is_done else n  # the others stay zero until all has ended
            status = "ended" if batch.is_done else "in_progress"
            status = "paused" if "unknown-state" in self.batch_faults else status
            created = datetime.fromtimestamp(batch.created, UTC).isoformat()
            shown = {**counts, "processing": left, "canceled": 0}
            return {"id": batch.id, "type": "message_batch", "processing_status": status,
                    "request_counts": shown, "created_at": created, "expires_at": created,
                    "results_url": f"{self.root_url}/v1/messages/batches/{batch.id}/results"
                    if batch.is_done else None}  # fmt: skip
        failed = batch.is_done and "failed" in self.batch_faults
        cut = {"expired-in-part": "expired", "cancelled": "cancelled"}
        ended = next((cut[one] for one in self.batch_faults & cut.keys()), "completed")
        status = "failed" if failed else ended if batch.is_done else "in_progress"
        errors = {"data": [{"code": "x", "message": "line 1 is wrong"}]} if failed else None
        return {
            "id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions",
            "completion_window": "24h", "input_file_id": "file",
            "status": "paused" if "unknown-state" in self.batch_faults else status,
            "created_at": int(batch.created), "metadata": batch.metadata, "errors": errors,
            "request_counts": {"total": n, "completed": counts["succeeded"],
                               "failed": counts["errored"] + counts["expired"]},
            "output_file_id": f"out-{batch.id}" if counts["succeeded"] else None,
            "error_file_id": f"err-{batch.id}" if n > counts["succeeded"] else None,
        }  # fmt: skip

    def _file(self, id: str) -> Response:
        kind, _, batch_id = id.partition("-")
        if "gone" in self.batch_faults:
            return plain_error(404, "no such file")
        self.fetched += 1
        batch = self.batches[batch_id]
        lines = [row for row in batch.results if (row[1] == "succeeded") == (kind == "out")]
        return _lines(_openai_lines(lines))

    def _results(self, batch: LoopbackBatch) -> Response:
        if "gone" in self.batch_faults:
            return plain_error(404, "no results")
        self.fetched += 1
        return _lines(_anthropic_lines(batch.results))


def _openai_lines(
    results: Sequence[tuple[str, str, Response | None]],
) -> Iterator[Mapping[str, Any]]:
    for custom_id, _, response in results:
        row: dict[str, Any] = {"id": "x", "custom_id": custom_id, "response": None, "error": None}
        if response is None:
            message = "This request could not be executed before the completion window expired."
            row["error"] = {"code": "batch_expired", "message": message}
        else:
            row["response"] = {"status_code": response.status, "request_id": "r",
                               "body": json.loads(response.body)}  # fmt: skip
        yield row


def _anthropic_lines(
    results: Sequence[tuple[str, str, Response | None]],
) -> Iterator[Mapping[str, Any]]:
    for custom_id, kind, response in results:
        result: dict[str, Any] = {"type": kind}
        if kind == "succeeded" and response:
            result["message"] = json.loads(response.body)
        elif response:
            message = json.loads(response.body)["error"]["message"]
            error = {"type": "api_error", "message": message}
            result["error"] = {"type": "error", "error": error}
        yield {"custom_id": custom_id, "result": result}


def _json(value: Mapping[str, Any]) -> Response:
    return Response(200, json.dumps(value).encode())


def _lines(rows: Iterator[Mapping[str, Any]]) -> Response:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return Response(200, text.encode(), content_type="application/x-jsonl")
