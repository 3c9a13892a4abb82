"""The table nodes beside the game.

tables  from the loop to the bus and back
claims  claims made on nodes
seats   claims of phones
roster  who stands where
state   what all tables show. Pure
report  their condition, for people. Pure
"""
