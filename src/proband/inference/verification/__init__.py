"""Pairs of samples: error rates, areas and searches with intervals that know people are shared."""
