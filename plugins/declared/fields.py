"""What templates may name for one row: its columns, options, and texts that depend on either."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eibench import Options

from .reading import Declaration
from .templates import Place, Prompt, Values, shown

MISSING = (None, "")


class Fields(dict[str, str]):
    """The value of each name; of a text of [texts] when it is asked for.

    Args:
        declaration: With its options and texts.
        row: The columns; those that are empty have no value.
        options: Of the run; an option goes before a column of its name.
        where: The row's file and line, for messages.
        **special: What else there is, such as ``form``; they go before all others.
    """

    def __init__(
        self,
        declaration: Declaration,
        row: Values,
        options: Options,
        where: str = "",
        **special: str,
    ) -> None:
        super().__init__({k: shown(v) for k, v in row.items() if v not in MISSING})
        declared = declaration.values["options"]
        self.update({name: shown(value) for name, value in options.items() if name in declared})
        self.update(special)
        self.declaration, self.row, self.where = declaration, row, where

    def __missing__(self, name: str) -> str:
        text = self.declaration.values["texts"].get(name)
        if text is None:
            raise KeyError(name)
        value = self[text["by"]]
        if value not in text["text"]:
            where = ("texts", name, "text")
            raise self.declaration.refuse(where, f"has no text for {text['by']} {value!r}; add it")
        prompt: Prompt = text["text"][value]
        return self.fill(prompt)

    def column(self, name: str) -> str | None:
        """A column of the row, whatever option has its name; ``None`` where it is empty."""
        value = self.row.get(name)
        return None if value in MISSING else shown(value)

    def having(self, **special: str) -> "Fields":
        """The same with further names, which go before all others."""
        more = Fields(self.declaration, {}, {}, self.where)
        more.update(self)
        more.update(special)
        more.row = self.row
        return more

    def fill(self, prompt: Prompt) -> str:
        """A template with these values.

        Raises:
            DataError: The row has no value for one of its fields; the declaration's line is named.
        """
        try:
            return prompt.fill(self)
        except KeyError as error:
            of = self.where or "a row that needs it"
            message = f"{{{error.args[0]}}} has no value in {of}"
            raise self.declaration.refuse(prompt.where, message) from None

    def fits(self, when: Mapping[str, list[str]]) -> bool:
        """Whether each option or column has one of the values that are listed for it."""
        return all(self.get(name) in values for name, values in when.items())


_SPECIAL = {
    "judge": ("reply", "criteria", "form"),
    "compare": ("one", "other", "first", "second", "criteria", "form"),
    "ask": ("form", "iteration"),
    "talk": ("form",),
}


def special_names(values: Values, where: Place) -> set[str]:
    """What templates of a part may name beside columns, options and texts."""
    parts = values["score"].get("parts", ()) if where[0] == "ask" else ()
    return {*_SPECIAL.get(str(where[0]), ()), *(part["name"] for part in parts)}


def names_with_places(value: Any, where: Place = ()) -> Iterator[tuple[str, Place]]:
    """All names that a checked declaration takes from rows, options or texts, and where."""
    if isinstance(value, Prompt):
        yield from ((name, value.where) for name in value.names)
    for key, one in items_in(value):
        within = (*where, key)
        if key in ("when", "where", "tags"):
            columns = [name for of in one.values() for name in of] if key == "tags" else list(one)
            yield from ((name, within) for name in columns)
        if key == "weight" and where == ("data",) and one:
            yield one, within
        if key in ("by", "column", "right", "choices") and where[:1] in (("texts",), ("score",)):
            columns = [one] if isinstance(one, str) else one
            yield from ((name, within) for name in columns if key != "by" or where[0] == "texts")
        if key != "options":
            yield from names_with_places(one, within)


def names_in(value: Any) -> set[str]:
    """All names that the templates and conditions of a part of a checked declaration use."""
    return {name for name, _ in names_with_places(value)}


def items_in(value: Any) -> Iterable[tuple[Any, Any]]:
    """The keys, or numbers, and values of a table or list; none of anything else."""
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
