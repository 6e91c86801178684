"""Models and where they are reached: specs, providers, addresses."""
