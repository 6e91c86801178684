"""What other programs wrote, imported: read, replayed, held against what would have been asked.

And bundles of our own runs: made, and verified by the same replaying.
"""
