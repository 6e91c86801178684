"""EQ-Bench 3: role-plays graded by a judge."""
