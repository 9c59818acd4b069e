"""From images to crops of faces."""
