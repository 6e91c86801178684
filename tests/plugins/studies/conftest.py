"""What the tests of studies share with those of the command line and of runs."""

from tests.core.cli.conftest import demo_stages, demos, questions
from tests.core.cli.stored.conftest import court, courthouse
from tests.core.conftest import counting_server, lab

__all__ = ["counting_server", "court", "courthouse", "demo_stages", "demos", "lab", "questions"]
