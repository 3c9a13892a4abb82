"""The panel: button, lamps, buzzer and display.

view        what a picture looks like there. Pure
outputs     how it gets to lamps and buzzer
simulation  the simulated panel over the control socket
"""
