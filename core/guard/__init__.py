"""One guard around every call into a plugin.

It names the distribution, the thing and the method, looks at what comes back, keeps
what the plugin prints off standard output, and turns what it raises into a
`PluginError`. Errors of ours (`BenchError`) pass as they are.
"""

from .benchmarks import Guarded, guard
from .calls import Called, at_item, call, call_async, described, innermost, no_exit
from .clients import GuardedClient, check_ratings, make_client

__all__ = [
    "Called",
    "Guarded",
    "GuardedClient",
    "at_item",
    "call",
    "call_async",
    "check_ratings",
    "described",
    "guard",
    "innermost",
    "make_client",
    "no_exit",
]
