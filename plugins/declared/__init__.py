"""Benchmarks declared in TOML: a file, or a folder with ``benchmark.toml``, read as a `Benchmark`.

`keys` declares every key once, `reading` reads a file by it, `templates` and `rows` fill in what
it says of each item, and `benchmark` is the class; what differs by kind is in `choice`, `judged`
and `talk`.
"""
