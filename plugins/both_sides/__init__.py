"""both-sides: a dispute told by either side, and whether who tells it decides who is right."""
