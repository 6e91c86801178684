"""confidant: a talk with a played person, and which of the hidden points that person voiced."""
