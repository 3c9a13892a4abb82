"""The voice and the tones.

phrases    what a picture sounds like, and when. Pure
voice      the sounds of all phrases, and the process that makes them
speaker    from pictures to what is heard
"""
