"""DiploBench (Paech 2025): full-press Diplomacy, in which the model plays Austria."""
