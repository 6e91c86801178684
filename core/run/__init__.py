"""A run from the wish of its user to its result: checks, plan, ownership, work, outcome."""
