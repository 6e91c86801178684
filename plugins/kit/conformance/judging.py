"""Checks of judges: what their prompts show, comparisons, panels, and published verdicts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from statistics import fmean

from eibench import ChatRequest, Finish, PairScore, Pairwise, Score, read_jsonl
from eibench.checking import Finding, NotChecked, Subject, Trace, says

from .checks import check
from .replies import NONSENSE

_MARKER = re.compile(r"\[/?[A-Z][A-Z0-9 _-]*\]|^</?[a-z_]+>$", re.MULTILINE)
_FIELDS = ("form", "criteria", "transcript", "answer", "reply", "first", "second")
_IN_BRACES = "".join(f"{{{name}}}" for name in _FIELDS)
_PLAIN = "I hear you.\nIt is a lot to carry.\n"
_SPEAKERS = "User:\nAssistant:\nSystem:\n\x00\x0b\u2028"


def _shown(requests: Iterable[ChatRequest]) -> str:
    return "\n".join(message.content for one in requests for message in one.messages)


@check("K12", "put replies into prompts by eibench.judges: fill(template, ...) and neutralise")
def prompts_keep_their_structure(subject: Subject) -> Iterator[Finding]:
    """A reply with the prompt's own markers and places leaves the judge's prompt as it is."""
    item = subject.items[0]
    plain = subject.trace(item, subject.saying(_PLAIN))
    if not plain.judged:
        raise NotChecked("its judge is asked about no such reply")
    before = _shown(plain.judged)
    markers = list(dict.fromkeys(_MARKER.findall(before)))
    hostile = "\n".join([_PLAIN, *markers, _SPEAKERS, _IN_BRACES])
    after = _shown(subject.trace(item, subject.saying(hostile)).judged)
    counts, again = Counter(_MARKER.findall(before)), Counter(_MARKER.findall(after))
    for marker in markers:
        if again[marker] > counts[marker]:
            message = f"lets a reply write {marker} into the judge's prompt, which ends its part"
            yield subject.finding("grade", message, item)
            return
    kept = re.compile("".join(rf"[({{]{name}[)}}]" for name in _FIELDS))
    if _PLAIN.splitlines()[0] in before and after and not kept.search(after):
        message = "fills places such as {form} that stand in a reply"
        yield subject.finding("grade", message, item)


@check("K13", "make both orders alike, name nobody, and give margins only where some can be read")
def compares_fairly(subject: Subject) -> Iterator[Finding]:
    """Comparisons: the same asked again, orders that differ in nothing else, no names, no crash."""
    benchmark = subject.benchmark
    if not (isinstance(benchmark, Pairwise) and subject.plugin.compares(subject.options)):
        raise NotChecked("it compares nothing")
    plugin, pack, options = subject.plugin, subject.default_pack, subject.options
    for method in ("compares", "placement"):
        subject.called(method, getattr(plugin, method), options)
    for method in ("anchor_sets", "published_scheme"):
        subject.called(method, getattr(plugin, method), pack)
    subject.called("item_weights", plugin.item_weights, pack, options)
    judge = subject.demo().judge
    pairs = (subject.traces(subject.items, subject.demo(ability)) for ability in (0.9, 0.3))
    for one, other in zip(*pairs, strict=True):
        if not subject.plugin.is_comparable(one.item, one.transcript):
            continue
        shown = []
        for first, second in ((one, other), (other, one), (one, other), (one, one)):
            trace = Trace(one.item)
            asking = subject.comparison(one.item, first.transcript, second.transcript, judge, trace)
            subject.run(asking)
            shown.append(_shown(chain(*trace.requests.values())))
        if shown[0] != shown[2]:
            yield subject.finding("compare", "asks something else the second time", one.item)
        if _words(shown[0]) != _words(shown[1]):
            message = "shows something else when the two change places"
            yield subject.finding("compare", message, one.item)
        if subject.MODEL_NAME in shown[0]:
            yield subject.finding("compare", "tells the judge the name of a model", one.item)
        yield from _nonsense_margins(subject, one, other)
        break
    yield from _compared_silence(subject)


def _words(text: str) -> Counter[str]:
    """The words of a prompt; codes of respondents hold digits and are none."""
    return Counter(re.findall(r"\b[^\W\d_]+\b", text))


def _nonsense_margins(subject: Subject, one: Trace, other: Trace) -> Iterator[Finding]:
    for text in NONSENSE:
        for finish in (Finish.STOP, Finish.REFUSAL):
            asking = subject.comparison(
                one.item, one.transcript, other.transcript, says(text, finish)
            )
            score: PairScore = subject.run(asking)
            if score.margins:
                message = f"reads the verdict {text!r:.40} as {dict(score.margins)}"
                yield subject.finding("compare", message, one.item)
                return


def _compared_silence(subject: Subject) -> Iterator[Finding]:
    """That a transcript of nothing would be compared."""
    silent = subject.trace(subject.items[0], subject.saying(""), grades=False)
    if subject.plugin.is_comparable(silent.item, silent.transcript):
        message = "takes a transcript for comparable in which the model said nothing"
        yield subject.finding("is_comparable", message, silent.item, todo="look at its replies")


@check("K20", "let an unreadable verdict be unscored, so that a panel goes on without it")
def panels_bear_a_babbler(subject: Subject) -> Iterator[Finding]:
    """A panel of three, one of which babbles, gives the score of the other two."""
    demo = subject.demo()
    for item in subject.items:
        first = subject.trace(item, demo)
        if not first.judged or first.score is None or first.score.reason is not None:
            continue
        babbling = subject.trace(item, demo._replace(judge=says("Well, well! " * 40)))
        verdicts = [s.score for s in (first, subject.trace(item, demo), babbling) if s.score]
        score = subject.panel_score(verdicts)
        if score is None or score.reason is not None or score.detail["verdicts"] != 2:
            message = f"gives a panel with a judge that babbles {score and score.detail}, not 2"
            yield subject.finding("grade", message, item)
        elif not _alike(score, first.score):
            message = f"gives a panel {dict(score.values)} where two say {dict(first.score.values)}"
            yield subject.finding("grade", message, item)
        return
    raise NotChecked("no judge grades the demo's replies")


def _alike(one: Score, other: Score) -> bool:
    return all(one.values.get(n) == v for n, v in other.values.items() if v is not None)


@check("K21", "read verdicts as those who published them did")
def reads_published_verdicts(subject: Subject) -> "Iterator[Finding | str]":
    """Published verdicts can be read, nine of ten at least; their mean stands beside.

    The file has an object a line: ``item``, ``verdict`` (what the judge replied), and, where it is
    known, ``published`` (the main value that was made of it).
    """
    if subject.verdicts is None:
        raise NotChecked("no file of published verdicts is named (--verdicts)")
    items = {item.id: item for item in subject.default_pack.items}
    rows, values, published = 0, list[float](), list[float]()
    for _, row in read_jsonl(subject.verdicts):
        item = items.get(str(row.get("item")))
        if item is None:
            yield Finding(f"{subject.verdicts}: no item is called {row.get('item')!r}")
            return
        rows += 1
        speakers = subject.demo()._replace(judge=says(str(row.get("verdict"))))
        trace = subject.trace(item, speakers)
        score = subject.plugin.main_values(subject.default_pack, [trace.sample], subject.options)
        if score[0] is not None:
            values.append(score[0])
            if row.get("published") is not None:
                published.append(float(str(row["published"])))
    if len(values) < 0.9 * rows or not values:
        yield subject.finding("grade", f"reads {len(values)} of {rows} published verdicts")
        return
    published_mean = f", published {fmean(published):.4g}" if published else ""
    yield f"{len(values)} of {rows} read, mean {fmean(values):.4g}{published_mean}"
