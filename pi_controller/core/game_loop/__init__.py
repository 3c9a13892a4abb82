"""The game: its one owner, the commands that change it, its journal and its recovery."""
