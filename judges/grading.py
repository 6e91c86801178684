"""What every form has that a judge fills in about one reply: from the reply to a `Score`.

A reply that is no answer never reaches the judge; what a model wrote cannot change the
prompt; a judge that cannot be read leaves the sample unscored, with the reason.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeAlias, TypeVar

from eibench import ChatResponse, Message, Model, Score, is_blank, no_answer

from .asking import Outcome
from .prompts import Template, display, fill, neutralise

UNREAD = "unread"
"""The flag of a sample whose judge could not be read."""
Said: TypeAlias = "ChatResponse | str | Sequence[tuple[str, str]]"
"""What is judged: a reply, a text, or a talk as speakers and what they said."""
Filled = TypeVar("Filled")


class JudgeForm(ABC, Generic[Filled]):
    """A form that a judge fills in about one reply."""

    @property
    @abstractmethod
    def described(self) -> str:
        """What is asked, a line each, with what it means where that was said."""

    @property
    @abstractmethod
    def shown(self) -> str:
        """The empty form, as a prompt shows it."""

    @abstractmethod
    async def ask(
        self, judge: Model, messages: Sequence[Message], *, cache_prefix: int = 0
    ) -> Outcome[Filled]:
        """What the judge fills in, once it can be read."""

    @abstractmethod
    def score_of(self, filled: Filled) -> Score:
        """The score of a form as it was filled in."""

    def score(self, outcome: Outcome[Filled]) -> Score:
        """The score of what came of asking; unscored where nothing could be read."""
        if outcome.value is None:
            reason = f"the judge's reply could not be read: {outcome.reason}"
            return Score.unscored(reason, flags=(*outcome.flags, UNREAD))
        return replace(self.score_of(outcome.value), flags=outcome.flags)

    async def grade(
        self, judge: Model | None, template: Template, reply: Said, **values: str
    ) -> Score:
        """The score of a reply: unscored, and not judged, where it is no answer.

        The template has the places ``{reply}``, ``{criteria}`` and ``{form}``; `values` are of
        others.

        Raises:
            ProviderError: The judge gave no reply.
            MissingCall: Offline, and the journal does not hold a reply.
        """
        assert judge is not None, "a judged benchmark gets a judge"
        if reason := nothing_in(reply):
            return Score.unscored(reason)
        texts = {**values, "criteria": self.described, "form": self.shown}
        texts["reply"] = said_in(reply, template)
        messages = messages_of(template, texts)
        return self.score(await self.ask(judge, messages, cache_prefix=len(messages) - 1))

    def judge_prompts(self, template: Template) -> dict[str, str]:
        """What `Benchmark.judge_prompts` returns for it."""
        texts = {"system": template.system, "user": template.user}
        return {**texts, "criteria": self.described, "form": self.shown}


def described(names: Sequence[str], meanings: object) -> str:
    """Names in lines, with what each means where a mapping says it."""
    if not isinstance(meanings, dict):
        return "\n".join(f"- {name}" for name in names)
    return "\n".join(f"- {name}: {meanings[name]}" for name in names)


def nothing_in(reply: Said) -> str | None:
    """Why there is nothing to judge; ``None`` where there is."""
    if isinstance(reply, ChatResponse):
        return no_answer(reply)
    texts = [reply] if isinstance(reply, str) else [text for _, text in reply]
    return "the reply is empty" if all(map(is_blank, texts)) else None


def said_in(reply: Said, template: Template) -> str:
    """A reply as a prompt shows it, so that it cannot end its part of the prompt."""
    if isinstance(reply, ChatResponse | str):
        text = reply if isinstance(reply, str) else reply.text
        return neutralise(text, template.markers)
    return display([(speaker, neutralise(text, template.markers)) for speaker, text in reply])


def messages_of(template: Template, values: dict[str, str]) -> list[Message]:
    """A template with its places filled: the system message, where there is one, first."""
    user = Message("user", fill(template.user, values))
    system = fill(template.system, {key: values[key] for key in ("criteria", "form")})
    return [Message("system", system), user] if system else [user]
