"""Runs as others take them: tables of files, the Hugging Face Hub, Every Eval Ever."""
