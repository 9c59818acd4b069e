"""Classifiers run under protocols."""
