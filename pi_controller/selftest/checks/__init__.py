"""What the checks measure, judge and say, one chapter a subject; `selftest/catalogue.py` is their table.

- `computer.py` supply, temperature, storage, watchdog, secrets, clocks and mains of the controller
- `panel.py` its lamps, buzzer and sound, and the pause button
- `line.py` ports, frames, answers; `nodes.py` who is on the bus and who comes back there
- `rows.py` supply, spare wire and temperature of the tables; `falls.py` the resistance of their cables
- `walk.py` the claim buttons; `looks.py` lamps and displays of the tables
"""
