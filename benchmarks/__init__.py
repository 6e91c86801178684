"""Programs that measure what the project promises (README.md); never part of the tests."""
