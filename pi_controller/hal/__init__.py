"""Everything wired to the controller, by role.

roles.py: the interfaces and errors. gpio.py: buttons, lamps, buzzer, lines. debouncer.py: presses from edges.
oled/: local display. serial/: table bus. sound/: player and sound files. ina226.py: current sensor. system/:
clocks, facts, log. sim/: the simulated hall.
"""
