"""What may keep this machine from running a benchmark."""
