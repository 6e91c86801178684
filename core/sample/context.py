"""What the samples of one run share: who is asked, where replies and scores go."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark.model import JUDGE, REFUSED, is_generating, role_in
from ..clients.caller import Caller
from ..errors import ErrorKind, ProviderError, Unreadable
from ..guard import guard
from ..journal import CallKey, Failure, Journal, RunRecord
from ..parties.party import Party
from ..settings.run_config import RunConfig, grader, with_judges
from ..types import ChatRequest, ChatResponse, Item, Score
from .absences import Absences
from .first_replies import ENOUGH, FirstReplies
from .model import ConnectedParty
from .progress import COMPARE, TRIAL, Progress
from .prompts import PromptWatch
from .room import Room
from .workers import Stop

if TYPE_CHECKING:
    from .judging import HealthCheck


REFUSED_AT_FIRST = 3
"""When the first so many requests are all refused as invalid, the others will be too.

The first that are sent, and not the first to come back: a refusal is quicker than an answer.
"""


class Sample(NamedTuple):
    """An item in one iteration."""

    item: Item
    iteration: int


_Who = tuple[str, Party]
"""A phase, and who is asked."""
_VERDICTS = (JUDGE, COMPARE)


@dataclass
class RunContext:
    """All that the samples of one run share.

    Attributes:
        config: How the run is asked, and graded.
        parties: The model, who plays roles, and judges.
        replays: The run already has calls, so each sample looks for its own first.
        planned: Calls of one sample of an item by phase, for the progress.
        say: Tells the user something.
        under_way: Calls that have been asked for and are not journalled yet, and who sends each.
        shared: Those among them that compare, by item, iteration and key: two comparisons of the
            same words are one question.
        begun: Requests that were sent, by phase and party.
        refused: Among the first of them, those that were refused as invalid.
        heard: Phases and parties that have replied in this command.
        absences: Judges of the panel that are asked nothing more.
        trials: Of judges, before the model is asked; none where they have answered.
        regrades: Grades are made anew, whatever the journal holds.
        asks_anew: Judges are asked anew what could not be read.
        offline: They are kept apart from those of which more could be asked.
        room: That the model's replies get at first.
        first_replies: Holds back what goes to the model until one reply could be read; ``None``
            where the model is not asked, or all the same.
        prompts: Looks whether servers cut them.
    """

    config: RunConfig
    run: RunRecord
    journal: Journal
    progress: Progress
    stop: Stop
    parties: Sequence[ConnectedParty]
    replays: bool = True
    planned: Callable[[Item, int], Mapping[str, int]] = lambda item, iteration: {}
    say: Callable[[str], None] = lambda line: None
    under_way: "dict[asyncio.Task[ChatResponse], Caller]" = field(default_factory=dict)
    shared: "dict[object, asyncio.Task[ChatResponse]]" = field(default_factory=dict)
    begun: Counter[_Who] = field(default_factory=Counter)
    refused: Counter[_Who] = field(default_factory=Counter)
    heard: set[_Who] = field(default_factory=set)
    absences: Absences = field(default_factory=Absences)
    trials: "Sequence[HealthCheck]" = ()
    regrades: bool = False
    asks_anew: bool = False
    offline: bool = False
    room: Room = field(default_factory=Room)
    first_replies: FirstReplies | None = None
    prompts: PromptWatch = field(default_factory=PromptWatch)

    def __post_init__(self) -> None:
        self.grader = grader(self.config, offline=self.offline)
        self.benchmark, self.options = self.config.benchmark, self.config.options
        self.panel, self.plugin = self.config.panel, guard(self.benchmark)
        asked = [party for party in self.parties if is_generating(party.phase)]
        judges = [party for party in self.parties if not is_generating(party.phase)]
        self.model = asked[0]
        """The model."""
        self.roles = {role: party for party in asked if (role := role_in(party.phase))}
        """Who plays the benchmark's roles, by name."""
        self.judge = None if self.panel else next(iter(judges), None)
        """The judge, where it is one."""
        self.members = {
            judge.asked: replace(
                self, config=with_judges(self.config, [endpoint]), parties=[*asked, judge]
            )
            for judge, endpoint in (
                zip(judges, self.config.judges, strict=True) if self.panel else ()
            )
        }
        """What a panel's judges have of their own."""

    @contextmanager
    def sending(self, party: ConnectedParty) -> Iterator[None]:
        """Send a request while the block runs; refused as invalid, it may end the run."""
        who = party.phase, party.asked
        position = self.begun[who]
        self.begun[who] += 1
        try:
            yield
        except ProviderError as error:
            self.progress.unanswered[party.phase] += 1
            if position < REFUSED_AT_FIRST and error.kind == ErrorKind.INVALID_REQUEST:
                self.refused[who] += 1
                all_were = self.refused[who] >= REFUSED_AT_FIRST
                error.fatal = error.fatal or (all_were and not self._was_answered(party))
            raise
        self.heard.add(who)

    def settle(self, error: ProviderError, party: ConnectedParty) -> None:
        """Take an error that ends the run for that of one judge, where a panel has others."""
        if party.asked in self.absences.judges and not is_generating(party.phase):
            heard = any(asked == party.asked for phase, asked in self.heard if phase in _VERDICTS)
            silent = party.phase != TRIAL and not heard
            self.absences.settle(party.asked, error, silent=silent)

    def _was_answered(self, party: ConnectedParty) -> bool:
        """Whether this party has replied to anything in the run, in this command or before."""
        if (party.phase, party.asked) in self.heard:
            return True
        totals = self.journal.call_totals(self.run, party.asked) if self.replays else ()
        return any(total.phase == party.phase for total in totals)

    def watch(self, call: "asyncio.Task[ChatResponse]", caller: Caller, key: object) -> None:
        """Keep a call that was begun until it has ended, whoever waits for it.

        The key is what the call is shared under; ``None`` where it is one sample's alone.
        """
        self.under_way[call] = caller
        call.add_done_callback(self.under_way.pop)
        # The plugin may have lost its interest, and asyncio prints errors that nobody looked at.
        call.add_done_callback(lambda done: done.cancelled() or done.exception())
        if key is not None:
            self.shared[key] = call
            call.add_done_callback(lambda _: self.shared.pop(key))

    @property
    def only_judges(self) -> bool:
        """Whether judges are asked and the model is not."""
        judges = [one.judge for one in (self, *self.members.values()) if one.judge]
        return self.model.caller is None and any(judge.caller for judge in judges)

    def known_grade(self, sample: Sample) -> Score | None:
        """A sample's grade that the journal holds already."""
        if not self.replays or self.regrades:
            return None
        return self.journal.score_of(self.run, self.grader, sample.item.id, sample.iteration)

    def known_refusal(self, sample: Sample) -> Score | None:
        """The score of a sample of which a filter refused a request in an earlier command."""
        if not self.replays:
            return None
        return self.journal.refusal(self.run, sample.item.id, sample.iteration)

    def keep_score(self, sample: Sample, score: Score) -> None:
        """Journal a sample's score, and count it; raises as `keep_grade` does."""
        self.keep_grade(sample, score)
        if score.reason is None:
            self.progress.scored += 1
        else:
            self.progress.unscored += 1
            self._stop_if_hopeless(sample, score.reason)

    def _stop_if_hopeless(self, sample: Sample, reason: str) -> None:
        """Send nothing more where none of the first verdicts could be read."""
        counts = self.progress
        judged = (self.judge or self.panel) and not reason.startswith(REFUSED)
        keeps_going = self.regrades or self.config.keep_going
        if not judged or keeps_going or counts.scored or counts.unscored < ENOUGH:
            return
        if counts.done < counts.samples and not self.stop.asked:
            message = f"none of the first {ENOUGH} verdicts could be read"
            self.say(
                f"{message}, so nothing more is sent; transcripts are kept, also for another "
                "--judge; --keep-going asks on all the same"
            )
            self.stop.ask(Unreadable(message, sample.item.id, reason))

    def keep_grade(self, sample: Sample, score: Score) -> None:
        """Journal a sample's score by this context's grader.

        Raises:
            JournalError: Nothing can be written any more.
            PluginError: The score holds what JSON cannot.
        """
        try:
            self.journal.add_grade(self.run, self.grader, sample.item.id, sample.iteration, score)
        except (TypeError, ValueError, RecursionError) as error:
            self.plugin.called("grade").refuse(
                f"returned a Score of item {sample.item.id!r} that JSON cannot hold: {error}"
            )

    def recalled(
        self, sample: Sample, party: ConnectedParty, request: ChatRequest, key: CallKey
    ) -> None:
        """Look at a request to a party that nobody is asked for, and that the journal answers."""

    def keep_failure(self, sample: Sample, kind: str, reason: str, attempts: int = 0) -> None:
        """Journal why a sample has no usable answer."""
        failure = Failure(sample.item.id, sample.iteration, kind, reason, attempts)
        self.journal.add_failure(self.run, failure)
        self.progress.failed += 1
