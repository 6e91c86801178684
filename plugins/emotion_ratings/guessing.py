"""What can be had on a pack of emotion ratings without reading a scene.

Rules that see the emotion words and their places, and the numbers that fit the pack best; two
more that are shown which feeling is lowest and strongest, or the order of all four. And chance:
how often shuffled references would depend as much on place, length or alphabet of the words.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import Table

from .word_classes import HARD, class_of

Floats = npt.NDArray[np.float64]
ScoreAnswers = Callable[[Floats, Sequence[Sequence[float]]], Iterable[Floats]]
"""From answers, shape (n_answers, n_emotions), and references to their question scores: of each
reference in turn, shape (n_answers,)."""
SHUFFLES = 2000
_NUMBERS = np.arange(11.0)


class ScoredPack(NamedTuple):
    """A pack as a rule sees it: references of shape (n_questions, 4), scores the higher the better.

    `scale` leads from a question's score to that of a run.
    """

    words: Sequence[Sequence[str]]
    references: Floats
    score: ScoreAnswers
    scale: float = 10.0


def all_equal(pack: ScoredPack) -> float:
    """The same number for each feeling: the best of all heights."""
    return _best(pack, np.repeat(_NUMBERS[1:, None], 4, axis=1))


def best_constant(pack: ScoredPack) -> float:
    """The four numbers that serve all questions best."""
    return _best(pack, _every())


def word_class(pack: ScoredPack) -> float:
    """One number for hostile, triumphant and apathetic words, one for all others."""
    pairs = np.array([(a, b) for a in _NUMBERS for b in _NUMBERS if a or b])
    total = np.zeros(len(pairs))
    for words, reference in zip(pack.words, pack.references, strict=True):
        hard = np.array([class_of(word) in HARD for word in words])
        answers = np.where(hard, pairs[:, :1], pairs[:, 1:])
        # Where a question has words of one side only, a zero would be four.
        answers[~answers.any(axis=1)] = 1.0
        total += _scores(pack, answers, reference)
    return float(total.max()) / len(pack.words) * pack.scale


def class_means(pack: ScoredPack) -> float:
    """The mean rating of each word's class in all other questions."""
    classes = np.array([[class_of(word) for word in words] for words in pack.words])
    scores = []
    for index, reference in enumerate(pack.references):
        rest = np.delete(pack.references, index, axis=0), np.delete(classes, index, axis=0)
        answer = [_mean_of(name, *rest) for name in classes[index]]
        scores.append(float(_scores(pack, np.array([answer]), reference)[0]))
    return float(np.mean(scores)) * pack.scale


def zero_and_top(pack: ScoredPack) -> float:
    """Knowing the lowest and the strongest of each question: the best fixed numbers."""
    answers = _every()
    return _best(_sorted(pack), answers[answers[:, 1] == answers[:, 2]])


def order_only(pack: ScoredPack) -> float:
    """Knowing the order of each question's feelings: the best fixed numbers."""
    return _best(_sorted(pack), _every())


RULES = {
    "all equal": all_equal,
    "best constant": best_constant,
    "word class": word_class,
    "class means, leave one out": class_means,
    "shown lowest and strongest": zero_and_top,
    "shown the order": order_only,
}


def chances(pack: ScoredPack) -> dict[str, float]:
    """How probable so strong a dependence is by chance: on place, length and alphabet."""
    rng = np.random.default_rng(0)
    shuffled = np.stack([rng.permuted(pack.references, axis=1) for _ in range(SHUFFLES)])
    every = np.concatenate([pack.references[None], shuffled])
    lengths = np.array([[len(word) for word in words] for words in pack.words], dtype=float)
    ranks = np.array([np.argsort(np.argsort(words)) for words in pack.words], dtype=float)
    by = {
        "place": every.mean(axis=1).var(axis=1),
        "length of the word": _dependence(every, lengths),
        "alphabet": _dependence(every, ranks),
    }
    return {
        name: float((dependence >= dependence[0] - 1e-9).mean()) for name, dependence in by.items()
    }


def report(pack: ScoredPack, title: str, unit: str = "score") -> Table:
    """All rules and chances of a pack as a table."""
    rows: list[tuple[str, str]] = [(n, f"{rule(pack):.1f}") for n, rule in RULES.items()]
    rows += [(f"depends on {name}: p", f"{p:.2f}") for name, p in chances(pack).items()]
    note = "Rules that never read a scene; the two that are shown something bound what is left."
    return Table(f"{title}: what can be had without reading", ("rule", unit), rows, note=note)


def _every() -> Floats:
    """All whole answers from 0 to 10 but four zeros."""
    grid = np.stack(np.meshgrid(*[_NUMBERS] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    return np.asarray(grid[1:])


def _scores(pack: ScoredPack, answers: Floats, reference: Floats) -> Floats:
    return next(iter(pack.score(answers, [reference.tolist()])))


def _best(pack: ScoredPack, answers: Floats) -> float:
    total = sum(pack.score(answers, pack.references.tolist()), np.zeros(len(answers)))
    return float(total.max()) / len(pack.references) * pack.scale


def _sorted(pack: ScoredPack) -> ScoredPack:
    return pack._replace(references=np.sort(pack.references, axis=1))


def _mean_of(name: str, references: Floats, classes: npt.NDArray[np.str_]) -> float:
    of_class = references[classes == name]
    return float(of_class.mean() if len(of_class) else references.mean())


def _dependence(references: Floats, values: Floats) -> Floats:
    """How far each of many sets of references, shape (n, n_questions, 4), follows values."""
    centred = values - values.mean(axis=1, keepdims=True)
    return np.asarray(np.abs((references * centred).sum(axis=(1, 2))))
