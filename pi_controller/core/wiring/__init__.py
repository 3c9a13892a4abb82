"""Settings and options to a running core: the only folder that constructs its parts.

service  from start to clean end, with the tests of the hardware
devices  what every part is made with; panel, tables and sound
game     the game with its journal and links
"""
