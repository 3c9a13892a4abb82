"""Settings and options to a running core: the only folder that constructs its parts."""
