"""EmotionQueen (Chen et al. 2024): short statements, answered with understanding or without."""
