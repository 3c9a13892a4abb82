"""The table bus on serial ports."""
