"""What a participant of a blind test gets, and the key that stays behind."""
