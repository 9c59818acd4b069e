"""Algorithms over several data sets: ranks and signed ranks (Demšar 2006), and random effects.

``signed_ranks``: the exact test of one pair; ``random_effects``: what differences and their errors say of other data sets;
``tables``: accuracies and errors from tables; ``comparison``: all of it for every two algorithms; ``results``: what is found.
"""
