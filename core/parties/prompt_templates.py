"""Prompts for models without a chat form: messages put into one text by a template.

As Hugging Face renders chat templates (`transformers.utils.chat_template_utils`): Jinja in a
sandbox, blocks trimmed, with ``raise_exception``, ``strftime_now``, ``tojson`` and loop controls.
``bos_token`` and ``eos_token`` are empty, as servers of `/v1/completions` add the first themselves.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import DataError, ErrorKind, ProviderError
from ..reading.formats import read_text
from ..types import Message, digest

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

RAW, CHATML = "raw", "chatml"
_CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
_STOPS = {CHATML: ("<|im_end|>",)}


class PromptTemplate:
    """How messages become a prompt.

    Args:
        name: ``raw``, ``chatml``, or what a file is called.
        text: The template; ``None`` for ``raw``.
    """

    def __init__(self, name: str, text: str | None) -> None:
        self.name, self.text = name, text

    def __repr__(self) -> str:
        return f"PromptTemplate({self.name!r})"

    @property
    def digest(self) -> str:
        """What tells it from others: ``raw``, or the digest of its text."""
        return RAW if self.text is None else digest(self.text)

    @property
    def stops(self) -> tuple[str, ...]:
        """Where a reply ends that does not end by itself, unless the user says otherwise."""
        return _STOPS.get(self.name, ())

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt; ``raw`` is the messages' own words, with a blank line between them.

        Raises:
            ProviderError: The template does not take these messages; fatal.
        """
        if self.text is None:
            if any(message.role == "assistant" for message in messages):
                raise _unfit("raw has no way to tell who said what; use chatml or a file")
            return "\n\n".join(message.content for message in messages)
        rows = [{"role": m.role, "content": m.content} for m in messages]
        try:
            return str(self._compiled.render(messages=rows, add_generation_prompt=True,
                                             bos_token="", eos_token="", tools=None,
                                             documents=None))  # fmt: skip
        except Exception as error:  # noqa: BLE001 - a program of somebody's, which raises anything
            raise _unfit(f"{self.name}: {str(error) or type(error).__name__}") from None

    @cached_property
    def _compiled(self) -> "Template":
        return _environment().from_string(self.text or "")


def _unfit(message: str) -> ProviderError:
    return ProviderError(ErrorKind.INVALID_REQUEST, f"[run] template {message}", fatal=True)


def _environment() -> "ImmutableSandboxedEnvironment":
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.filters["tojson"] = _as_json
    del environment.filters["random"], environment.globals["lipsum"]  # a prompt is no chance
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment


def _as_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def find_template(named: str) -> PromptTemplate:
    """The template of a name or a file.

    Raises:
        DataError: There is no such file, or it is no template; with the line.
    """
    if named == RAW:
        return PromptTemplate(RAW, None)
    if named == CHATML:
        return PromptTemplate(CHATML, _CHATML)
    path = Path(named)
    if not path.is_file():
        raise DataError(path, f"no such file; [run] template takes {RAW}, {CHATML} or a file")
    text = read_text(path)
    template = PromptTemplate(path.name, text)
    from jinja2 import TemplateSyntaxError

    try:
        _environment().parse(text)
    except TemplateSyntaxError as error:
        raise DataError(path, f"no template: {error.message}", f"line {error.lineno}") from None
    return template
