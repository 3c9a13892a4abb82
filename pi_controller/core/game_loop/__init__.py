"""The game's owner and everything between a command and its journal line.

loop.py: decides, commits and shows. commands.py: the path of a command. pending.py: a command and its answer.
picture.py: what everybody sees, and what stands against commands. saves.py: what is on the disk. opening.py:
making and arming games. recovery.py: from the journal back to a game.
"""
