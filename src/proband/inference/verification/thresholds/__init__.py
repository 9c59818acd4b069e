"""Thresholds to deploy: the least strict whose false match rate is, with a stated confidence, within a target.

`deployed` is the verb, `results` what it finds, `bound_path` the false match rate and its upper bound at every threshold.

It touches the verbs of `verification`, `people/` and `intervals/`; nothing there touches this room.
"""
