"""Makers of charts from results: marks, axes and captions; one module per family."""
