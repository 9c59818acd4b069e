"""Stratified samples: replicate variances of estimates, curves and differences (Micheals & Boult)."""
