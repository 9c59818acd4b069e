"""Other galleries: which columns, which people, which sizes (Micheals & Boult 2001; Phillips et al. 2000)."""
