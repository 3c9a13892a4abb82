"""The table nodes beside the game.

tables  from the loop to the bus and back
claims  claims made on nodes and phones
roster  who stands where
state   what all tables show, and their condition for people. Pure
"""
