"""Outcomes of items, 0, 1 or between, and nothing else: rates and paired comparisons without people or galleries.

`tables` reads them from a table and compares systems, `rates` estimates, `pairs` tests every two under the same signs, `results`
is what they find.
"""
