"""The exam of judges: replies whose order is known, and controls that must not matter."""
