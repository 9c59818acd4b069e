"""Are splits fit to estimate an accuracy with?"""
