"""The package that a participant of a blind test gets, and the key that stays with the organiser."""
