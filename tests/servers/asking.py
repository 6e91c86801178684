"""Asks a server directly, over plain HTTP, and reads what it answers."""

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.servers.started import KEY, Model

_SHOWN = 400
_VARIES = (
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://HOST"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{16,}\b"), "ID"),
    (re.compile(r"/[\w.+/-]*/(?=plain|strict)"), "FOLDER/"),
)
"""What differs from start to start in the words of a server."""


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    body: Any

    @property
    def took(self) -> bool:
        """Whether it is a reply."""
        return self.status == 200

    @property
    def message(self) -> dict[str, Any]:
        """The message of the first choice."""
        return dict(self.body["choices"][0]["message"])

    @property
    def text(self) -> str:
        """What the model said."""
        return str(self.message.get("content") or "")

    @property
    def finish(self) -> str:
        """Why it ended."""
        return str(self.body["choices"][0]["finish_reason"])

    def tokens(self, side: str) -> int:
        """How many the server counted of `prompt` or `completion`."""
        return int(self.body["usage"][f"{side}_tokens"])

    @property
    def words(self) -> str:
        """What an error says, without what differs from start to start."""
        text = " ".join(_message_of(self.body).split())
        for varies, instead in _VARIES:
            text = varies.sub(instead, text)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _message_of(body: Any) -> str:
    if not isinstance(body, dict):
        return str(body)
    inner = body.get("error") or body.get("detail") or body
    return str(inner.get("message") or inner) if isinstance(inner, dict) else str(inner)


def say(model: Model, messages: str | Sequence[dict[str, Any]], /, **fields: object) -> Answer:
    """The answer to a text of the user's, or to messages; greedy unless a field says otherwise."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    name = fields.pop("name", model.name)
    body = {"model": name, "messages": messages, "temperature": 0, **fields}
    return ask(f"{model.base_url}/chat/completions", body)


def say_at_once(model: Model, texts: Sequence[str]) -> list[Answer]:
    """The answers to several texts that are sent together."""
    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(lambda text: say(model, text), texts))


def ask(url: str, body: object = None, key: str = KEY) -> Answer:
    """The answer to a POST, or to a GET where there is no body."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    sent = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(url, sent, headers), timeout=120) as response:
            return Answer(response.status, json.load(response))
    except HTTPError as error:
        return Answer(error.code, _read(error.read().decode()))


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
