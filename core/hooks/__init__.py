"""What plugins can add, named without importing any: hooks, what is on demand, taken names."""
