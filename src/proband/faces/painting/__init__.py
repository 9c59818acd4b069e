"""Painters of the parts of a face, their light and their camera."""
