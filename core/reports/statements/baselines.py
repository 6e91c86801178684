"""Where a result stands among baselines, and whether it can be told at all."""

from enum import Enum
from math import hypot
from typing import NamedTuple

from ...statistics.few_families import FEWEST_FAMILIES, NO_SPREAD
from ...text import rough
from ...types.result_document import BaselineRow, Interval, MetricRow, ResultDocument
from ..comparability import is_graded


class Side(Enum):
    """On which side of a baseline a result is."""

    BETTER = "better"
    WORSE = "worse"
    UNSURE = "unsure"
    """Its interval holds the baseline."""


class AgainstBaseline(NamedTuple):
    """On which side of a baseline, by name and as ``chance (random 18.0)``, a result is."""

    name: str
    words: str
    side: Side
    higher_is_better: bool

    @property
    def verb(self) -> str:
        """``above``, ``below``, ``not surely above``; ``better than`` where less is better."""
        return _VERBS[self.side, self.higher_is_better]

    @property
    def text(self) -> str:
        """``not surely above chance (random 18.0)``."""
        return f"{self.verb} {self.words}"


_VERBS = {
    (Side.BETTER, True): "above",
    (Side.WORSE, True): "below",
    (Side.UNSURE, True): "not surely above",
    (Side.BETTER, False): "better than",
    (Side.WORSE, False): "worse than",
    (Side.UNSURE, False): "not surely better than",
}


class TooFew(NamedTuple):
    """That a number stands on too few items for any claim; the reason is why it has no interval."""

    asked: int
    of: int
    reason: str

    @property
    def text(self) -> str:
        """``4 of 30 items: too few to tell``."""
        if self.asked >= FEWEST_FAMILIES:
            why = "no claim" if self.reason == NO_SPREAD else "too few to tell"
            return f"{why}: {self.reason}"
        items = f"{self.asked} of {self.of} items" if self.asked < self.of else f"{self.of} items"
        return f"{items}: too few to tell"


def main_metric(document: ResultDocument) -> tuple[str, MetricRow] | None:
    """The first metric of a result with its name; ``None`` where it has none."""
    return next(iter(document["metrics"].items()), None)


def chosen_of(document: ResultDocument, name: str) -> str:
    """Which of several numbers a metric is, as tables call it: ``revised pass``; else empty."""
    chosen = document["metrics"][name].get("chosen", "")
    return document["metric_labels"].get(chosen, [""])[0] or chosen.replace("_", " ")


def too_few(document: ResultDocument) -> TooFew | None:
    """That the main number has no interval for want of items; ``None`` where it has one."""
    metric = main_metric(document)
    if metric is None or metric[1]["value"] is None or metric[1]["ci95"] is not None:
        return None
    reason = document.get("metric_reasons", {}).get(metric[0])
    if reason is None:
        return None
    asked = document["items"]["total"] // document["iterations"]
    return TooFew(asked, document["dataset"]["n_items"], reason)


def against_baselines(document: ResultDocument) -> list[AgainstBaseline]:
    """Where the main number stands among the baselines of its pack.

    Nothing of a result that is not complete or not graded, that has no interval, or where neither
    end of the metric is better.
    """
    main = main_metric(document)
    if main is None or document["status"] != "complete" or not is_graded(document):
        return []
    metric = main[1]
    ends, higher, value = interval_to_claim(metric), metric["higher_is_better"], metric["value"]
    if ends is None or higher is None or value is None:
        return []
    return [
        AgainstBaseline(
            name, baseline_words(name, baseline), _side(value, ends, baseline, higher), higher
        )
        for name, baseline in document["baselines"].items()
    ]


def interval_to_claim(metric: MetricRow) -> Interval | None:
    """What a metric is set against a baseline by.

    `ci95_chosen` where the metric is the best of several numbers, each of which might have been
    chosen by chance; else its 95 % interval. ``None`` where there is neither.
    """
    return metric.get("ci95_chosen") if metric.get("chosen") else metric["ci95"]


def _side(value: float, ends: Interval, baseline: BaselineRow, higher: bool) -> Side:
    """By the interval of the result, or of the difference where the baseline has one too.

    That is d - sqrt((v - l)^2 + (u' - v')^2) and d + sqrt((u - v)^2 + (v' - l')^2) for d = v - v':
    Zou and Donner (2008), Statistics in Medicine 27, 1693-1702, for estimates of independent data.
    """
    than, (low, high) = baseline["value"], ends
    if of_baseline := baseline.get("ci95"):
        least, most = of_baseline
        low = value - hypot(value - low, most - than)
        high = value + hypot(high - value, than - least)
    if not higher:
        low, high, than = -high, -low, -than
    return Side.BETTER if low > than else Side.WORSE if high < than else Side.UNSURE


def baseline_words(name: str, baseline: BaselineRow) -> str:
    """What a baseline is called in a sentence, with its value."""
    value = rough(baseline["value"])
    if name == "random":
        return f"chance (random {value})"
    if name == "best_constant":
        return f"the best constant ({value})"
    if name == "uniform":
        return f"equal answers ({value})"
    ends, n = baseline.get("ci95"), baseline.get("n")
    parts = [value, f"{rough(ends[0])} … {rough(ends[1])}" if ends else "", f"n {n}" if n else ""]
    return f"{baseline['label']} ({', '.join(filter(None, parts))})"


def chance(document: ResultDocument) -> str:
    """Whether the main number is above chance, in words; empty where nothing can be said.

    Where it is, and not surely above the best constant answer, that is said too. With too few
    items the words are that these are too few to tell.
    """
    few = too_few(document)
    if few and document["baselines"] and document["status"] == "complete":
        return few.text
    against = {one.name: one for one in against_baselines(document)}
    if (random := against.get("random")) is None:
        return ""
    constant = against.get("best_constant")
    if constant and random.side is Side.BETTER is not constant.side:
        return f"{random.text} but {constant.text}"
    return random.text


def short_of(document: ResultDocument) -> str:
    """The easiest baseline that a result is not surely better than, as a mark of few words.

    ``below constant``, ``not surely above chance``, ``worse than constant`` where less is better.
    """
    against = {one.name: one for one in against_baselines(document)}
    usual = (("random", "chance"), ("best_constant", "constant"))
    sides = ((against[name], word) for name, word in usual if name in against)
    return next((f"{one.verb} {word}" for one, word in sides if one.side is not Side.BETTER), "")


def not_above(document: ResultDocument) -> list[str] | None:
    """The names of the baselines that a result is not surely better than.

    ``None`` where that is not known: no interval, or a result that is not complete.
    """
    against = against_baselines(document)
    if document["baselines"] and not against:
        return None
    return [one.name for one in against if one.side is not Side.BETTER]
