"""Ways to reach models: one request type in, one response type out, one kind of error."""
