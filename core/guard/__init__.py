"""One guard around every call into a plugin.

It names the distribution, the thing and the method, looks at what comes back, keeps
what the plugin prints off standard output, and turns what it raises into a
`PluginError`. Errors of ours (`BenchError`) pass as they are.
"""

from .benchmarks import Guarded as Guarded
from .benchmarks import guard as guard
from .calls import PluginCall as PluginCall
from .calls import at_item as at_item
from .calls import call as call
from .calls import call_async as call_async
from .calls import described as described
from .calls import innermost as innermost
from .calls import no_exit as no_exit
from .clients import GuardedClient as GuardedClient
from .clients import check_ratings as check_ratings
from .clients import make_client as make_client
