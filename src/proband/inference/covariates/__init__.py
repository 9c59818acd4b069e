"""What makes a probe fail: regression on covariates of probes and mates with people as clusters.

`formula` reads what a model is made of, `values` finds it for every probe, `coding` makes columns of it; `regression` fits, `sandwich` says
how sure that is when people are drawn anew; `standardized` turns coefficients into rates and differences; `fit` checks the model; `study`
is the verb, `results` what it finds. `mates` says how close probes are to their mates, and `difficulty` divides them into good, bad and ugly ones.
"""
