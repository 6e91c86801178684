"""Asking a question until its answer can be read, and the reply that counts.

A reply that cannot be read is asked for again at a higher temperature (Paech 2023,
section 3.10). The first one in which every pass has a score counts; if none comes, the one
with most of them. What a model does twice it does again, so unless it is to be as published,
the same fault a second time is the end.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from eibench import ChatResponse, MissingCall, Model, no_answer

from .parsing_types import ParsedReply, Parser
from .questions import Question

TEMPERATURE_STEP = 0.15
_ZERO = "all ratings are zero"
WITHOUT_HEADINGS = "; --no-revise asks for ratings alone, without headings"


@dataclass(frozen=True, slots=True)
class RatedReply:
    """The reply that counts for a question: the question score of each pass, or why it has none.

    `problem` says why no pass has one, in words that hold for other questions too; `attempts`
    replies were read until one was whole or no more might be asked for; `temperature` is ``None``
    where the server takes none.
    """

    answer: ParsedReply
    values: Mapping[str, float | None]
    reasons: Mapping[str, str]
    problem: str | None = None
    cut_off: bool = False
    temperature: float | None = None
    attempts: int = 0

    @property
    def n_scored(self) -> int:
        """How many passes have a score."""
        return sum(value is not None for value in self.values.values())

    @property
    def named(self) -> int:
        """How many emotions have a number, whether it is a rating or not, in all passes."""
        return self.answer.first_pass.named + self.answer.revised.named

    @property
    def flags(self) -> tuple[str, ...]:
        """How the readings depart from the plain form, and what else was unusual."""
        passes = {"first_pass": self.answer.first_pass, "revised": self.answer.revised}
        flags = [f"{name}: {flag}" for name, reading in passes.items() for flag in reading.flags]
        if self.attempts > 1:
            flags.append("asked_again")
        if 0 < self.n_scored < len(self.values):
            flags.append("one_section")
        return tuple(flags)

    def ratings(self) -> dict[str, list[float] | None]:
        """The ratings of each pass as plain values; ``None`` where unread."""
        passes = {"first_pass": self.answer.first_pass, "revised": self.answer.revised}
        return {name: list(r.values) if r.values else None for name, r in passes.items()}


async def ask(
    prompt: str,
    model: Model,
    read: Callable[[ChatResponse], RatedReply],
    attempts: int,
    *,
    enough: int | None = None,
) -> RatedReply:
    """The first reply that is scored in full, or the best one of all attempts.

    Args:
        prompt: What is asked.
        model: Who is asked.
        read: Reads and scores a reply.
        attempts: Most replies to ask for.
        enough: So often may each pass that the best reply lacks show the same fault; ``None``
            for any number of times. After that, only replies that are in the journal are read.

    Raises:
        MissingCall: The work is done offline and there is no reply at all.
    """
    usual = model.sampling.temperature
    best: RatedReply | None = None
    best_at: float | None = None
    faults = Counter[tuple[str, str]]()
    asked, is_hopeless = 0, False
    for attempt in range(attempts):
        temperature = None if usual is None else round(usual + TEMPERATURE_STEP * attempt, 6)
        take = model.kept if is_hopeless else model.chat
        try:
            response = await take(prompt, temperature=temperature)
        except MissingCall:
            if best is None:
                raise
            break
        if response is None:
            break
        asked += 1
        reply = read(response)
        model.mark(response, reply.problem)
        faults.update(reply.reasons.items())
        if best is None or _usefulness(reply) > _usefulness(best):
            best = reply
            sent = response.sent.get("temperature") if response.sent else temperature
            best_at = sent if isinstance(sent, int | float) else None
        if not best.reasons:
            break
        is_hopeless = all(_is_hopeless(name, faults, enough) for name in best.reasons)
    assert best is not None
    return replace(best, temperature=best_at, attempts=asked)


def _usefulness(reply: RatedReply) -> tuple[int, int, bool]:
    """By what the better of two replies is: its scores, else what says most of what to mend."""
    if reply.n_scored:
        return reply.n_scored, 0, False
    return 0, reply.named, not reply.cut_off


def _is_hopeless(name: str, faults: Counter[tuple[str, str]], enough: int | None) -> bool:
    """Whether a pass has shown one fault as often as is enough."""
    most = max(n for (of, _), n in faults.items() if of == name)
    return enough is not None and most >= enough


def read_reply(
    response: ChatResponse,
    question: Question,
    parser: Parser,
    score: Callable[[tuple[float, ...]], float | None],
    *,
    revise: bool,
) -> RatedReply:
    """What one reply says, each pass scored; only four zeros may have no score."""
    answer = parser(
        response.text,
        question.emotions,
        revise=revise,
        form=question.form,
        others=question.others,
    )
    why = no_answer(response)
    passes = {"first_pass": answer.first_pass} | ({"revised": answer.revised} if revise else {})
    values = {n: None if p.values is None else score(p.values) for n, p in passes.items()}
    cut = " (cut off by the token limit)" * response.truncated
    unscored = {name: passes[name] for name, value in values.items() if value is None}
    reasons = {name: why or f"{read.reason or _ZERO}{cut}" for name, read in unscored.items()}
    faults = dict.fromkeys(why or f"{read.fault or _ZERO}{cut}" for read in unscored.values())
    problem = " and ".join(faults) if len(unscored) == len(values) else None
    if problem and lacks_headings(problem):
        problem += WITHOUT_HEADINGS
    return RatedReply(answer, values, reasons, problem, response.truncated)


def lacks_headings(why: str) -> bool:
    """Whether neither pass of a whole reply had its heading, so that a form without may do."""
    return why.count("no section") > 1 and "cut off" not in why
