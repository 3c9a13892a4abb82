"""From settings and options to a running core; the only folder that constructs its parts.

start.py: what every part is made with. devices.py: panel, sound, tables. game.py: journal, game, halls,
phones. hardware_test.py: what tests use. service.py: one core from start to clean end.
"""
