"""A core that follows the game of another hall."""
