"""What makes a probe fail: regression on covariates of probes and mates with people as clusters.

`formula` reads what a model is made of, `values` finds it for every probe, `coding` makes columns of it; `regression` fits, `sandwich` says
how sure that is when people are drawn anew, and `linearized` when units of a survey are; `standardized` turns coefficients into rates and differences; `fit` checks the model; `study`
is the verb for scores and `outcomes` that for a table, `explained` and `trials` what they explain, `results` what they find. `mates` says how close probes are to their mates, and `difficulty` divides them into good, bad and ugly ones.
"""
