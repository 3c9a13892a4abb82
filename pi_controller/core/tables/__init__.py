"""The table nodes beside the game."""
