"""Studies of many results: how they correlate, how far reruns differ."""
