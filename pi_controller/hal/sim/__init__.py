"""The simulated hall: the outside world's end of the real device classes. Must be asked for by name.

panel        hands on the button, eyes on the lamps
display_bus  the wires to a display, and what it shows
machine      the computer, its facts and its current sensor
"""
