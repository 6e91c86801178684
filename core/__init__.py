"""The framework: everything that is not one benchmark's own.

Types, errors, hooks, the engine with its journal, model clients, data packs,
statistics, reports and the command line. It learns of benchmarks only through
hooks, and imports neither `judges` nor `plugins`.
"""

__version__ = "0.1.0"
