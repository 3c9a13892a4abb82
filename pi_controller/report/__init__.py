"""What a game was like: figures of its journal, as JSON, as tables, on paper."""
