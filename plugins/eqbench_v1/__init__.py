"""EQ-Bench v1: rate four emotions at the end of a dialogue (Paech 2023)."""
