"""`python -m benchmarks [NAME…]`: as `pi-controller bench`, with all benchmarks of a checkout."""

import sys

from benchmarks.catalogue import BENCHES
from pi_controller.cli.bench import measure
from pi_controller.cli.usage import INTERRUPTED, Stop

if __name__ == "__main__":
    try:
        sys.exit(measure("python -m benchmarks", sys.argv[1:], BENCHES))
    except Stop as stop:
        print(stop, file=sys.stderr)
        sys.exit(stop.status)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
