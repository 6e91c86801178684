"""Servers of models that eibench starts itself: placed, watched, stopped with all they started."""
