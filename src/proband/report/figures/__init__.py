"""Figures for print, drawn with matplotlib."""
