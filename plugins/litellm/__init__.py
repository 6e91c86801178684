"""`litellm/PROVIDER/NAME`: every provider without a client of its own, and the prices it lists."""
