"""A party to be looked at, and what may be asked of it."""

from typing import NamedTuple

from ...errors import UsageError
from ...parties.party import is_local
from ...parties.prompt_templates import PromptTemplate
from ...parties.providers import OF_MODEL, PartyOptions
from ...settings.run_config import Endpoint, RunConfig
from ...spending.prices import Price, dollars, upper_bound
from ...types import ChatRequest
from .forms import RequestForm


class Probe(NamedTuple):
    """A party, how a benchmark asks it, and whether it may be asked something.

    Attributes:
        label: What the lines about it begin with, such as ``model openai/x``.
        call: Whether it may be asked something.
        config: The run that is meant; ``None`` where no benchmark is named.
        template: What makes prompts of messages where the model is asked for completions.
        context: Tokens that prompt and reply may have together, as far as its server lists them.
    """

    label: str
    endpoint: Endpoint
    price: Price | None
    call: bool
    form: RequestForm
    party: PartyOptions = OF_MODEL
    config: RunConfig | None = None
    template: PromptTemplate | None = None
    context: int | None = None

    @property
    def is_model(self) -> bool:
        """Whether it is the model under test."""
        return not (self.party.judge or self.party.role)

    @property
    def asks_long(self) -> bool:
        """Whether a prompt of the benchmark's length is sent: where it is free."""
        free = is_local(self.endpoint.base_url) or (self.price is not None and self.price.free)
        return bool(self.form.longest) and free

    @property
    def whose(self) -> str:
        """The benchmark's name; empty where none is meant."""
        return self.config.benchmark.name if self.config else ""

    def most(self, requests: list[ChatRequest]) -> str:
        """What requests may cost at most, to stand behind what is announced; empty for nothing."""
        if self.price is None or self.price.free:
            return ""
        try:
            return f", for {dollars(sum(upper_bound(r, self.price) for r in requests))} at most"
        except UsageError:
            return ""
