"""Sound. The only folder that starts a player.

player.py: the player process: mixer, ALSA, stream. process.py: keeps that process running. orders.py: its
messages, and the tones. library.py: sound files, loudness, espeak-ng.
"""
