"""Other ways to send the same requests, each a whole process, to compare `bench run` with.

`python -m benchmarks.peers NAME URL REQUESTS.jsonl CONCURRENCY` sends every
request of the file (lines as `bench prompts` writes them) once and ends. None
of them resumes, retries or scores; they are the floor, not an alternative.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Body = dict[str, Any]
Send = Callable[[Body], Awaitable[None]]
_NOT_SENT = ("item_id", "iteration")


def read_bodies(path: Path) -> list[Body]:
    """The request bodies of a file of requests."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [{"model": "x"} | {k: v for k, v in row.items() if k not in _NOT_SENT} for row in rows]


async def _share(bodies: list[Body], workers: int, send: Send) -> None:
    left = iter(bodies)

    async def work() -> None:
        for body in left:
            await send(body)

    await asyncio.gather(*(work() for _ in range(workers)))


async def streams(url: str, bodies: list[Body], concurrency: int) -> None:
    """A minimal asyncio client: one connection per worker, HTTP by hand."""
    left = iter(bodies)
    await asyncio.gather(*(_talk(url, left) for _ in range(concurrency)))


async def _talk(url: str, left: Iterator[Body]) -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    for body in left:
        data = json.dumps(body).encode()
        head = f"POST {parts.path}/chat/completions HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        _check(json.loads(await _body(reader)))
    writer.close()


async def _body(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].partition("\r\n")[0])
    return await reader.readexactly(length)


def _check(reply: Mapping[str, Any]) -> str:
    return str(reply["choices"][0]["message"]["content"])


async def aiohttp_client(url: str, bodies: list[Body], concurrency: int) -> None:
    """The HTTP library that the openai SDK is run on here, without the SDK."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send(body: Body) -> None:
            async with session.post(f"{url}/chat/completions", json=body) as response:
                _check(await response.json())

        await _share(bodies, concurrency, send)


async def threads(url: str, bodies: list[Body], concurrency: int) -> None:
    """A pool of threads that call `requests.post`, as EQ-Bench's own programs do."""
    from concurrent.futures import ThreadPoolExecutor

    import requests

    def send(body: Body) -> str:
        response = requests.post(f"{url}/chat/completions", json=body, timeout=60)
        return _check(response.json())

    with ThreadPoolExecutor(concurrency) as pool:
        list(pool.map(send, bodies))


async def sdk(url: str, bodies: list[Body], concurrency: int) -> None:
    """The openai SDK on aiohttp in a bare loop, one SQLite insert for each reply."""
    import openai

    await _with_sdk(url, bodies, concurrency, openai.DefaultAioHttpClient())


async def sdk_default(url: str, bodies: list[Body], concurrency: int) -> None:
    """The openai SDK as it comes (httpx), one SQLite insert for each reply."""
    await _with_sdk(url, bodies, concurrency, None)


async def _with_sdk(url: str, bodies: list[Body], concurrency: int, http_client: Any) -> None:
    import sqlite3
    import tempfile

    import openai

    client = openai.AsyncOpenAI(
        api_key="no-key", base_url=url, max_retries=0, http_client=http_client
    )
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "replies.sqlite", isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE replies (request TEXT, reply TEXT)")

        async def send(body: Body) -> None:
            reply = await client.chat.completions.create(**body)
            row = json.dumps(body), reply.choices[0].message.content
            database.execute("INSERT INTO replies VALUES (?, ?)", row)

        await _share(bodies, concurrency, send)
        database.close()
    await client.close()


PEERS: Mapping[str, tuple[str, Callable[[str, list[Body], int], Awaitable[None]]]] = {
    "streams": ("a minimal asyncio client", streams),
    "aiohttp": ("aiohttp, no SDK", aiohttp_client),
    "threads": ("thread pool + requests.post", threads),
    "sdk": ("openai SDK on aiohttp, one SQLite insert each", sdk),
    "sdk-default": ("openai SDK as it comes, likewise", sdk_default),
}
#: Of these, the one that nobody can be much cheaper than.
BARE = "aiohttp"


async def _main(name: str, url: str, path: str, concurrency: str) -> None:
    await PEERS[name][1](url, read_bodies(Path(path)), int(concurrency))


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
