"""Two replies set beside each other in one prompt, for a rubric's comparison."""

import json
from collections.abc import Mapping, Sequence

from eibench import Model

from .asking import REASONING, Outcome
from .grading import Said, messages_of, said_in
from .pairwise import Margins, ask_for_margins, draw_codes, truncate
from .prompts import Template, fill


class Pair:
    """Two replies, cut alike, each under a code that neither text holds.

    Args:
        template: The prompt, with the places ``{one}``, ``{other}``, ``{first}``, ``{second}``,
            ``{criteria}`` and ``{form}``.
        first: What was said by the one that is shown first.
        second: By the other.
        limit: Most characters of each.
    """

    def __init__(self, template: Template, first: Said, second: Said, limit: int | None) -> None:
        plain = [said_in(said, Template("")) for said in (first, second)]
        self.codes = draw_codes("\n".join(plain), *plain)
        named = {"one": self.codes.first, "other": self.codes.second}
        self.template = Template(fill(template.user, named), fill(template.system, named))
        texts = [said_in(said, self.template) for said in (first, second)]
        self.texts = [truncate(t, limit, "characters") if limit else t for t in texts]

    @property
    def lengths(self) -> tuple[int, int]:
        """Characters of both, as the judge sees them."""
        return len(self.texts[0]), len(self.texts[1])

    async def ask(
        self, judge: Model, criteria: Sequence[str], values: Mapping[str, str]
    ) -> Outcome[Margins]:
        """What the judge says of them, by criterion."""
        first, second = self.texts
        texts = {**values, "first": first, "second": second, "form": self._form(criteria)}
        messages = messages_of(self.template, texts)
        shared = len(messages) - 1
        return await ask_for_margins(judge, messages, criteria, self.codes, cache_prefix=shared)

    def _form(self, criteria: Sequence[str]) -> str:
        """The empty form, as the prompt shows it."""
        of_each = (
            f"{self.codes.first} or {self.codes.second}, whoever has more of it, then + to +++++"
        )
        shown = {REASONING: "what sets them apart", **dict.fromkeys(criteria, of_each)}
        return json.dumps(shown, indent=2, ensure_ascii=False)
