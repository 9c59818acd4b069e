"""Other galleries: which columns, which people, which sizes (Micheals & Boult 2001; Phillips et al. 2000).

`effect` takes each column of images as the gallery; `variation` deals people to galleries, with its arithmetic in `places` and
its results in `tables`. `feret_study` is FERET's whole study with `feret_results`, of which `versions`, `difficulty`,
`consistency`, `orders`, `participants` and `rejection` are parts.
"""
