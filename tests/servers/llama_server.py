# mypy: ignore-errors
"""llama.cpp's own server, as the wheel `xllamacpp` holds it, until it is ended.

    python llama_server.py MODEL PORT NAME CONTEXT SLOTS

Several slots share one context, as they do by default in `llama-server`.
"""

import signal
import sys

from xllamacpp import CommonParams, Server

path, port, name, context, slots = sys.argv[1:]
asked = CommonParams()
asked.model.path, asked.port, asked.model_alias = path, int(port), {name}
asked.n_ctx, asked.n_parallel, asked.kv_unified = int(context), int(slots), int(slots) > 1
asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = 1
server = Server(asked)
print(server.listening_address, flush=True)
signal.pause()
