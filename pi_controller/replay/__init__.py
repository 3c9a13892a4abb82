"""An earlier game again, from its journal alone: what the hall saw, at every moment."""
