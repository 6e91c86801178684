"""SECEU: share out ten points among four emotions (Wang, Li, Yin, Wu and Liu 2023)."""
