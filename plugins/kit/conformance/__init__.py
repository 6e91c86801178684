"""Whether a plugin does what eibench, and those who read its results, take for granted.

`bench plugin check` prints it; in the tests of a plugin it is one line::

    test_conforms = conformance(MyBench())
"""

from . import declaration as declaration
from . import engines as engines
from . import judging as judging
from . import lock as lock
from . import metrics as metrics
from . import providers as providers
from . import replies as replies
from . import requests as requests
from . import timing as timing
from .checks import CHECKS as CHECKS
from .checks import CheckResult as CheckResult
from .checks import Conformance as Conformance
from .running import conformance as conformance
from .running import results_of as results_of
