"""Stratified samples: replicate variances of estimates, curves and differences (Micheals & Boult 2001).

`units` makes strata and the units within them. `intervals` are made by the units that carry a variance. `estimates` are of one algorithm and
of any weighted statistic, `bands` of whole curves, `pairs` of two algorithms, `sensors` of two sets of images of the same people; `kish` says what independence would cost; `study` is the
papers' experiment.
"""
