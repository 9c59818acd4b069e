"""Compiled inner loops, the only package that imports numba. Each has a NumPy reference in the tests."""
