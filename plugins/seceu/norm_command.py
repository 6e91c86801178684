"""`bench norm BENCHMARK HUMANS.csv`: people's answers in, a norm out; of SECEU, a pack with it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

import eibench
from eibench import Benchmark, DataError, JsonDict, Paragraph, Table, UsageError, find_pack, tell
from eibench.emotion_ratings import EmotionRatings

from .benchmark import Seceu
from .norming import Normed, make_norm
from .norms_of_ratings import NormedModel, norm_shown, normed_model, ratings_norm
from .people import People, read_people
from .reading import read_contents
from .stories import Contents, Story

_SHOWN = 5
_ROUGH = 100
"""Below so many people the scale itself is rough: the mean is off by over SD / 10."""


@click.command("norm")
@eibench.benchmark_argument
@click.argument("humans", metavar="HUMANS.csv", type=click.Path(path_type=Path))
@click.option("--dataset", metavar="NAME|PATH", help="The stories that people answered.")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True,
              help="Language of the stories, where the pack has several.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
              help="Where to write the pack (default: none is written).")  # fmt: skip
@click.option("--note", metavar="TEXT", help="Who the people are, for whoever reads a result.")
@click.option("--leave-out", is_flag=True, help="Leave out people whose answers are not whole.")
@click.option("--run", "runs", multiple=True, metavar="RUN",
              shell_complete=eibench.completion("runs"),
              help="Of eqbench-v1 and -v2: a run to put on people's scale.")  # fmt: skip
@eibench.shared_options("runs_dir")
@eibench.json_option
def norm_command(
    benchmark: Benchmark,
    humans: Path,
    dataset: str | None,
    lang: str,
    output: Path | None,
    note: str | None,
    leave_out: bool,
    runs: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Make a norm of people's answers, and a pack that can be run.

    HUMANS.csv has a line per number: person, item, option, points; or a line per item:
    person, item, option_1, option_2, option_3, option_4. In SECEU each item's points sum to 10,
    and the norm is a pack; of eqbench-v1 and eqbench-v2 it is a scale on which the mean of people
    is 100, with the place of each --run among them.
    """
    if note is not None and not (note.strip() and note.isprintable()):
        raise UsageError("--note must be a line of text")
    _refuse_inputs(output, humans, dataset)
    if isinstance(benchmark, EmotionRatings):
        _norm_of_ratings(benchmark, humans, dataset, output, note, runs, runs_dir,
                         leave_out=leave_out, json_output=json_output)  # fmt: skip
        return
    if not isinstance(benchmark, Seceu):
        raise UsageError(f"there is no norm of {benchmark.name}: of seceu, eqbench-v1, eqbench-v2")
    if runs:
        raise UsageError("--run is for eqbench-v1 and eqbench-v2; run the pack of a norm of SECEU")
    contents = _stories(dataset, lang)
    people = read_people(humans, contents.stories, leave_out=leave_out)
    normed = _normed(humans, people)
    items = _items(contents.stories, normed)
    if output is not None:
        name = "".join(c if c.isprintable() else "?" for c in humans.name)
        message = note or f"{normed.people} people of {name}"
        _write(output, _pack(contents, normed, message))
    if json_output:
        eibench.show_json(_document(items, normed, people))
    else:
        eibench.show(_facts(normed, people), _table(items))
    _tell(people, normed, output)


def _norm_of_ratings(
    benchmark: EmotionRatings,
    humans: Path,
    dataset: str | None,
    output: Path | None,
    source: str | None,
    runs: Sequence[str],
    runs_dir: Path,
    *,
    leave_out: bool,
    json_output: bool,
) -> None:
    pack, questions = eibench.people_questions(benchmark, dataset)
    tell(f"questions of the {pack.source.name} pack")
    norm, people = ratings_norm(benchmark, pack, questions, humans, leave_out=leave_out)
    models = list[NormedModel]()
    if runs:
        with eibench.open_runs(runs_dir, *runs) as stored:
            named = eibench.chosen_runs(stored, (benchmark.name, *runs))
            models = [normed_model(norm, pack, run) for run in named]
    document = {"source": source, **norm.as_json(), "left_out": list(people.left_out)}
    document |= {"dataset": {"name": pack.source.name, "sha256": pack.source.sha256}}
    document |= {"models": [model._asdict() for model in models]}
    if output is not None:
        _write(output, document)
    if json_output:
        eibench.show_json(document)
    else:
        eibench.show(*norm_shown(benchmark.name, norm, models))
    _tell_left_out(people, norm.people)


def _refuse_inputs(output: Path | None, *inputs: "Path | str | None") -> None:
    """Refuse to write the pack over what it is made of."""
    for path in (Path(name) for name in inputs if name):
        if output is not None and output.exists() and path.exists() and path.samefile(output):
            raise UsageError(f"-o {output} would overwrite {path}; name another file")


