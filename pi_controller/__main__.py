"""`python -m pi_controller`: the same as the installed `pi-controller`."""

import sys

from pi_controller.cli.main import main

sys.exit(main())
