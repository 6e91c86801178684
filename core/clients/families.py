"""Which models are kin: judges favour their own style (Panickssery et al. 2024, 2404.13076).

A family is what ``[families]`` of bench.toml says, else told from a model's name, as makers name
their models. A name that neither knows is of no family: it is nobody's kin but its own.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from fnmatch import fnmatchcase
from types import MappingProxyType

from ..parties.providers import ModelSpec

stated: ContextVar[Mapping[str, str]] = ContextVar("stated", default=MappingProxyType({}))
"""The families that the settings of the command under way state, by a name or a pattern."""

_MAKERS = {
    "openai": "gpt chatgpt o1 o3 o4 o5 davinci",
    "anthropic": "claude",
    "google": "gemini gemma palm bison",
    "meta": "llama",
    "mistral": "mistral ministral mixtral magistral codestral pixtral devstral",
    "alibaba": "qwen qwq qvq",
    "deepseek": "deepseek",
    "xai": "grok",
    "microsoft": "phi",
    "cohere": "command aya",
    "moonshot": "kimi moonshot",
    "zhipu": "glm chatglm",
    "amazon": "nova titan",
    "minimax": "minimax abab",
    "nvidia": "nemotron",
    "ai2": "olmo tulu",
    "ibm": "granite",
}
_MAKER = {word: maker for maker, words in _MAKERS.items() for word in words.split()}


def family(spec: ModelSpec) -> str | None:
    """The family of a model; ``None`` where nobody has said it and no rule knows the name."""
    whole, name = str(spec).lower(), spec.name.lower()
    called = (whole, name, name.rpartition("/")[2])
    families = {pattern.lower(): maker for pattern, maker in stated.get().items()}
    for exact in called:
        if exact in families:
            return families[exact]
    for pattern, maker in families.items():
        if any(fnmatchcase(each, pattern) for each in called):
            return maker
    words = re.findall(r"[a-z]+\d?|\d+", called[-1])
    makers = (_MAKER.get(word) or _MAKER.get(word.rstrip("0123456789")) for word in words)
    return next(filter(None, makers), None)


def are_kin(one: ModelSpec, other: ModelSpec) -> bool:
    """Whether two models are one, or of one family."""
    if one.name.lower().rpartition("/")[2] == other.name.lower().rpartition("/")[2]:
        return True
    maker = family(one)
    return maker is not None and maker == family(other)


def common_family(one: ModelSpec, other: ModelSpec) -> str | None:
    """The family that two models are of, or the name of both; ``None`` where they are no kin."""
    return (family(one) or one.name) if are_kin(one, other) else None


def kinship(model: ModelSpec, judge: ModelSpec) -> str | None:
    """A warning when a judge is the model itself or of its family; ``None`` when it is not."""
    if model == judge:
        return f"the judge {judge} is the model itself; judges favour their own words"
    if maker := common_family(model, judge):
        return (
            f"the judge {judge} is of the model's family ({maker}); "
            "judges favour their own family's style"
        )
    return None
