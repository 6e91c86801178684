"""Asking again what a bundle says: its judge for some verdicts, its model for some items.

Which are asked is drawn by the root of the bundle and a seed of whoever verifies: a submitter that
knew the draw could make what is drawn good. Each time is a run of its own in a folder that goes.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from random import Random

from ..benchmark.model import JUDGE
from ..errors import UsageError
from ..journal import Journal
from ..journal.file import demo_folder
from ..journal.lines import file_lines, line_of, read_line
from ..journal.transfer import import_lines
from ..parties.graders import Grader
from ..parties.party import Party
from ..parties.providers import OF_MODEL, PartyOptions, of_judge, of_role
from ..reports.items import RunSample, first_values
from ..run.task import Regrade, Task
from ..runs.stored_run import StoredRun
from ..settings.run_config import Endpoint, RunConfig, by_each_judge, grader
from ..text import number
from ..types import ChatRequest, Score
from ..types.result_document import ResultDocument
from .bundles import Bundle
from .recalling import RecalledRun, SampleKey
from .verification import AskedAgain, BundleFault
from .verifying import RecalledBundle

Ask = Callable[[Sequence[Task]], Sequence[ResultDocument]]
"""Does what is left of tasks, all at a time, and gives their results."""
Connect = Callable[[Party, PartyOptions], Endpoint]
"""Where a party is asked again."""
AT_ONCE = 16
"""How often a judge is asked the same at a time."""
FALSE = (0.01, 0.05, 0.1, 0.2)
"""Shares of invented verdicts for which the probability of finding one is said."""


@dataclass(frozen=True)
class Inquiry:
    """How much is asked again, by which seed it is drawn, and who asks.

    Attributes:
        dataset: Where the pack is, if it is none of ours.
    """

    share: float
    seed: int
    dataset: str | None
    connect: Connect
    ask: Ask


def draw(bundle: Bundle, seed: int, run_id: str, names: Sequence[str], share: float) -> list[str]:
    """A share of names, at least one, drawn by a bundle's root and a seed."""
    rng = Random(f"{bundle.manifest.get('root')} {seed} {run_id}")
    return sorted(rng.sample(sorted(names), min(len(names), ceil(share * len(names)))))


# The judge


@dataclass(frozen=True, eq=False)
class _Verdicts(Regrade):
    """A regrade whose requests are those that the replies of a bundle answer."""

    asked_before: tuple[ChatRequest, ...] = ()

    @property
    def known_requests(self) -> Sequence[ChatRequest]:
        """Those."""
        return self.asked_before


