"""The voice and the tones: what a picture sounds like, and the player that is told so."""
