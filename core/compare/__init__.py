"""Models beside each other: opponents, placement, tournaments, pools and boards."""
