"""Benchmarks: one module for each job, with a check that the answers are equal. ``make bench`` runs them all."""
