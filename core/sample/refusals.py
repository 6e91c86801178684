"""What a filter before a model refuses: no error that another attempt could mend.

A refused request to the model, or to who plays a role, leaves the whole sample unscored, also where
earlier turns of its talk were answered: a talk with a hole is not what was asked for. It counts as
the model's refusal. A refused request to a judge is a verdict that could not be read.
"""

from ..benchmark.model import FILTERED, JUDGE_FILTERED, REFUSED, is_generating, role_in
from ..errors import BenchError, ErrorKind, ProviderError
from ..types import PairScore, Score

UNREAD = "unread"
"""The flag of a sample whose judge could not be read, as `eibench.judges` has it too."""


def is_refusal(error: BenchError) -> bool:
    """Whether a filter refused the request."""
    return isinstance(error, ProviderError) and error.kind == ErrorKind.REFUSED


def is_judged_out(error: BenchError) -> bool:
    """Whether a filter refused a request to a judge."""
    phase = error.phase if isinstance(error, ProviderError) else ""
    return is_refusal(error) and bool(phase) and not is_generating(phase)


def refused_score(error: ProviderError) -> Score:
    """The score of a sample of which a filter refused a request: none, and why."""
    if is_judged_out(error):
        reason = f"the judge's reply could not be read: a filter refused the request ({error})"
        return Score.unscored(reason, flags=(UNREAD, JUDGE_FILTERED))
    role = role_in(error.phase)
    asked = f"a request to the role {role}" if role else "the request"
    return Score.unscored(f"{REFUSED}: a filter refused {asked} ({error})", flags=(FILTERED,))


def refused_pair(error: ProviderError) -> PairScore:
    """Likewise of a comparison."""
    return PairScore({}, f"a filter refused the request ({error})", (JUDGE_FILTERED,))
