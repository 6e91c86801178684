"""Results of other programs as runs."""
