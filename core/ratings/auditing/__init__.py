"""Audits of a judge: what its comparisons say of the judge itself. Importing this imports no numpy.

`audit` makes an `audit.JudgeAudit` of `Comparisons`. It stands on `orders` and `terms` (place and
length) and on `asking` (what could not be read), each a module; `conclusions` says in words what
they found, each with a grade of `grades`. All are pure functions; what a file or a journal cannot
tell is an estimate without a value and with the reason. docs/judge-report.md has the definitions.
"""

from typing import TYPE_CHECKING

from ...hooks.on_demand import submodules

if TYPE_CHECKING:
    from . import asking as asking
    from . import audit as audit

__getattr__ = submodules(__name__)
