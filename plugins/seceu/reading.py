"""From a pack's files to its items, and to what a result on them may stand beside."""

from pathlib import Path
from typing import NamedTuple

from eibench import DataError, Item, Options, PackSource

from .asking import Template, items, template
from .norms import Norm
from .official import ITEMS, NORM, PROMPTS, PROMPTS_FILE, WORDED, read_official
from .packs import read_file
from .stories import Contents

MAY = "comparable with table 1 of Wang et al. (2023), models of 2023"
"""How the comparability line of a result begins that may stand beside published ones."""


class Found(NamedTuple):
    """What `Seceu.read_pack` makes a pack of."""

    items: tuple[Item, ...]
    norm: Norm | None
    comparability: str
    warnings: tuple[str, ...]


def read(source: PackSource, options: Options) -> Found:
    """The items of a pack as they are asked with these options.

    Raises:
        DataError: A file is broken, there are no stories in that language, or the file that
            the prompting takes its words from is missing.
    """
    path, contents = read_contents(source, options["lang"])
    prompting, shuffle = options["prompting"], options["shuffle_options"]
    if _lacks_prompts(source) and contents.lang == "en" and prompting in WORDED.values():
        message = f"no such file, and --prompting {prompting} takes its words from it; "
        message += "put it there, take --dataset official, or ask with --prompting direct"
        raise DataError(path.parent / PROMPTS_FILE, message)
    worded = template(path, contents, prompting)
    asked = tuple(items(path, contents, worded.text, prompting, shuffle=shuffle))
    may = _comparability(source, contents, worded, options)
    return Found(asked, contents.norm, may, tuple(_warnings(contents, options)))


def read_contents(source: PackSource, lang: str) -> tuple[Path, Contents]:
    """What a pack's files hold, and the file of its stories.

    Raises:
        DataError: A file is broken, or there are no stories in that language.
    """
    files = dict(source.files)
    if not files:
        message = f"the {source.name} pack has no stories in {lang!r}"
        raise DataError("seceu", f"{message}; bench data fetch seceu gets the official ones")
    if ITEMS in files and files[ITEMS].suffix == ".docx":
        prompts = files.get(PROMPTS) if lang == "en" else None
        return files[ITEMS], read_official(files[ITEMS], files[NORM], prompts, lang)
    path = next(iter(files.values()))
    if path.suffix == ".docx":
        message = "one .docx alone is no pack: its standard scores are in another file"
        raise DataError(path, f"{message}; give the folder that holds them all")
    return path, read_file(path, lang=lang)


def _lacks_prompts(source: PackSource) -> bool:
    """Whether it is a folder of the published form without the file of the prompts."""
    return NORM in source.files and PROMPTS not in source.files


def _comparability(
    source: PackSource, contents: Contents, worded: Template, options: Options
) -> str:
    if _lacks_prompts(source):
        message = f"those are of the official pack, and this folder lacks {PROMPTS_FILE}"
        return f"not comparable with published scores: {message}"
    if source.name != "official":
        return "not comparable with published scores: those are of the official pack"
    if contents.lang != "en":
        return "not comparable with published scores: models were asked in English"
    if options["shuffle_options"]:
        return (
            "not comparable with published scores: those have the options in the order of the pack"
        )
    wording = "the prompt is eibench's wording" if worded.own else "the prompt is upstream's"
    if options["prompting"] == "direct":
        return f"{MAY} ({wording}; the paper used several paraphrases)"
    return f"{MAY} ({wording}; a prompted score there is the best of several, selected)"


def _warnings(contents: Contents, options: Options) -> list[str]:
    if contents.lang == options["lang"]:
        return []
    return [
        f"the stories are in {contents.lang!r}; --lang {options['lang']} does not apply to them"
    ]
