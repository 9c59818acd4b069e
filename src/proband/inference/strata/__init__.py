"""Stratified samples: replicate variances of estimates, curves and differences (Micheals & Boult 2001).

`estimates` are of one algorithm and of any weighted statistic, `bands` of whole curves, `pairs` of two algorithms; `study` is
the papers' experiment.
"""
