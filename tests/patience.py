"""How long tests wait for what must come. Only one that fails waits so long: beside twenty busy processes a second becomes
half a minute (`make test-busy`)."""

DEADLINE_S = 60.0
DEADLINE_MS = 1_000 * DEADLINE_S
