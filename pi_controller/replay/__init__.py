"""An earlier game again, from its journal alone: what the hall saw, at every moment. Pure.

changes   the journal as changes of the game
pictures  pictures at any moment
tables    what nodes were told of their claims, and what the displays showed, by the node's own firmware
"""
