"""What the checks measure, judge and say, one chapter a subject; `selftest/catalogue.py` is their table.

- `computer.py` supply, temperature, storage, watchdog, secrets and clocks of the controller
- `panel.py` its lamps, buzzer and sound; `button.py` the pause button
- `census.py` who is on the bus; `line.py` ports, frames, answers; `rows.py` supply, spare wire, temperature
- `walk.py` the claim buttons; `looks.py` lamps and displays of the tables
- `provoked.py` a node that hangs, a cable pulled, the mains off
"""
