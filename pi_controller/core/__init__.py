"""The process that owns the game: loop, panel, journal, control server and their supervision."""
