"""`demo/NAME`: models of a known ability, in this process, deterministic and free.

The words come from the benchmark (`Benchmark.demo_reply`, and `demo_verdict` for
the judge, `demo_role` for who plays a role), the ability from the name. Everything that holds a
demo model's result says DEMO.
"""

from ..errors import UsageError
from ..guard.benchmarks import guard
from ..parties.providers import CallContext, ClientConfig
from ..types import ChatRequest, ChatResponse, Finish, Usage

ABILITIES = {"strong": 0.9, "medium": 0.6, "weak": 0.25}
JUDGE = "judge"


class DemoClient:
    """A demo model, the demo judge, or the demo player of a role."""

    def __init__(self, config: ClientConfig) -> None:
        self._name = config.model.name
        self._role = config.party.role
        known = [self._role] if self._role else [*ABILITIES, JUDGE]
        if self._name not in known:
            options = ", ".join(f"demo/{name}" for name in known)
            raise UsageError(f"unknown demo model demo/{self._name}; there are: {options}")

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The benchmark's words for this call, the same every time."""
        digest = request.as_json()
        rng, plugin = call.rng(self._name, digest), guard(call.benchmark)
        if self._role:
            text = plugin.demo_role(self._role, call.item, request, rng)
        elif self._name == JUDGE:
            text = plugin.demo_verdict(call.item, request, rng)
        else:
            text = plugin.demo_reply(call.item, request, ABILITIES[self._name], rng)
        words = sum(len(m.content.split()) for m in request.messages)
        return ChatResponse(
            text=text,
            finish=Finish.STOP,
            finish_raw="stop",
            model=f"demo/{self._name}",
            usage=Usage(input=words, output=len(text.split())),
            sent=request.sampling.sent(),
            cost_usd=0.0,
            price_source="demo models are free",
        )

    async def close(self) -> None:
        """Nothing to close."""
