"""The simulated hall: the outer side of the real device classes. Must be requested by name.

panel.py: button, lamps, buzzer. display_bus.py: the display and its wires. machine.py: facts, adapters, disk,
sound, current sensor.
"""
