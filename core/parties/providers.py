"""What a provider is: a prefix of model specs and a maker of clients.

A client sends one request once. Retries, limits, timeouts and saving are done
around it (`clients.caller`), the same for all.

`PartyOptions` is how messages name a party of a run, and the options that set it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol
from unicodedata import category
from urllib.parse import urlsplit

from ..errors import UsageError
from ..types import ChatRequest, ChatResponse
from .secrets import shown_address, shown_header

if TYPE_CHECKING:
    from ..benchmark import Benchmark
    from ..spending.prices import Price
    from ..types import Item
    from .prompt_templates import PromptTemplate


class PartyOptions(NamedTuple):
    """What messages call a party, and the options of the command line that are about it.

    Attributes:
        title: What stands before its spec; nothing for the model under test.
        spec: The option that names it.
        base_url: The option with its address.
        api_key_env: The option with the variable of its key.
        sampling: Whether the user's sampling options are about it; else the benchmark's are.
        role: The role that it plays; empty for the model and the judge.
        judge: The spec of the judge, as it was given; empty for others.
        room: How the room of its replies is set.
        near: The address of the model, where a judge or a role may be meant to be there too.
    """

    title: str = ""
    spec: str = "--model"
    base_url: str = "--base-url"
    api_key_env: str = "--api-key-env"
    sampling: bool = True
    role: str = ""
    judge: str = ""
    room: str = "--max-tokens"
    near: str = ""

    @property
    def address(self) -> str:
        """What may follow the option with its address."""
        return f"{self.role}={self.near or 'URL'}" if self.role else self.near or "URL"


OF_MODEL = PartyOptions()
OF_JUDGE = PartyOptions(
    "the judge ",
    "--judge",
    "--judge-base-url",
    "--judge-api-key-env",
    sampling=False,
    room="--judge-set max_tokens=N",
)


def of_judge(spec: str) -> PartyOptions:
    """Those of one of several judges."""
    return OF_JUDGE._replace(judge=spec)


def of_role(name: str) -> PartyOptions:
    """Those of who plays a role."""
    return PartyOptions(
        f"the role {name} ",
        "--role",
        "--role-base-url",
        "--role-api-key-env",
        sampling=False,
        role=name,
        room=f"--role-set {name}:max_tokens=N",
    )


class AskedParty(NamedTuple):
    """Who did not answer as it should.

    Attributes:
        name: Such as ``the judge openai/x at 127.0.0.1:8000``.
        options: Those that are about it.
        key_name: The variable that holds the key that was sent, if any.
        host: Host and port, if anybody knows.
    """

    name: str
    options: PartyOptions = OF_MODEL
    key_name: str | None = None
    host: str | None = None


SOMEBODY = AskedParty("the endpoint")


_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


_UNWRITABLE = ("Cc", "Zl", "Zp")
"""Unicode's categories of control characters and of breaks of lines."""


class ModelSpec(NamedTuple):
    """A model as people write it: ``PROVIDER/NAME``."""

    provider: str
    name: str

    @classmethod
    def parse(cls, text: str, *, at_server: bool = False) -> "ModelSpec":
        """The spec's parts; `at_server` where an address is given, so that openai/ is meant.

        Raises:
            UsageError: There is no slash, or nothing on one side of it, or there is a line break
                or another control character.
        """
        provider, slash, name = text.partition("/")
        if not (provider and slash and name):
            such = f"openai/{text}" if at_server and text.strip("/ ") == text else "openai/gpt-4.1"
            raise UsageError(f"{text!r} is not a model spec; write PROVIDER/NAME, such as {such}")
        if any(category(character) in _UNWRITABLE for character in text):
            raise UsageError(f"{text!r} holds a control character, which no name of a model has")
        return cls(provider, name)

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}"


@dataclass(frozen=True, slots=True)
class CallContext:
    """Which call of the run a request belongs to.

    `key` names it among all calls of all runs, in 64 hex digits; empty for a trial.
    """

    benchmark: "Benchmark"
    item: "Item"
    iteration: int
    phase: str
    key: str = ""

    def seed(self, *more: object) -> str:
        """What is the same whenever this call is made again, and another for another call."""
        return repr((self.benchmark.name, self.item.id, self.iteration, self.phase, *more))

    def rng(self, *more: object) -> Random:
        """A generator that is the same whenever this call is made again."""
        return Random(self.seed(*more))


