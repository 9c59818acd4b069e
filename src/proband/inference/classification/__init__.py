"""Classifiers whose classes are fixed: accuracies for new samples, or new groups of them, and which classifier is better.

`labels` makes classes and guesses of what the user has, `classify` estimates and compares, `results` is what it finds.
"""
