"""For authors of plugins: a package to begin with, checks, and fakes for tests.

What of it tests import is public as `eibench.testing`.
"""
