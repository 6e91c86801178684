"""For programs that check plugins: samples of a benchmark with whatever is replied, and findings.

`bench plugin check` is made of it. `named_subjects` gives what a name or a path stands for:

    (subject,) = named_subjects("my-bench")
    trace = subject.trace(subject.items[0], subject.saying("I do not know."))
"""

from eibench.core.checking.findings import Finding, NotChecked, PluginFault
from eibench.core.checking.subject import Speakers, Subject, Trace, says, spread
from eibench.core.checking.targets import installed_subjects, named_subjects
from eibench.core.matchmaking.calls import Call

__all__ = [
    "Call",
    "Finding",
    "NotChecked",
    "PluginFault",
    "Speakers",
    "Subject",
    "Trace",
    "installed_subjects",
    "named_subjects",
    "says",
    "spread",
]
