"""Which comparisons to buy next: pure, and the same for the same knowledge."""
