"""MicroPython runs this file when the Pico starts; everything else is compiled, in the folder table_node."""

from table_node.main import run

run()
