"""``--extra-body``: more fields for each request; none of ours, none twice and no credential."""

from collections.abc import Collection

from ..endpoints.secrets import dotted, find_credentials
from ..errors import UsageError
from ..types import JsonObject

OURS = {
    "model": "use --model",
    "messages": "the benchmark writes them",
    "stream": "replies are read whole",
    "n": "use --iterations",
}


def check_extra_body(extra: JsonObject, set_already: Collection[str]) -> None:
    """Refuse what cannot stand in an extra body.

    Args:
        extra: The fields.
        set_already: Those that options set.

    Raises:
        UsageError: One is ours, is set already, or is for a credential.
    """
    for name in extra:
        if name in OURS or name in set_already:
            why = OURS.get(name, "an option sets it already")
            raise UsageError(f"--extra-body may not set {name!r}: {why}")
    refuse_credentials(extra, "--extra-body")


def refuse_credentials(extra: JsonObject | None, where: str) -> None:
    """Refuse a credential, as all of a request's fields are stored with the run.

    Args:
        extra: The fields.
        where: What holds them, for the message.

    Raises:
        UsageError: There is one; the message names its key and does not show it.
    """
    for place in find_credentials(extra or {}):
        raise UsageError(
            f"{where} holds {dotted(place)!r}, which is for a credential: what stands there would "
            "be stored with the run. Put a key into an environment variable and name that with "
            "--api-key-env or --judge-api-key-env; other headers go into --header"
        )


def refuse_reserved(extra: JsonObject, reserved: Collection[str]) -> None:
    """Refuse fields that a client itself sets.

    Raises:
        UsageError: There is one.
    """
    if named := sorted(extra.keys() & set(reserved)):
        raise UsageError(f"--extra-body may not set {', '.join(named)}: the program does")
