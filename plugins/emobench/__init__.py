"""EmoBench (Sabour et al. 2024): what is felt and why, and what to do about it."""
