"""Spiral-Bench (Paech 2025): does a long talk with a trusting seeker spiral into delusion?"""
