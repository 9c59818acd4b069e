"""Study files changed in place: comments, order and blank lines stay as their writer left them."""
