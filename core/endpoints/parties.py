"""How messages name a party of a run: who is asked, where, and the options that set it."""

from typing import NamedTuple


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
    """

    title: str = ""
    spec: str = "--model"
    base_url: str = "--base-url"
    api_key_env: str = "--api-key-env"
    sampling: bool = True
    role: str = ""
    judge: str = ""


OF_MODEL = PartyOptions()
OF_JUDGE = PartyOptions(
    "the judge ", "--judge", "--judge-base-url", "--judge-api-key-env", sampling=False
)


def of_judge(spec: str) -> PartyOptions:
    """Those of one of several judges."""
    return OF_JUDGE._replace(judge=spec)


def of_role(name: str) -> PartyOptions:
    """Those of who plays a role."""
    return PartyOptions(
        f"the role {name} ", "--role", "--role-base-url", "--role-api-key-env", False, name
    )


class AskedParty(NamedTuple):
    """Who did not answer as it should.

    Attributes:
        name: Such as ``the judge openai/x at 127.0.0.1:8000``.
        options: Those that are about it.
        key_name: The variable that holds the key that was sent, if any.
    """

    name: str
    options: PartyOptions = OF_MODEL
    key_name: str | None = None


SOMEBODY = AskedParty("the endpoint")
