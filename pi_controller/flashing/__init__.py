"""Compiles the firmware of the table nodes and puts it on Picos.

build  compiled sources and what belongs to them
image  all of it as one image for the table bus, and the key that proves it
picos  one Pico behind a serial port; one Pico after the other, and the list of what was flashed
"""
