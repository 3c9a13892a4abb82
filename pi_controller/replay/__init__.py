"""An earlier game again, from its journal alone: what the hall saw, at every moment. Pure.

changes      the journal as changes of the game
pictures     pictures at any moment
table_node   a node's displays, by its own firmware
node_claims  what nodes were told of their claims
tables       what the displays showed
"""
