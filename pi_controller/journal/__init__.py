"""The durable memory of each game: append-only lines, recovery after a crash, export and verification."""