@dataclass(frozen=True)
class Rejudging:
    """The verdicts of one judge of a run, some of which are asked again."""

    bundle: Bundle
    run_id: str
    recalled: RecalledRun
    config: RunConfig

    def values(self) -> dict[SampleKey, float]:
        """What the judge's verdicts come to, of samples that it was asked about."""
        judge, scores = self.config.judge, self.recalled.scores[grader(self.config)]
        asked = {(i, n) for (i, n, key), c in self.recalled.calls.items()
                 if key.phase == JUDGE and c.asked == judge}  # fmt: skip
        return {key: v for key, v in _values(scores, self.recalled).items() if key in asked}

    def ask(self, inquiry: Inquiry, endpoint: Endpoint) -> AskedAgain:
        """What came of verdicts that are drawn, each asked until it lies within the new ones.

        Raises:
            BenchError: They could not be asked.
        """
        from ..statistics.redrawing import chance_drawn, is_outside, most_redraws

        values, seed = self.values(), inquiry.seed
        by_name = {f"{item} {n}": (item, n) for item, n in values}
        drawn = [
            by_name[n] for n in draw(self.bundle, seed, self.run_id, [*by_name], inquiry.share)
        ]
        config = replace(self.config, judges=(endpoint,), panel=None, dataset=inquiry.dataset)
        anew = {key: list[float]() for key in drawn}
        left, most, done, replies = drawn, most_redraws(len(drawn)), 0, 0
        while left and done < most:
            times = min(max(1, done), AT_ONCE, most - done)
            for key, value in self._verdicts(config, left, times, inquiry.ask):
                anew[key].append(value)
            done, replies = done + times, replies + times * len(left)
            left = [key for key in left if is_outside(values[key], anew[key])]
        total = len(values)
        chances = {f"{s:g}": chance_drawn(ceil(s * total), len(drawn), total) for s in FALSE}
        judge = str(self.config.judge)
        invented = [key for key in left if len(anew[key]) == most]
        return AskedAgain(
            *(self.run_id, "judge", judge, len(drawn), total, seed, replies, chances),
            undecided=len(left) - len(invented),
            faults=[self._fault(key, values[key], anew[key]) for key in invented],
        )

    def _fault(self, key: SampleKey, value: float, anew: Sequence[float]) -> BundleFault:
        span = f"{number(min(anew))} to {number(max(anew))}"
        message = f"its verdict comes to {number(value)}, and the judge, asked {len(anew)} times,"
        return BundleFault("wrong", f"{message} gave {span}", self.run_id, *key)

    def _verdicts(
        self, config: RunConfig, samples: Sequence[SampleKey], times: int, ask: Ask
    ) -> Iterator[tuple[SampleKey, float]]:
        """What the judge says of samples now, asked so often; nothing where it cannot be read."""
        ids = tuple(dict.fromkeys(item_id for item_id, _ in samples))
        config = replace(config, items=ids, iterations=max(n for _, n in samples))
        chosen = frozenset(samples)
        lines, requests = list(file_lines(self._lines(chosen))), self._requests(chosen)
        with ExitStack() as stack:
            names = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(times)]
            folders = [demo_folder(Path(n)) if config.demo else Path(n) for n in names]
            tasks = list[Task]()
            for name, folder in zip(names, folders, strict=True):
                numbered = enumerate(lines, 1)
                import_lines(Path(name), self.bundle.path, numbered, lambda journal: ())
                with Journal(folder, create=False) as journal:
                    (run,) = journal.runs()
                placed = replace(config, runs_dir=folder)
                pack = self.recalled.pack
                tasks.append(_Verdicts(placed, pack, run, chosen, False, requests))
            ask(tasks)
            for folder in folders:
                with Journal(folder, create=False) as journal:
                    (run,) = journal.runs()
                    grades = _grades(StoredRun(journal, run), grader(config))
                    yield from _values(grades, self.recalled).items()

    def _requests(self, samples: frozenset[SampleKey]) -> tuple[ChatRequest, ...]:
        """What this judge was asked of these samples."""
        return tuple(
            call.request
            for (item_id, n, key), call in self.recalled.calls.items()
            if (item_id, n) in samples and key.phase == JUDGE and call.asked == self.config.judge
        )

    def _lines(self, samples: frozenset[SampleKey]) -> Iterator[bytes]:
        """The run with the replies of the model and of roles to these samples."""
        for raw in self.bundle.rows:
            line = read_line(raw)
            if line.get("run_id") == self.run_id:
                yield line_of({**line, "document": None})
            elif line.get("run") == self.run_id and line["kind"] == "call":
                is_left = (line["item_id"], line["iteration"]) in samples
                if is_left and line["phase"] != JUDGE:
                    yield raw


def _values(scores: Mapping[SampleKey, Score], of: RecalledRun) -> dict[SampleKey, float]:
    """The value of each sample that is tested: the first one, of two passes that of the better."""
    samples = [RunSample(*key, "", None, None, values=s.values) for key, s in scores.items()]
    return dict(first_values(of.document, samples).values)


def _grades(stored: StoredRun, by: Grader) -> dict[SampleKey, Score]:
    clusters = {item_id: "" for item_id, _ in stored.samples_begun | stored.samples_done}
    return {(g.item_id, g.iteration): g.score for g in stored.grades(by, clusters)}


