"""What other programs wrote, imported: read, replayed, held against what would have been asked."""
