"""litellm, imported so that it does nothing but what it is asked to.

As it comes, its import fetches a price list, reads the next ``.env`` into the
environment and adds log handlers; its first Anthropic call fetches a list of
headers; an error prints banners; counting tokens asks Hugging Face. All of
that is off here. What stays: `TIKTOKEN_CACHE_DIR`, which litellm sets with the
first call, as without it tiktoken would go to the network.
"""

import logging
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from eibench.providers import no_collection

_OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_OFFLINE_MODE": "true",
}
_NOISE = (
    ".*`ReadOnly` qualifier.*",
    ".*conflict with protected namespace.*",
    "Pydantic serializer warnings",
)
"""What pydantic says of litellm's models, and of replies whose fields have odd types."""
_LOGGERS = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router")


def load() -> Any:
    """The module, with its traps closed; imported once, in about three seconds of CPU."""
    for message in _NOISE:
        warnings.filterwarnings("ignore", message=message)
    if "litellm" in sys.modules and "eibench" in vars(sys.modules["litellm"]):
        return sys.modules["litellm"]
    with _with_variables(_OFFLINE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with no_collection():
            import litellm

        _read_what_is_read_late()
    for name in _LOGGERS:  # warns of what we handle, and at DEBUG level would log prompts
        logging.getLogger(name).setLevel(logging.ERROR)
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.drop_params = False  # silently dropped parameters would be recorded as sent
    litellm.modify_params = False
    litellm.__dict__["eibench"] = True
    return litellm


def _read_what_is_read_late() -> None:
    """The list of Anthropic headers, while the environment says to take the local one."""
    from litellm import anthropic_beta_headers_manager as manager

    vars(manager).get("_load_beta_headers_config", lambda: None)()


@contextmanager
def _with_variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables; afterwards the environment is what it was before."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
