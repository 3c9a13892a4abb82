"""Pages, feed and HTTP commands: a client of core's control socket that may die without hurting the game."""
