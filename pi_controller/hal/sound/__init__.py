"""Drivers of sound. The only folder that starts a player."""
