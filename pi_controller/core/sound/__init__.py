"""Voice and tones: what a picture sounds like.

phrases.py: what is said and when, and what has room. speaker.py: from pictures to the player; mute and
volume. voice.py: which sounds exist, and their rendering. rendering.py: the rendering process.
"""
