"""Models by benchmarks: each model served while it is asked, each new checkpoint of a folder."""
