"""How a benchmark asks each party: the form of its requests, their sampling and their length.

The requests are those of its longest items, made with a demo model's replies as for a plan. Without
a benchmark it is a request of the same kind: system text, two turns and, of a judge, a JSON schema.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...benchmark import Benchmark
from ...benchmark.model import JUDGE, MODEL, Role, phase_of
from ...clients.shapes import as_set
from ...errors import BenchError
from ...parties.party_settings import PartySettings
from ...parties.providers import PartyOptions
from ...reading.prompt_tokens import probe_prompt
from ...sample.progress import COMPARE
from ...settings.resolve import run_configs
from ...settings.run_config import Endpoint, RunConfig
from ...settings.run_settings import RunSettings
from ...types import ChatRequest, JsonObject, Message, Sampling
from ..checks import check_parties
from ..plan_requests import first_requests
from ..task import Task, read_pack
from .checks import Check, fail

_WORDS = {
    "system": "You are a careful listener, and answer in a few words.",
    "user": "Good morning. I have slept badly.",
    "assistant": "Good morning. I am sorry to hear that.",
}
_TALK = tuple(Message(role, _WORDS[role]) for role in ("system", "user", "assistant", "user"))
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
"""Of a verdict as small as can be."""
_LONGEST = 2
"""So many items are looked at."""


class RequestForm(NamedTuple):
    """How a party is asked.

    Attributes:
        request: Its sampling, and the roles of its messages; their words do not matter.
        longest: The words of the longest prompt; empty where no benchmark is meant.
    """

    request: ChatRequest
    longest: str = ""

    def short(self, question: str, sampling: Sampling | None = None) -> ChatRequest:
        """A request of this form that ends in a question, with this sampling or that of replies."""
        *before, last = self.request.messages
        messages = [message._replace(content=_WORDS[message.role]) for message in before]
        sampling = sampling or self.request.sampling
        return ChatRequest((*messages, last._replace(content=question)), sampling)

    def tiny(self, question: str, tokens: int) -> ChatRequest:
        """Such a request with room for an answer of so many tokens."""
        return self.short(question, replace(self.request.sampling, max_tokens=tokens))

    def long(self) -> ChatRequest:
        """Such a request with a prompt as long as the longest."""
        return self.short(probe_prompt(len(self.longest)))

    def by(self, settings: PartySettings) -> "RequestForm":
        """The same as the party's settings have it."""
        drawn = replace(self.request, sampling=settings.drawn(self.request.sampling))
        return self._replace(request=as_set(drawn, settings))


def neutral_form(party: PartyOptions, sampling: Sampling) -> RequestForm:
    """How a benchmark may ask a party, where none is meant; a model is asked with `sampling`."""
    if party.judge:
        sampling = replace(Benchmark.judge_sampling, json_schema=SCHEMA)
    elif party.role:
        sampling = Role(party.role, "").sampling
    return RequestForm(ChatRequest(_TALK, sampling))


def forms_of(config: RunConfig, say: Callable[[str], None]) -> dict[str, RequestForm]:
    """How a benchmark asks each of those that a run of it asks, by phase; for all members a group.

    Raises:
        BenchError: Its data cannot be read.
    """
    items = sorted(read_pack(config).items, key=lambda item: len(repr(item.content)))
    longest = tuple(item.id for item in items[-_LONGEST:])
    requests = first_requests(Task(replace(config, items=longest, limit=None)), say)
    by_phase = {phase: _form(each) for phase, each in requests.items() if each}
    if verdicts := [*requests[JUDGE], *requests[COMPARE]]:
        by_phase[JUDGE] = _form(verdicts)
    for role in config.benchmark.roles:
        by_phase.setdefault(role.phase, RequestForm(ChatRequest(_TALK, config.sampling_of(role))))
        if role.group:
            by_phase.setdefault(phase_of(role.group), by_phase[role.phase])
    return {MODEL: RequestForm(ChatRequest(_TALK, config.effective_sampling))} | by_phase


class Meant(NamedTuple):
    """The runs of a benchmark that are meant, one a model, and how each party is asked.

    Attributes:
        refusal: Why there can be none.
    """

    configs: Sequence[RunConfig] = ()
    forms: Mapping[str, RequestForm] = {}
    refusal: Check | None = None

    def config_of(self, endpoint: Endpoint) -> RunConfig | None:
        """The run of a model; of others, the first."""
        of_it = [one for one in self.configs if one.model.spec == endpoint.spec]
        return next(iter(of_it or self.configs), None)

    def form_of(self, endpoint: Endpoint, party: PartyOptions) -> RequestForm | None:
        """How a party is asked; ``None`` for one that a run does not ask."""
        if party.judge or party.role:
            return self.forms.get(phase_of(party.role) if party.role else JUDGE)
        form, config = self.forms.get(MODEL), self.config_of(endpoint)
        if form is None or config is None:
            return None
        drawn = replace(form.request, sampling=config.effective_sampling)
        return form._replace(request=drawn)


def meant_by(benchmark: Benchmark, settings: RunSettings) -> Meant:
    """What a benchmark's run with these settings asks; why there can be none, if so."""
    meant = Meant()
    try:
        configs = run_configs(benchmark, settings, lambda target: target.endpoint)
        meant = Meant(configs, forms_of(configs[0], lambda text: None))
        for config in configs if settings.models else ():
            check_parties(config)
    except BenchError as error:
        return meant._replace(refusal=fail(f"benchmark {benchmark.name}", error))
    return meant


def _form(requests: Sequence[ChatRequest]) -> RequestForm:
    """That of the request which asks most of a server."""
    texts = ["\n\n".join(message.content for message in one.messages) for one in requests]
    return RequestForm(max(requests, key=_demands), max(texts, key=len))


def _demands(request: ChatRequest) -> tuple[bool, int, int]:
    """How much of a server a request asks for."""
    kinds = {message.role for message in request.messages}
    return request.sampling.json_schema is not None, len(kinds), len(request.messages)
