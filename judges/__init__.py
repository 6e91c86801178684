"""From transcripts to verdicts and comparisons: judges, their prompts and their readers."""
