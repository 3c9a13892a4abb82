"""Lamps, buzzer and local display.

view.py: what they show, derived from a picture. outputs.py: drives them; PIN and staff address on the
display, tones. display.py: opens the display. simulation.py: the simulated panel over the control socket.
"""
