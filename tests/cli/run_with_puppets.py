"""`run` with puppets instead of core and web: `run_with_puppets.py PROGRAM-AS-JSON-LIST …`."""

import json
import signal
import sys

from pi_controller.cli.run import run
from pi_controller.cli.usage import Stop

# Tests that are run under nohup would hand on that a lost terminal is nothing to end for.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

try:
    sys.exit(run("run", sys.argv[2:], program=json.loads(sys.argv[1])))
except Stop as stop:
    print(stop, file=sys.stderr)
    sys.exit(stop.status)
