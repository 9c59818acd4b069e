"""Other images of the same people: virtual experiments, exactly or by trials (Beveridge et al. 2001).

`virtual_experiments` runs trials and `distributions` holds what they gave; `rivals` and `trials` make and count them, `runs` in blocks. `listing` says what a trial chose. `measured` has
other measures of the same trials. `exact` needs no trial. `estimates` are the verbs over a pool of images.
"""
