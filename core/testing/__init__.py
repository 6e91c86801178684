"""Fakes for tests: ours, and those of a plugin's author (as `eibench.testing`)."""
