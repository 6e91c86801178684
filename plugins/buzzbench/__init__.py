"""BuzzBench (Paech 2025): jokes about a quiz's guests, explained and rated."""
