"""What people see of exams: the profile of one, and judges beside each other."""

from collections.abc import Mapping, Sequence
from typing import Any

from eibench import Paragraph, Plot, ResultDocument, Series, Table
from eibench.text import interval, number

from .canaries import KINDS, in_one_line
from .situations import DOSES
from .verdict import percent

_EFFECTS = {
    "place": "picks the text that is shown first",
    "longer": "prefers the reply made longer without content",
    "markdown": "prefers the reply in Markdown",
    "names": "grade under other names (points)",
    "author": "grade where it is named as the author (points)",
    "injected": "grade with an injected verdict (points)",
    "misreads": "coarse fault graded as high as none",
}


def section(document: ResultDocument) -> Sequence[Paragraph | Table] | None:
    """The verdict, what the judge tells apart, what moves it that must not, and canaries."""
    exam = document["notes"].get("exam")
    if not exam:
        return None
    verdict = Paragraph(_verdict(document, exam), "Verdict")
    return [verdict, _order(exam), _effects(exam), _canaries(exam)]


def words(exam: Mapping[str, Any]) -> list[str]:
    """The verdict with its reason, further defects, the smallest dose told apart, and canaries."""
    lines = [f"{exam['verdict']}: {exam['reason']}", *exam["defects"][1:]]
    lines += [exam["smallest"]] * (exam["smallest"] not in lines[0])
    return [*lines, in_one_line(exam["canaries"])]


def _verdict(document: ResultDocument, exam: Mapping[str, Any]) -> str:
    profile, lines = exam["profile"], words(exam)
    if profile["repeat_sd"] is not None:
        lines.append(
            f"the same reply graded again: SD {number(profile['repeat_sd'], 1)} points; "
            f"all grades: SD {number(profile['spread'], 1)}"
        )
    across = percent(profile["across"])
    lines.append(f"good above coarse replies of other situations, by grades: {across}")
    lines.append(f"replies that could not be read: {percent(profile['unread'])}")
    if (price := _price(document)) is not None:
        lines.append(f"a verdict costs ${number(price, 4)}")
    if people := exam["people"]:
        rho = people["spearman"]
        ends = interval(rho["ci95"]) if rho["ci95"] else rho["reason"]
        lines.append(
            f"beside people, {people['n']} replies: Spearman {number(rho['value'])} ({ends})"
        )
    return "\n".join(lines)


def _order(exam: Mapping[str, Any]) -> Table:
    profile = exam["profile"]
    rows = [("all", profile["order"]), *profile["doses"].items(), *profile["faults"].items()]
    cells = [(name, percent(s["value"]), _percents(s["ci95"]), s["n"]) for name, s in rows]
    note = "A check: a better and a worse version of one reply; a tie counts one half."
    columns = ("fault or dose", "right", "95 %", "checks")
    return Table("Told apart", columns, cells, note=note, right=(1, 2))


def _percents(ends: Sequence[float] | None) -> str:
    return "–" if ends is None else f"{100 * ends[0]:.0f} – {100 * ends[1]:.0f}"


def _effects(exam: Mapping[str, Any]) -> Table:
    rows = []
    for effect in exam["profile"]["effects"]:
        name = effect["name"]
        if name.startswith("prefers "):
            continue
        points = name in ("names", "author", "injected")
        value = number(effect["value"], 1) if points else percent(effect["value"])
        fair = "0" if points else percent(effect["fair"])
        finding = "DEFECT" if effect["named"] else "–" if effect["p"] is None else "not shown"
        rows.append((_EFFECTS[name], value, fair, effect["n"], finding))
    columns = ("what must not matter", "measured", "fair", "n", "finding")
    note = "A fair judge is accused of anything in 5 % of exams at most."
    return Table("What must not matter", columns, rows, note=note, right=(1, 2))


def _canaries(exam: Mapping[str, Any]) -> Table:
    rows = [
        (KINDS[row["kind"]], row["graded"], row["as_coarse"], row["as_good"],
         row["compared"], row["preferred"])
        for row in exam["canaries"]
    ]  # fmt: skip
    columns = ("reply", "graded", "as high as coarse", "as high as good", "compared", "preferred")
    note = (
        "Beside the reply with a coarse fault and the good reply to the same situation. Of each of "
        "the first three kinds a sound judge takes one in four for an answer at most."
    )
    return Table("Replies that say nothing", columns, rows, note=note, right=(1, 2, 3, 4, 5))


def page(documents: Sequence[ResultDocument]) -> Sequence[Paragraph | Plot | Table] | None:
    """Judges beside each other, the best first, their reasons, and cost against quality."""
    exams = [d for d in documents if "exam" in d["notes"]]
    if not exams:
        return None
    exams.sort(key=lambda document: -(_order_kept(document) or 0))
    rows = [
        (_name(d), exam["benchmark"], percent(_order_kept(d)), _threshold(exam["profile"]),
         number(_price(d), 4), exam["verdict"])
        for d in exams
        for exam in [d["notes"]["exam"]]
    ]  # fmt: skip
    columns = ("judge", "prompts of", "order kept", "smallest dose", "$ a verdict", "verdict")
    note = "smallest dose told apart in three of four checks: 1 small, 2 medium, 3 coarse"
    reasons = "\n".join(f"{_name(d)}: {d['notes']['exam']['reason']}" for d in exams)
    parts: list[Paragraph | Plot | Table] = [
        Table("Judges examined", columns, rows, note=note, right=(2, 3, 4)),
        Paragraph(reasons, "Reasons"),
    ]
    priced = [(_price(d), _order_kept(d), _name(d)) for d in exams]
    points = [(x, 100 * y, name) for x, y, name in priced if x and y is not None]
    if points:
        series = Series("judges", [(x, y) for x, y, _ in points], [name for *_, name in points])
        parts.append(Plot("Cost and quality", [series], "$ a verdict", "order kept (%)"))
    return parts


def _name(document: ResultDocument) -> str:
    return document["name"] or str(document["model"])


def _order_kept(document: ResultDocument) -> float | None:
    share: float | None = document["notes"]["exam"]["profile"]["order"]["value"]
    return share


def _price(document: ResultDocument) -> float | None:
    """Dollars for each answer, where the price is known."""
    cost, exam = document["cost_usd"], document["notes"]["exam"]
    asked = exam["profile"]["asked"] + sum(row["asked"] for row in exam["canaries"])
    return None if cost is None or not asked else cost / asked


def _threshold(profile: Mapping[str, Any]) -> str:
    ends = profile["threshold_ci95"]
    shown = [_dose(profile["threshold"]), *(map(_dose, ends) if ends else ())]
    return shown[0] if not ends else f"{shown[0]} ({shown[1]} … {shown[2]})"


def _dose(value: float | None) -> str:
    return "> 3" if value is None or value > len(DOSES) else number(value, 1)
