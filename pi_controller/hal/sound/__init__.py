"""Drivers of sound. The only folder that starts a player.

orders   what player and core tell each other
process  the player's process, kept alive
player   that process: mixes and feeds the card
library  the sounds of all phrases
"""
