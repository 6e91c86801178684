"""Which models are kin: judges favour their own style (Panickssery et al. 2024, 2404.13076).

A family is told from a model's name, as makers name their models; one that no rule
knows is its first word, so that ``my-model-7b`` and ``my-model-70b`` are kin.
"""

import re

from ..endpoints.providers import ModelSpec

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
_SERVERS = frozenset({"openai", "anthropic", "litellm"})
_MAKER = {word: maker for maker, words in _MAKERS.items() for word in words.split()}


def family(spec: ModelSpec) -> str:
    """The family of a model: its maker where the name tells, else the name's first word."""
    name = spec.name.rpartition("/")[2].lower()
    words = re.findall(r"[a-z]+\d?|\d+", name)
    for word in words:
        if maker := _MAKER.get(word) or _MAKER.get(word.rstrip("0123456789")):
            return maker
    if _names_a_function(spec):
        return name
    return words[0] if words else name


def _names_a_function(spec: ModelSpec) -> bool:
    """Whether a colon parts a module from a function, as in ``python/toys:parrot``.

    The module says nothing of the model. Names of servers have sizes and tags after a colon.
    """
    after = spec.name.rpartition("/")[2].partition(":")[2]
    return spec.provider not in _SERVERS and after.isidentifier()


def common_family(one: ModelSpec, other: ModelSpec) -> str | None:
    """The family that two models are of; ``None`` where they are of two."""
    return family(one) if family(one) == family(other) else None


def kinship(model: ModelSpec, judge: ModelSpec) -> str | None:
    """A warning when a judge is the model itself or of its family; ``None`` when it is not."""
    if model == judge:
        return f"the judge {judge} is the model itself; judges favour their own words"
    if family(model) == family(judge):
        return (
            f"the judge {judge} is of the model's family ({family(model)}); "
            "judges favour their own family's style"
        )
    return None
