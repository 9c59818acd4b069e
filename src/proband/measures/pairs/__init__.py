"""Scores of pairs, counted exactly tile by tile.

`pair_set` says which comparisons count and `counts` counts them; `accumulator`, `tiles` and `products` do the work in bounded
memory; `lists` names single comparisons where they are few, `histogram` shows where scores lie,
`placements` how impostors stand among genuine scores, and `weighted_pairs` and `weighted` are of comparisons that weigh differently.
"""
