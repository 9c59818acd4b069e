"""Scores of pairs, counted exactly tile by tile."""
