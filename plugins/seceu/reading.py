"""From a pack's files to its items, and to what a result on them may stand beside."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from eibench import DataError, Item, Options, Pack, PackSource

from .norms import Norm
from .official import ITEMS, NORM, PROMPTS, PROMPTS_FILE, WORDED, read_official
from .packs import read_file
from .stories import N_OPTIONS, AskedStory, Contents, Story
from .wording import WORDING

MAY = "comparable with table 1 of Wang et al. (2023), models of 2023"
"""How the comparability line of a result begins that may stand beside published ones."""


@dataclass(frozen=True, slots=True)
class NormedPack(Pack):
    """A pack with the norm of its stories, if it has one."""

    norm: Norm | None = None


def read(source: PackSource, options: Options) -> NormedPack:
    """A pack with its stories as they are asked with these options.

    Raises:
        DataError: A file is broken, there are no stories in that language, or the file that the
            prompting takes its words from is missing.
    """
    path, contents = read_contents(source, options["lang"])
    prompting, shuffle = options["prompting"], options["shuffle_options"]
    if _lacks_prompts(source) and contents.lang == "en" and prompting in WORDED.values():
        message = f"no such file, and --prompting {prompting} takes its words from it; "
        message += "put it there, take --dataset official, or ask with --prompting direct"
        raise DataError(path.parent / PROMPTS_FILE, message)
    text = template(path, contents, prompting)
    asked = tuple(items(path, contents, text, prompting, shuffle=shuffle))
    may = _comparability(source, contents, options)
    return NormedPack(source, asked, may, tuple(_warnings(contents, options)), contents.norm)


def read_contents(source: PackSource, lang: str) -> tuple[Path, Contents]:
    """What a pack's files hold, and the file of its stories; ``DataError`` as of `read`."""
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


def _comparability(source: PackSource, contents: Contents, options: Options) -> str:
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
    whose = "upstream's" if options["prompting"] in contents.prompts else "eibench's wording"
    if options["prompting"] == "direct":
        return f"{MAY} (the prompt is {whose}; the paper used several paraphrases)"
    return f"{MAY} (the prompt is {whose}; a prompted score there is the best of several, selected)"


def _warnings(contents: Contents, options: Options) -> list[str]:
    if contents.lang == options["lang"]:
        return []
    return [
        f"the stories are in {contents.lang!r}; --lang {options['lang']} does not apply to them"
    ]


_PLACE = re.compile(r"\{(story|options)\}")


def template(path: Path, contents: Contents, prompting: str) -> str:
    """The pack's own wording of a prompting, else eibench's in the pack's language.

    Raises:
        DataError: There is neither.
    """
    if prompting in contents.prompts:
        return contents.prompts[prompting]
    ours = WORDING.get(contents.lang)
    if ours is None:
        message = f"its language is {contents.lang!r}, for which eibench has no prompts"
        raise DataError(path, f'{message}; add "prompts" with {prompting!r} to it')
    return ours[prompting]


def items(
    path: Path, contents: Contents, text: str, prompting: str, *, shuffle: bool
) -> Iterator[Item]:
    """The items of a pack, each with its whole prompt; ``DataError`` for a story without reference.

    With `shuffle` the options stand in an order drawn per item, the same in every run.
    """
    template_of = contents.norm.template if contents.norm else (None,) * len(contents.stories)
    for story, human in zip(contents.stories, template_of, strict=True):
        if story.reference is None:
            message = 'has no "reference"; bench norm seceu makes one of people\'s answers'
            raise DataError(path, message, f'item "{story.id}"')
        order = shuffled(story) if shuffle else tuple(range(N_OPTIONS))
        prompt = _fill(text, story, order)
        asked = AskedStory(
            prompt, story.options, story.reference, order, prompting, human, story.text
        )
        yield Item(story.id, asked)


def shuffled(story: Story) -> tuple[int, ...]:
    """An order of the options, drawn by their names and the story: any of the 24 alike."""

    def draw(index: int) -> bytes:
        drawn = f"{story.text}\n{story.options[index]}".encode()
        return hashlib.sha256(drawn).digest()

    return tuple(sorted(range(len(story.options)), key=draw))


def _fill(text: str, story: Story, order: tuple[int, ...]) -> str:
    """The template filled in one pass, so that a story cannot be a template itself."""
    full_width = any("\u4e00" <= c <= "\u9fff" for c in "".join(story.options))
    shown = [f"({n}) {story.options[i]}" for n, i in enumerate(order, start=1)]
    values: Mapping[str, str] = {
        "story": story.text,
        "options": ("；" if full_width else "; ").join(shown),
    }
    return _PLACE.sub(lambda match: values[match[1]], text)
