"""Creative Writing: short pieces by prompt, graded by a judge, in its third and its legacy form."""
