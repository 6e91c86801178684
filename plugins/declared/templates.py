"""Templates: ``{field}`` is filled in one pass, and ``{{`` and ``}}`` are braces.

What a field holds is put in as it is: braces in it name nothing.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

_PART = re.compile(r'\{\{|\}\}|\{([^{}\n":,]*)\}|[{}]')
_BRACES = {"{{": "{", "}}": "}"}
Values: TypeAlias = dict[str, Any]
"""The keys of a table, or the columns of a row, with their values."""
Place: TypeAlias = tuple[str | int, ...]
"""The keys that lead to a value in a declaration, and the numbers of tables in arrays."""


class BrokenTemplate(ValueError):
    """A brace stands for nothing."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template, and where it is declared.

    Attributes:
        text: As it was written.
        where: The keys that lead to it.
        parts: Plain texts, each with the name of the field after it; the last one's is empty.
    """

    text: str
    where: Place
    parts: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, text: str, where: Place) -> "Prompt":
        """A template from its text.

        Raises:
            BrokenTemplate: A brace belongs to no field and is not written twice.
        """
        parts, plain, at = [], "", 0
        for match in _PART.finditer(text):
            plain, at = plain + text[at : match.start()], match.end()
            if match[0] in _BRACES:
                plain += _BRACES[match[0]]
            elif name := (match[1] or "").strip():
                parts.append((plain, name))
                plain = ""
            else:
                near = text[max(0, match.start() - 15) : match.end() + 15]
                raise BrokenTemplate(
                    f"the brace in {near!r} is of no field; write {{{{ or }}}} for a brace"
                )
        return cls(text, where, (*parts, (plain + text[at:], "")))

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that it names, each once."""
        return tuple(dict.fromkeys(name for _, name in self.parts if name))

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with its fields filled; `KeyError` for one that has no value."""
        return "".join(plain + (values[name] if name else "") for plain, name in self.parts)


def shown(value: object) -> str:
    """A field of a row as a template shows it: texts of a list a line each, else JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False)


def plain(value: object) -> object:
    """A checked value with the text of each template, as JSON holds it."""
    if isinstance(value, Prompt):
        return value.text
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value
