"""What a reader of a board may hold against its models, such as the length of their texts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BoardControl:
    """A control of a benchmark's boards: 0 % at first, at 100 % it takes off up to `scale`.

    Of a model whose mean of `value` is above the mean of the board's models its score is lowered
    by the share by which it is above, at most doubled, and raised likewise where it is below.

    Attributes:
        name: As addresses of the page have it.
        value: The value of scores (`Score.values`), never negative, that is set against the mean.
        label: What stands beside the slider.
        scale: What a value of twice the board's mean takes off at 100 %, as a share of the score.
        missing: Why the control is absent, and what to do, where a model has no such value.
    """

    name: str
    value: str
    label: str
    scale: float = 0.1
    missing: str = "not all models have the value that it is of"
