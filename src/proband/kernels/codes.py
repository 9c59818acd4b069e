"""What the kernels' small integers mean."""

OK, DONT_CARE, FAILED = 0, 1, 2
"""A cell: compared; not to be counted either way; the comparison failed."""

RANKED, NO_MATE, NO_SCORE = 0, 1, 2
"""A probe: has a rank; every mate is a don't-care cell; every mate's comparison failed."""

COSINE, INNER, L2, L1, CHI2 = 0, 1, 2, 3, 4
"""How vectors are compared."""
