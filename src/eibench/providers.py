"""For clients of providers: fields of requests, replies as they are read, failures and prices.

What the clients that come with eibench are made of. `read_completion` and `read_message` read the
bodies of OpenAI's and Anthropic's APIs as servers really send them; `read_failure` and
`provider_error` say what a failed HTTP answer means; `request_fields` names the sampling
parameters.
"""

from eibench.core.clients.anthropic import read_message
from eibench.core.clients.error_bodies import HttpFailure, read_failure, shown
from eibench.core.clients.errors_within import failure_within, no_reply
from eibench.core.clients.failures import (
    connection_error,
    malformed,
    provider_error,
    too_large,
)
from eibench.core.clients.keys import redact, refuse_reserved
from eibench.core.clients.openai import read_completion, request_fields
from eibench.core.clients.refusals import LIMITS
from eibench.core.clients.replies import json_object, mapping
from eibench.core.clients.terms import ServerTerms
from eibench.core.parties.party import is_local
from eibench.core.parties.providers import AskedParty, ModelSpec, is_loopback
from eibench.core.spending.billing import causes
from eibench.core.spending.prices import Beyond, Price
from eibench.core.types import unknown_to

__all__ = [
    "LIMITS",
    "AskedParty",
    "Beyond",
    "HttpFailure",
    "ModelSpec",
    "Price",
    "ServerTerms",
    "causes",
    "connection_error",
    "failure_within",
    "is_local",
    "is_loopback",
    "json_object",
    "malformed",
    "mapping",
    "no_reply",
    "provider_error",
    "read_completion",
    "read_failure",
    "read_message",
    "redact",
    "refuse_reserved",
    "request_fields",
    "shown",
    "too_large",
    "unknown_to",
]
