"""What the runs of a command need from outside: keys, prices, and a way to tell the user."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..clients.keys import Environment
from ..compare.coming import Coming
from ..errors import UsageError
from ..guard.clients import price_lists
from ..parties.party import Party
from ..parties.providers import OF_MODEL, PartyOptions, is_loopback
from ..plugins import installed
from ..sample.progress import Progress
from ..sample.workers import Stop
from ..settings.run_config import Endpoint
from ..settings.run_settings import RunSettings
from ..spending.book import PriceBook
from ..spending.budget import Budget, Meter
from ..spending.prices import Price, upper_bound
from ..types import ChatRequest, Sampling


def _priced(endpoint: Endpoint) -> str | None:
    """The address that decides what tokens cost: of several, one that may not be free."""
    urls = endpoint.base_urls
    return next((url for url in urls if not is_loopback(url)), endpoint.base_url)


@dataclass(frozen=True, slots=True)
class Pricing:
    """What calls cost, and what a command may spend.

    Attributes:
        book: All prices that are known.
        model_price: The price of ``--price``: for the model, not for the judge.
        budget: The limit of ``--max-cost``, shared by all runs of a command.
    """

    book: PriceBook = field(default_factory=PriceBook)
    model_price: Price | None = None
    budget: Budget | None = None

    @classmethod
    def of(cls, settings: RunSettings) -> "Pricing":
        """That of settings, for all runs that share them."""
        providers, limit = list(installed().providers), settings.max_cost
        book = PriceBook.of(providers, settings.prices, price_lists(providers))
        budget = None if limit is None else Budget(limit)
        return cls(book, settings.price, budget)

    def price(self, endpoint: Endpoint, phase: str) -> Price | None:
        """What a model's or a judge's tokens cost; ``None`` when that is unknown."""
        is_model = phase == "generate"
        return self.book.find(
            endpoint.spec, _priced(endpoint), self.model_price if is_model else None
        )

    def meter(self, endpoint: Endpoint, phase: str) -> Meter:
        """What counts the cost of a party's calls."""
        party = f"the {phase.replace(':', ' ')} "
        who = f"{'' if phase == 'generate' else party}{endpoint.label}"
        return Meter(self.price(endpoint, phase), self.budget, who)

    def check(
        self,
        endpoint: Endpoint,
        phase: str,
        sampling: Sampling,
        party: PartyOptions = OF_MODEL,
    ) -> None:
        """Refuse a limit that cannot be kept.

        Raises:
            UsageError: A price is unknown, or nothing bounds what a call may cost.
        """
        if self.budget is None:
            return
        price = self.price(endpoint, phase)
        if price is None:
            message = "--price IN,OUT or " if phase == "generate" else ""
            hint = f"; for your own server add {party.base_url} {party.address}" * bool(party.near)
            raise UsageError(
                f"--max-cost needs the price of {party.title}{endpoint.label}, which is not known: "
                f'give {message}[prices."{endpoint.spec}"] in bench.toml{hint}'
            )
        upper_bound(ChatRequest((), sampling), price)


@dataclass
class Session:
    """What a run needs from outside, and its counters; all but these is shared by a command.

    Attributes:
        say: Tells the user something.
        answered: The judges that have answered.
        absent: Hosts that refused every connection from the start.
        tried: The judges that an earlier run tries, by its plan.
        coming: The runs whose models are compared that were planned so far, in their order.
        progresses: The counters of all runs so far.
        announced: What was said of servers and plans, which is said once.
    """

    environment: Environment
    pricing: Pricing = field(default_factory=Pricing)
    say: Callable[[str], None] = lambda line: None
    answered: set[Party] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    tried: set[Party] = field(default_factory=set)
    coming: list[Coming] = field(default_factory=list)
    progresses: list[Progress] = field(default_factory=list)
    announced: set[object] = field(default_factory=set)
    progress: Progress = field(default_factory=Progress)
    stop: Stop = field(default_factory=Stop)

    def say_once(self, text: str) -> None:
        """Tell the user something that several runs of the command would tell."""
        if text not in self.announced:
            self.announced.add(text)
            self.say(text)

    def for_next_run(self) -> "Session":
        """The same for another run of the command."""
        self.progresses.append(progress := Progress())
        return replace(self, progress=progress, stop=Stop())
