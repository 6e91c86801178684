"""Whether a plugin does what eibench, and those who read its results, take for granted.

`bench plugin check` prints it; in the tests of a plugin it is one line::

    test_conforms = conformance(MyBench())
"""

from . import declaration as declaration
from .checks import CHECKS as CHECKS
from .checks import CheckResult as CheckResult
from .checks import Conformance as Conformance
from .running import results_of as results_of
