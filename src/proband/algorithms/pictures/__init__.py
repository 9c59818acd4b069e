"""From pictures to crops of faces."""