def rejudge(read: RecalledBundle, inquiry: Inquiry) -> Iterator[AskedAgain]:
    """What came of asking each judge of a bundle again.

    Raises:
        BenchError: One could not be asked.
    """
    for run_id, recalled in read.runs.items():
        for config in by_each_judge(recalled.context.config):
            rejudging = Rejudging(read.bundle, run_id, recalled, config)
            if rejudging.config.judges and rejudging.values():
                (judge,) = config.judges
                endpoint = _like(inquiry.connect(judge.party, of_judge(str(judge.spec))), judge)
                yield rejudging.ask(inquiry, endpoint)


def _like(endpoint: Endpoint, stored: Endpoint) -> Endpoint:
    """An endpoint that is asked as a stored party was."""
    return replace(endpoint, settings=stored.settings, is_judge=stored.is_judge)


# The model


class _Alone(Task):
    """A run that is compared with no other."""

    @property
    def compares(self) -> bool:
        """Never."""
        return False


def reask(read: RecalledBundle, inquiry: Inquiry) -> Iterator[AskedAgain]:
    """What came of asking each model of a bundle some items again, as often as it was asked.

    Raises:
        BenchError: One could not be asked.
    """
    for run_id, recalled in read.runs.items():
        yield _reasked(read.bundle, run_id, recalled, inquiry)


def _reasked(bundle: Bundle, run_id: str, recalled: RecalledRun, inquiry: Inquiry) -> AskedAgain:
    import numpy as np

    from ..statistics.redrawing import LEVEL, redrawn

    config, seed = recalled.context.config, inquiry.seed
    values = _values(recalled.scores[recalled.context.grader], recalled)
    ids = list(dict.fromkeys(item_id for item_id, _ in values))
    drawn = draw(bundle, seed, run_id, ids, inquiry.share)
    anew = _asked_anew(config, recalled, drawn, inquiry)
    known, new = (
        {i: [v for (item, _), v in each.items() if item == i] for i in drawn}
        for each in (values, anew)
    )
    both = [item_id for item_id in drawn if known[item_id] and new[item_id]]
    model = str(config.model.spec)
    again = AskedAgain(run_id, "model", model, len(drawn), len(ids), seed, len(anew))
    if not both:
        message = "none of the new replies has a score, so nothing can be compared"
        return again._replace(faults=[BundleFault("wrong", message, run_id)])
    rng = np.random.default_rng(Random(f"{bundle.manifest.get('root')} {seed}").getrandbits(64))
    one = redrawn([known[i] for i in both], [new[i] for i in both], rng)
    again = again._replace(difference=one.difference, p=one.p, shows=one.shows)
    if one.p is None or one.p > LEVEL:
        return again
    message = f"the replies lie {number(one.difference)} above those of the model asked again"
    return again._replace(faults=[BundleFault("wrong", f"{message} (p {one.p:.4f})", run_id)])


def _asked_anew(
    config: RunConfig, recalled: RecalledRun, items: Sequence[str], inquiry: Inquiry
) -> dict[SampleKey, float]:
    """What the model's replies to items come to, asked as it was for the bundle."""
    settings, connect = recalled.context.run.settings, inquiry.connect
    if "template" in settings:
        message = "was asked for completions of a prompt template, which the bundle does not hold"
        raise UsageError(f"run {recalled.context.run.run_id} {message}: --reask cannot ask it")
    with tempfile.TemporaryDirectory() as folder:
        judges = tuple(
            _like(connect(one.party, of_judge(str(one.spec))), one) for one in config.judges
        )
        panel = config.panel and replace(config.panel, judges=tuple(j.party for j in judges))
        model = _like(connect(config.model.party, OF_MODEL), config.model)
        config = replace(
            config,
            model=model,
            limits=model.limits or config.limits,
            judges=judges,
            panel=panel,
            roles={n: _like(connect(p.party, of_role(n)), p) for n, p in config.roles.items()},
            items=tuple(items),
            iterations=recalled.selection.iterations,
            dataset=inquiry.dataset or config.dataset,
            runs_dir=Path(folder),
        )
        (document,) = inquiry.ask([_Alone(config, recalled.pack)])
        with Journal(Path(folder), create=False) as journal:
            run = journal.find_run(str(document["run_id"]))
            grades = _grades(StoredRun(journal, run), grader(config)) if run else {}
            return _values(grades, recalled)
