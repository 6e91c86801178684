"""What in a declaration contradicts itself, beyond what each key may hold."""

from collections.abc import Iterable
from typing import Any

from .fields import items_in, names_in
from .reading import Declaration
from .rows import FEWER, MOST_BYTES
from .schema import near
from .templates import Place, Values


def check(declaration: Declaration) -> None:
    """Report all of it; then say what is wrong, if anything is.

    Raises:
        DataError: Something is.
    """
    declaration.raise_wrong()  # what is half there is not looked at further
    for part in (_data, _options, _texts, _ask, _score, _judge, _compare, _talk, _report):
        part(declaration, declaration.values)
    declaration.raise_wrong()


def _known(declaration: Declaration, where: Place, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        declaration.report(where, f"there is no {name!r}{near(name, names)}")


def _data(declaration: Declaration, values: Values) -> None:
    data = values["data"]
    at: Place = ("data",)
    if (data["file"] is None) == (data["files"] is None):
        declaration.report((*at, "file"), "name the rows by one of file and files")
        return
    if data["file"] and "://" in data["file"]:
        declaration.report((*at, "file"), "is an address; that is `url`, with sha256 and size")
    fetched = [name for name in ("url", "sha256", "size") if data[name] is not None]
    if fetched and (len(fetched) < 3 or data["files"]):
        where = "each of files has its own" if data["files"] else "they go together"
        declaration.report((*at, fetched[0]), f"url, sha256 and size: {where}")
    if data["take"] and not data["files"]:
        declaration.report((*at, "take"), "chooses among `files`, and there are none")
    plain: list[tuple[Place, str]] = []
    if data["file"] and not fetched:
        plain = [((*at, "file"), data["file"])]
    files = (data["files"] or {}).items()
    plain += [((*at, "files", name), one) for name, one in files if isinstance(one, str)]
    for keys, path in plain:
        file = None if "://" in path else declaration.file_of(keys, path)
        if file and file.stat().st_size > MOST_BYTES:
            declaration.report(keys, f"{path} has more than {MOST_BYTES:,} bytes; {FEWER}")


def _options(declaration: Declaration, values: Values) -> None:
    parts = ("data", "texts", "ask", "talk", "score", "judge", "compare")
    used = {name for part in parts for name in names_in(values[part])}
    used |= {text["by"] for text in values["texts"].values()}
    for name, option in values["options"].items():
        at, default = ("options", name), option["default"]
        if name not in used:
            declaration.report(at, f"is used nowhere; name it as {{{name}}} or in a `when`")
        if option["choices"] and default not in option["choices"]:
            declaration.report((*at, "default"), f"{default!r} is none of its choices")
        bounds = [option[end] for end in ("min", "max") if option[end] is not None]
        if bounds and (isinstance(default, str | bool) or not _within(default, option)):
            declaration.report((*at, "default"), f"must be a number in its range, not {default!r}")


def _within(number: float, option: Values) -> bool:
    low, high = option["min"], option["max"]
    return (low is None or low <= number) and (high is None or number <= high)


def _texts(declaration: Declaration, values: Values) -> None:
    for name, text in values["texts"].items():
        at = ("texts", name, "text")
        if within := names_in(text) & values["texts"].keys():
            declaration.report(at, f"names the text {min(within)!r}; a text holds no other")
        choices = (values["options"].get(text["by"]) or {}).get("choices") or ()
        for choice in choices:
            if choice not in text["text"]:
                declaration.report(at, f"has no text for {text['by']} {choice!r}; add it")


def _ask(declaration: Declaration, values: Values) -> None:
    for n, ask in enumerate(values["ask"]):
        at = ("ask", n)
        if ask["user"] is None and not values["talk"]:
            declaration.report((*at, "user"), "is missing: what the model is asked")
        if ask["user"] is not None and values["talk"]:
            declaration.report(
                (*at, "user"), "does not go with [talk], whose `opens` is said first"
            )


def _score(declaration: Declaration, values: Values) -> None:
    score, kind, at = values["score"], values["score"]["kind"], ("score",)
    if kind == "choice":
        _parts(declaration, values)
    if kind == "yes-no" and isinstance(score["questions"], list):
        _questions(declaration, values)
    if kind == "rubric":
        if (score["scale"] is None) == (not score["steps"]):
            declaration.report((*at, "scale"), "say by which numbers: one of scale and steps")
        for key in ("lower_is_better", "neutral", "optional", "weights"):
            for name in score[key]:
                _known(declaration, (*at, key), name, score["criteria"])
        if not set(score["criteria"]) - set(score["neutral"]):
            declaration.report((*at, "neutral"), "names every criterion, so that nothing counts")
    for n, state in enumerate(score.get("states", ())):
        where = (*at, "states", n, "state")
        states = values["talk"]["state"] if values["talk"] else {}
        numbers = [name for name, of in states.items() if of != "text"]
        _known(declaration, where, state["state"], numbers)


def _parts(declaration: Declaration, values: Values) -> None:
    _twice(declaration, ("score", "parts"), values["score"]["parts"])
    named = names_in(values["ask"]) | names_in(values["texts"])
    for n, part in enumerate(values["score"]["parts"]):
        columns = part["choices"]
        column = columns[0] if len(columns) == 1 else part["name"]
        if part["name"] == "right":
            declaration.report(("score", "parts", n, "name"), "right is the main value; rename it")
        if column not in named:
            at = ("score", "parts", n, "choices")
            declaration.report(at, f"the model never sees them; put {{{column}}} into [ask]")
    for other in ("judge", "talk", "compare", "demo"):
        if values[other]:
            declaration.report((other,), "does not go with the kind choice; leave it out")


def _questions(declaration: Declaration, values: Values) -> None:
    questions = values["score"]["questions"]
    _twice(declaration, ("score", "questions"), questions)
    names = [question["name"] for question in questions]
    for n, question in enumerate(questions):
        at = ("score", "questions", n)
        if question["needs"] is not None:
            others = [name for name in names if name != question["name"]]
            _known(declaration, (*at, "needs"), question["needs"], others)
        for tag in question["by"]:
            _known(declaration, (*at, "by"), tag, values["data"]["tags"])
    if not any(question["weight"] for question in questions):
        declaration.report(("score", "questions"), "all weigh 0, so that nothing counts")


def _twice(declaration: Declaration, at: Place, tables: list[Any]) -> None:
    names = [table["name"] for table in tables]
    for n, name in enumerate(names):
        if name in names[:n]:
            declaration.report((*at, n, "name"), f"{name!r} stands twice; each has its own name")


def _judge(declaration: Declaration, values: Values) -> None:
    if values["score"]["kind"] == "choice":
        return
    if values["judge"] is None:
        declaration.report(("judge",), f"is missing: a {values['score']['kind']} needs a judge")
        return
    judge = values["judge"]
    if "[REPLY]\n{reply}\n[/REPLY]" not in judge["user"].text:
        declaration.report(
            ("judge", "user"),
            "must show {reply} in a line of its own between the lines [REPLY] and [/REPLY], so "
            "that no reply passes for your words",
        )
    for name in ("criteria", "form"):
        if name not in names_in(judge):
            declaration.report(("judge", "user"), f"lacks {{{name}}}, here or in `system`")
    if judge["system"] and "reply" in judge["system"].names:
        declaration.report(("judge", "system"), "{reply} belongs into `user`")
    if panel := judge["panel"]:
        number = len(panel["judges"]) if isinstance(panel["judges"], list) else panel["judges"]
        if panel["quorum"] > number:
            declaration.report(("judge", "panel", "quorum"), f"is more than its {number} judges")


_SIDES = "[REPLY {%s}]\n{%s}\n[/REPLY {%s}]"


def _compare(declaration: Declaration, values: Values) -> None:
    pair = values["compare"]
    if not pair or values["score"]["kind"] == "choice":
        return
    for code, side_name in (("one", "first"), ("other", "second")):
        side = _SIDES % (code, side_name, code)
        if side not in pair["user"].text:
            opening, reply, ending = side.splitlines()
            declaration.report(
                ("compare", "user"), f"must hold, each in its line, {opening}, {reply} and {ending}"
            )
    for name in ("criteria", "form"):
        if name not in names_in({"system": pair["system"], "user": pair["user"]}):
            declaration.report(("compare", "user"), f"lacks {{{name}}}, here or in `system`")
    if pair["criteria"] is None and values["score"]["kind"] != "rubric":
        declaration.report(("compare", "criteria"), "is missing: only a rubric has its own")
    for n, anchors in enumerate(pair["anchors"] or ()):
        if len(anchors) != 2:
            declaration.report(("compare", "anchors", n), "needs two models with their ratings")


def _talk(declaration: Declaration, values: Values) -> None:
    talk, at = values["talk"], ("talk",)
    if not talk or values["score"]["kind"] == "choice":
        return
    if talk["stop_when"] is not None:
        switches = [name for name, of in talk["state"].items() if of == "bool"]
        _known(declaration, (*at, "stop_when"), talk["stop_when"], switches)
    if talk["says"] in talk["state"]:
        declaration.report((*at, "says"), "is what the model is shown, so it is no part of state")
    if "form" not in talk["persona"].names:
        declaration.report(
            (*at, "persona"), "lacks {form}, the JSON that each turn is answered with"
        )
    for name, of in items_in(talk["state"]):
        if isinstance(of, dict) and not of["from"] < of["to"]:
            declaration.report((*at, "state", name), "`from` must be less than `to`")


def _report(declaration: Declaration, values: Values) -> None:
    report, limit = values["report"], values["data"]["limit_over"]
    tags = [(("report", "by"), tag) for tag in report["by"]]
    tags += [(("report", "macro"), report["macro"])] if report["macro"] else []
    tags += [(("data", "limit_over"), limit)] if limit else []
    for where, tag in tags:
        _known(declaration, where, tag, values["data"]["tags"])
    published = values["published"]
    for n, row in enumerate(published["rows"] if published else ()):
        if len(row) != len(published["columns"]):
            has = f"has {len(row)} cells, and there are {len(published['columns'])} columns"
            declaration.report(("published", "rows", n), has)
    cite = values["benchmark"]["cite"] or ""
    if cite.endswith(".bib"):
        declaration.text_of(("benchmark", "cite"), cite)
    elif cite and not cite.lower().startswith(("arxiv:", "doi:")):
        declaration.report(
            ("benchmark", "cite"), "must be arXiv:ID, doi:ID or the name of a .bib file"
        )
