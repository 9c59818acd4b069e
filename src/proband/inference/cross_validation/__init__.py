"""Accuracy over folds and repeats: intervals and tests that know what folds share.

`intervals` are over folds or people and `results` holds them; `comparison`, `five_by_two` and `correlated_bayes` compare
classifiers; `folds` is what they share.
"""
