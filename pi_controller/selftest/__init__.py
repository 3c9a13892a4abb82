"""Coded checks of the hall with an operator who looks and presses; a client of core.

- `session.py` runs one self-test from the lease to the report, and does what fixes a finding
- `catalogue.py` is the table of checks; `checks/` what they measure, judge and say, by subject
- `hall.py` is what a check works with, `core.py` how it asks core and this computer
- `operator.py` questions and answers, `verdicts.py` what a check finds
- `report.py` its record, and what has changed since the one before; `printed.py` the same on paper
"""
