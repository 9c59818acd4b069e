"""Other images of the same people: virtual experiments, exactly or by trials (Beveridge et al. 2001)."""
