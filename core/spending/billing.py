"""Which failed attempts may have cost money.

Only what surely cost nothing is given back to the budget: a refusal that a
provider gives before any work is done, and a request that never left. Azure's
"manage costs" page says that work is billed whatever the status, and names a 400
for filtered content or too long an input; a server that breaks down or goes
silent has not said what it did.
"""

from collections.abc import Iterator

from ..errors import ErrorKind, Interrupted, ProviderError

#: Answered before the model was asked.
UNBILLED = frozenset(
    {
        ErrorKind.RATE_LIMIT,
        ErrorKind.QUOTA,
        ErrorKind.AUTH,
        ErrorKind.NOT_FOUND,
        ErrorKind.INVALID_REQUEST,
    }
)
_CONNECTING = {"aiohttp.ClientConnectorError", "aiohttp.ConnectionTimeoutError"}
_CONNECTING_HTTPX = {
    f"{package}.{name}"
    for package in ("httpx", "httpx2")
    for name in ("ConnectError", "ConnectTimeout", "PoolTimeout")
}


def may_be_billed(error: BaseException) -> bool:
    """Whether an attempt that ended so may have cost something."""
    if isinstance(error, Interrupted):
        return False  # raised before sending, never after
    if not isinstance(error, ProviderError):
        return True
    if error.kind == ErrorKind.CONNECTION:
        return not error.unsent
    return error.kind not in UNBILLED


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came from, the nearest first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def never_sent(cause: BaseException | None) -> bool:
    """Whether a transport's error says that no connection was made, so nothing was sent."""
    kinds = {kind for error in causes(cause) for kind in type(error).__mro__}
    names = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in kinds}
    # The aiohttp transport of the openai SDK calls every lost connection ConnectTimeout, so
    # aiohttp's own word comes first where there is one.
    if any(name.startswith("aiohttp.") for name in names):
        return bool(names & _CONNECTING)
    return bool(names & _CONNECTING_HTTPX)
