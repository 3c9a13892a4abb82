"""Tests of the hardware over the control socket, while no game runs.

`testing.py` who may test, and the answers to all that may be asked · `parts.py` what each probe does to the
devices, one function each · `news.py` presses and edges during a test, to whoever watches it · `storage.py`
test of the disk, check of the journal, kept reports: they block, and run on threads ·
`firmware.py` new firmware for the tables.
"""
