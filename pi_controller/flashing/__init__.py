"""Compiles the firmware of the table nodes and puts it on Picos."""
