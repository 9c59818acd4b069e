"""Audit splits and data sets for leaks, copies, imbalance and lost samples."""
