"""Views of kinds of results that several analyses share."""
