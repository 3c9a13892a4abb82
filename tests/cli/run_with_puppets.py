"""`run` with puppets instead of core and web: `run_with_puppets.py PUPPET-SCRIPT run …`."""

import sys

from pi_controller.cli.run import run
from pi_controller.cli.usage import Stop

try:
    sys.exit(run("run", sys.argv[3:], program=(sys.executable, sys.argv[1])))
except Stop as stop:
    print(stop, file=sys.stderr)
    sys.exit(stop.status)
