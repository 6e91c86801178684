"""A run from the wish of its user to its result: plan, parties, ownership, session."""
