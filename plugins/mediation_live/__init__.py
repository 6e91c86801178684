"""mediation-live: two people in a dispute, played by a role, and the model between them."""
