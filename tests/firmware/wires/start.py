"""Starts the node as on a Pico, until the UART has been asked often enough. Runs under MicroPython."""

from table_node.main import run

try:
    run()
except KeyboardInterrupt:
    print("stopped")
