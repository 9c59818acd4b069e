"""Compiled inner loops: the only package that imports numba. Each has a plain numpy twin in the tests."""
