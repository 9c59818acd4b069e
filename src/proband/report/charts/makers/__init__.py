"""Results as charts: what is drawn, on which axes, and what is said about it; one file for a family."""