class Client(Protocol):
    """One connection to one endpoint with one key, for one model.

    A client may have ``async prepare()`` as well: awaited before each request, it gets ready what
    takes time in this process at first, as an import does; no request's time limit is for that.
    """

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The model's reply to one request, asked once.

        Raises:
            ProviderError: There was no usable reply; its message holds no key.
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


async def make_ready(client: Client) -> None:
    """Await a client's `prepare`, where it has one."""
    if prepare := getattr(client, "prepare", None):
        await prepare()


MAX_REPLY = 16 * 2**20


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """Where a client connects and with what.

    Attributes:
        base_url: ``None`` for the provider's own host.
        key: ``None`` where the endpoint needs none.
        key_name: The environment variable a person would set, for messages.
        concurrency: The most requests at a time.
        max_reply: The most bytes that are read of a reply.
        needs_token_limit: A server that refuses the token limit is not asked without it.
        party: Whether it is the model or a judge, for messages.
        template: What makes prompts of messages where the model is asked for completions.
        typed: The sampling parameters that a person has set: they are theirs to mend.
        say: Tells the user what the server does not take.
    """

    model: ModelSpec
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    key_name: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    concurrency: int = 32
    max_reply: int = MAX_REPLY
    needs_token_limit: bool = False
    party: PartyOptions = OF_MODEL
    template: "PromptTemplate | None" = None
    typed: frozenset[str] = frozenset()
    say: Callable[[str], None] = field(default=lambda text: None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_headers(self.headers)

    def asked(self, own_host: str | None = None) -> AskedParty:
        """Who is asked, for messages.

        Args:
            own_host: Where the provider itself is, if anybody knows.
        """
        host = host_of(self.base_url) if self.base_url else own_host
        at = f" at {host}" if host else ""
        return AskedParty(f"{self.party.title}{self.model}{at}", self.party, self.key_name, host)


@dataclass(frozen=True, slots=True)
class Provider:
    """What `register_providers` takes.

    Attributes:
        name: The prefix of its model specs.
        title: One line for `bench list`.
        create: Makes a client; imports the SDK only then.
        host: The provider's own host, to which its standard key belongs; ``None`` when
            nothing leaves this process, so that its models are free; empty when only its SDK
            knows the host.
        key_env: The environment variable of its standard key.
        demo: Its models are not real, and every result says so.
        list_price: What a model, also another provider's, costs at its provider's own host, as
            far as this provider knows; asked for those that eibench's own table lacks.
    """

    name: str
    title: str
    create: Callable[[ClientConfig], Client]
    host: str | None = None
    key_env: str | None = None
    demo: bool = False
    list_price: Callable[[ModelSpec], "Price | None"] | None = None

    @property
    def local(self) -> bool:
        """Whether nothing leaves this process."""
        return self.host is None and self.key_env is None


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse what cannot stand in an HTTP header; the message never shows a value.

    Raises:
        UsageError: A name or a value cannot be sent.
    """
    for name, value in headers.items():
        shown = f"[run] headers {shown_header(name)}"
        if not _HEADER_NAME.fullmatch(name):
            raise UsageError(f"{shown} is not the name of an HTTP header")
        if not (value.isascii() and value.isprintable()):
            raise UsageError(
                f"{shown}: its value holds a line break or a character that is not ASCII"
            )


def check_base_url(base_url: str, party: PartyOptions = OF_MODEL) -> str:
    """The URL without a slash at its end.

    Args:
        base_url: As the user gave it.
        party: Whose it is, for messages.

    Raises:
        UsageError: It is not http(s), has no host, or carries a user, a password or a query
            (which would end up in logs, so that message does not show the URL).
    """
    if any(mark in base_url for mark in "?#") or "@" in base_url.split("//")[-1].split("/")[0]:
        headers = " and other needs with [run] headers in bench.toml" if party is OF_MODEL else ""
        raise UsageError(
            f"{party.base_url} must not hold a user, a password or a query; "
            f"name a key with {party.api_key_env}{headers}"
        )
    try:
        parts = urlsplit(base_url)
        _ = parts.port  # raises where it is no port
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_url = False
    is_url = is_url and base_url.isprintable() and " " not in base_url
    if not is_url:
        shown = shown_address(base_url)
        raise UsageError(f"{party.base_url} {shown!r} is not an http:// or https:// address")
    return base_url.rstrip("/")


def host_of(url: str) -> str:
    """The host and port of a URL, in lower case."""
    return urlsplit(url).netloc.lower()


def is_loopback(url: str | None) -> bool:
    """Whether a URL points at this machine: localhost, 127.0.0.0/8 or ::1."""
    host = urlsplit(url or "").hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


MOST_TOKENS = 2**53
