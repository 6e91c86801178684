"""Prompts that a server cut in silence: told while the run goes on, once for each party."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from ..benchmark.model import MODEL, role_in
from ..parties.party import Party
from ..parties.providers import host_of
from ..reading.cut_prompts import CutPrompts, PromptCount, PromptsBefore, find_cut
from ..text import plural
from ..types import ChatRequest, ChatResponse

if TYPE_CHECKING:
    from .context import Sample

_ENOUGH = 3
"""Prompts of a party from which on one that is too small by itself is told of.

Before that it could be that the server had the beginning of all of them cached.
"""
_MOST = 50
"""So many doubtful prompts are kept: where a cache explains them, there may be very many."""
_ROOM = 1.5
"""Of the tokens of the longest prompt: what a context needs, with the reply."""
_CAUSES = {
    ":11434": "Ollama does at num_ctx: set OLLAMA_CONTEXT_LENGTH={room} for ollama serve",
    ":1234": "LM Studio does by its context overflow policy: load the model with a context of "
    "{room}",
    "openrouter.ai": "OpenRouter does by middle-out, which --extra-body '{{\"transforms\": []}}' "
    "forbids",
}
_ANY_CAUSE = (
    "Ollama does at num_ctx (OLLAMA_CONTEXT_LENGTH={room} for ollama serve), LM Studio by its "
    "context overflow policy"
)


def told_cut(phase: str, asked: Party, cut: CutPrompts) -> str:
    """What was cut and why, for a person."""
    role = role_in(phase)
    whom = "the model" if phase == MODEL else f"the role {role}" if role else "the judge"
    room = 1 << (int(cut.needed * _ROOM) - 1).bit_length()
    host = host_of(cut.address)
    cause = next((words for end, words in _CAUSES.items() if host.endswith(end)), _ANY_CAUSE)
    return (
        f"the server seems to cut prompts of {whom} {asked.spec} in silence: it counted "
        f"{cut.counted:,} input tokens where the text has about {cut.needed:,} "
        f"({plural(cut.prompts, 'prompt')}); {cause.format(room=room)}"
    )


@dataclass
class _OfParty:
    """What is known of one party's prompts."""

    before: PromptsBefore = field(default_factory=PromptsBefore)
    doubtful: list[tuple[PromptCount, Sequence[PromptCount]]] = field(default_factory=list)
    cut: CutPrompts | None = None


@dataclass
class PromptWatch:
    """Looks at the counts of a run's prompts as they come.

    Attributes:
        say: Tells the user something.
    """

    say: Callable[[str], None] = lambda line: None
    _parties: dict[tuple[str, Party], _OfParty] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=count)

    def look(
        self,
        sample: "Sample",
        who: tuple[str, Party],
        address: str | None,
        request: ChatRequest,
        response: ChatResponse,
        talk: list[PromptCount],
    ) -> None:
        """Look at one more prompt, which is added to those of its sample and party, `talk`."""
        (phase, asked), usage = who, response.usage
        known = self._parties.setdefault(who, _OfParty())
        if asked.spec.provider == "demo" or known.cut:
            return
        prompt = PromptCount(
            sample.item.id, sample.iteration, next(self._numbers), request.messages,
            usage.input, usage.cached, response.attempts, response.model,
        )  # fmt: skip
        if not prompt.is_count:
            return
        if len(known.doubtful) < _MOST and (prompt.is_too_small() or prompt.has_shrunk(talk)):
            known.doubtful.append((prompt, tuple(talk)))
        known.before.add(prompt)
        talk.append(prompt)
        if known.doubtful and (cut := _cut_so_far(known)):
            known.cut = cut._replace(address=address or "")
            known.doubtful.clear()
            self.say(f"warning: {told_cut(phase, asked, known.cut)}")

    def warnings_of(self, phase: str) -> list[str]:
        """What was told of the parties of a phase."""
        return [
            told_cut(of, asked, known.cut)
            for (of, asked), known in self._parties.items()
            if of == phase and known.cut
        ]


def _cut_so_far(known: _OfParty) -> CutPrompts | None:
    """What was cut of the doubtful prompts so far; ``None`` while that is not sure."""
    certain = [
        (prompt, talk)
        for prompt, talk in known.doubtful
        if len(known.before) >= _ENOUGH or prompt.has_shrunk(talk)
    ]
    return find_cut(certain, known.before)
