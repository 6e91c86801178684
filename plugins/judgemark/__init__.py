"""Judgemark: the model is a judge of fiction, and grades texts of known writers."""
