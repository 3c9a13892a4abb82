"""Stands in for core and web: says what it was started with, then does as the files beside the socket say.

`core` listens at the control socket; with --after-input it waits for the end of its standard input first. STATE/NAME.exit holds exit statuses, one for each start, `-` for none;
with STATE/NAME.deaf it does not listen to signals.
"""

import argparse
import os
import signal
import socket
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--state-dir", type=Path, required=True)
name = sys.argv[1]
state = parser.parse_known_args(sys.argv[2:])[0].state_dir
if "--after-input" in sys.argv:
    sys.stdin.read()

deaf = (state / f"{name}.deaf").exists()
ENDS = (signal.SIGTERM, signal.SIGINT)
# waited for below: a handler would be too late for a signal that comes just before signal.pause()
signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)

exits = state / f"{name}.exit"
statuses = exits.read_text().split() if exits.exists() else ["-"]
status, rest = statuses[0], statuses[1:]
exits.write_text(" ".join(rest or ["-"]))

listener = socket.socket(socket.AF_UNIX)
if name == "core" and status == "-":
    (state / "control.sock").unlink(missing_ok=True)
    listener.bind(str(state / "control.sock"))
    listener.listen()
os.write(
    sys.stdout.fileno(), f"{' '.join([name, *sys.argv[2:]])}\n".encode()
)  # at once: others write there too
if status != "-":
    sys.exit(int(status))
while True:
    signal.sigwait(ENDS)
    if not deaf:
        sys.exit(0)
