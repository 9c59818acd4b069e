"""Scores of pairs, counted exactly tile by tile.

`pair_set` defines which comparisons count and `counts` counts them; `accumulator`, `tiles` and `products` do this in bounded
memory; `lists` lists single comparisons if they are few, `histogram` gives the distribution of scores,
`placements` the position of impostors among genuine scores, and `weighted_pairs` and `weighted` handle weighted comparisons.
"""
