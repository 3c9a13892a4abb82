"""Everything with a wire on it, by role; a file or folder for each library, and `sim` for all of them.

names      the panel's parts
roles      what the controller asks of its hardware
debouncer  presses from the edges of bouncing contacts
gpio       pins, with gpiozero
evdev      a USB key as the pause button, by the kernel's event devices
ina226     the current of the panel, with smbus2
oled/      the local display, with luma
serial/    the table bus, with pyserial
sound/     players and voices
system/    clocks, facts, files, logs
sim/       the simulated hall: the outside world's end of the real devices
"""
