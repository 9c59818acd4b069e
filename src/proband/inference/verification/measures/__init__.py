"""Measures of pairs as procedures: a question in, estimates and comparisons out.

`fnmr`, `auc` and `eer` are one measure each, and `pair_questions` is what they share. For all three, `replicated` makes replicates of people,
`pair_strata` those of stratified designs, and `people_alike` lets people weigh the same. The rows of `procedures` name them.

It touches the verbs of `verification`, `people/` and `intervals/`; nothing there touches this room.
"""
