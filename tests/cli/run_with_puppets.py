"""`run` with puppets instead of core and web: `run_with_puppets.py PROGRAM-AS-JSON-LIST …`."""

import json
import signal
import sys

from pi_controller.cli import run
from pi_controller.cli.main import main

# Tests that are run under nohup would hand on that a lost terminal is nothing to end for.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

run.PROGRAM = json.loads(sys.argv[1])
sys.exit(main(["run", *sys.argv[2:]]))
