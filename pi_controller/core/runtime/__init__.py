"""What keeps a core running and looks after its computer."""
