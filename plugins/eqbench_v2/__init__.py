"""EQ-Bench v2: rate four emotions at the end of a dialogue, each on its own scale."""
