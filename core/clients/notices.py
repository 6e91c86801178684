"""What the user is told while requests wait, each thing once."""

from collections.abc import Callable

from ..endpoints.parties import AskedParty
from ..errors import ProviderError
from ..types import ChatRequest
from .limits import reserved_tokens, text_tokens


class Notices:
    """Says each thing once; the callers of a run share one.

    Args:
        say: Tells the user.
    """

    def __init__(self, say: Callable[[str], None] = lambda text: None) -> None:
        self._say = say
        self._said: set[object] = set()

    def _once(self, about: object, text: str) -> None:
        if about not in self._said:
            self._said.add(about)
            self._say(text)

    def closing(self, error: Exception) -> None:
        """A client could not be closed, which costs no result."""
        self._once(str(error), f"warning: {error}")

    def beyond_tpm(self, request: ChatRequest, tpm: float, asked: AskedParty) -> None:
        """A request reserves more tokens than a minute allows.

        It is sent all the same, as the server may count fewer; but those after it wait.
        """
        tokens, text = reserved_tokens(request), text_tokens(request)
        room = tokens - text
        shorter = " or a smaller --max-tokens" if text <= tpm and asked.options.sampling else ""
        self._once(
            asked.name,
            f"a request to {asked.name} reserves {tokens:,} tokens "
            f"({text:,} for its text, {room:,} for the reply), more than the {tpm:,.15g} of --tpm: "
            f"after each, the next waits up to {tokens / tpm * 60:,.0f} s, less when fewer are "
            f"used; give a larger --tpm{shorter}",
        )

    def no_token_limit(self, asked: AskedParty) -> None:
        """A server takes none."""
        self._once(
            ("no token limit", asked.name),
            f"{asked.name} refuses a token limit, so replies are as long as the model likes",
        )

    def unreachable(self, error: ProviderError, asked: AskedParty, seconds: float) -> None:
        """An endpoint refuses or drops every connection; once for each reason.

        Args:
            error: Of the last attempt; it holds the reason and what to do.
            asked: Whose endpoint it is.
            seconds: Until the run ends, unless it answers meanwhile.
        """
        todo = f"trying again for up to {seconds:.0f} s before the run ends"
        self._once((asked.name, str(error)), f"{error}; {todo}")