def _stories(dataset: str | None, lang: str) -> Contents:
    options = {option.name: option.default for option in Seceu.options} | {"lang": lang}
    pack = find_pack(Seceu(), dataset, options)
    tell(f"stories of the {pack.name} pack")
    return read_contents(pack, lang)[1]


def _normed(humans: Path, people: People) -> Normed:
    try:
        return make_norm(people.points)
    except ValueError as error:
        raise DataError(humans, str(error)) from None


class _Item(NamedTuple):
    """An item of the norm."""

    id: str
    options: Sequence[str]
    standard: Sequence[float]
    distance: float
    sd: float


def _items(stories: Sequence[Story], normed: Normed) -> list[_Item]:
    rows = zip(stories, normed.standard, normed.template, normed.item_sds, strict=True)
    return [_Item(s.id, s.options, standard, distance, sd) for s, standard, distance, sd in rows]


def _undefined(normed: Normed) -> int:
    """Of how many people the similarity is not defined."""
    return sum(r is None for r in normed.similarities)


def _document(items: Sequence[_Item], normed: Normed, people: People) -> JsonDict:
    """The norm as plain values."""
    similarity = normed.similarity
    return {
        "people": normed.people,
        "left_out": list(people.left_out),
        "mean": normed.spread.mean,
        "sd": normed.spread.sd,
        "range": [min(normed.scores), max(normed.scores)],
        "alpha": normed.alpha,
        "similarity": similarity and {**similarity._asdict(), "undefined": _undefined(normed)},
        "items": {
            item.id: {
                "options": list(item.options),
                "standard_scores": list(item.standard),
                "distance": {"mean": item.distance, "sd": item.sd},
            }
            for item in items
        },
    }


def _pack(contents: Contents, normed: Normed, source: str) -> JsonDict:
    """The pack: the stories with their standard scores, and the norm."""
    norm = normed.as_norm(source)
    similarity = norm.similarity
    items: list[JsonDict] = [
        {"id": s.id, "story": s.text, "options": list(s.options), "reference": list(standard)}
        for s, standard in zip(contents.stories, normed.standard, strict=True)
    ]
    return {
        "lang": contents.lang,
        **({"prompts": dict(contents.prompts)} if contents.prompts else {}),
        "norm": {
            "source": source,
            "people": norm.people,
            "mean": norm.mean,
            "sd": norm.sd,
            "best": norm.best,
            "alpha": normed.alpha,
            "similarity": similarity._asdict() if similarity else None,
            "template": list(norm.template),
            "scores": list(norm.scores),
            "similarities": list(norm.similarities),
        },
        "items": items,
    }


def _write(path: Path, pack: JsonDict) -> None:
    try:
        text = json.dumps(pack, indent=1, ensure_ascii=False, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise DataError(path, f"cannot be written: {error.strerror}") from None


def _facts(normed: Normed, people: People) -> Paragraph:
    low, high = min(normed.scores), max(normed.scores)
    alpha = "–" if normed.alpha is None else f"{normed.alpha:.3f}"
    lines = [
        f"people               {normed.people}, {len(people.left_out)} left out",
        f"SECEU score          M {normed.spread.mean:.3f}  SD {normed.spread.sd:.3f}  "
        f"range {low:.2f} … {high:.2f}",
        f"Cronbach's alpha     {alpha}",
        f"pattern similarity   {_similarity(normed)}",
    ]
    return Paragraph("\n".join(lines))


def _table(items: Sequence[_Item]) -> Table:
    rows = [
        (i.id, "  ".join(f"{value:5.2f}" for value in i.standard), i.distance, i.sd) for i in items
    ]
    return Table("Norm of each item", ("item", "standard scores", "distance M", "SD"), rows)


def _similarity(normed: Normed) -> str:
    if normed.similarity is None:
        return "–"
    mean, sd = normed.similarity.mean, normed.similarity.sd
    message = f"M {mean:.3f}  SD {sd:.3f}, each person to all the others"
    undefined = _undefined(normed)
    return f"{message}; undefined for {undefined}" if undefined else message


def _tell(people: People, normed: Normed, output: Path | None) -> None:
    """What somebody has to know who goes on from here."""
    _tell_left_out(people, normed.people)
    if output is not None:
        tell(f"pack in {output}; next: bench run {Seceu.name} --dataset {output}")


def _tell_left_out(people: People, n: int) -> None:
    for who in people.left_out[:_SHOWN]:
        tell(f"left out: {who}")
    if (more := len(people.left_out) - _SHOWN) > 0:
        tell(f"and {more} more left out")
    if n < _ROUGH:
        message = f"{n} people make a rough norm"
        eibench.warn(f"{message}: the standard error of its mean is SD / √{n}")
