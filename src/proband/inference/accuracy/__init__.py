"""Accuracies under a protocol: folds, repeats and their tests."""
