"""Measured ratios: one module a job, each with an equality check, all in one run (``make bench``)."""
