"""The simulated hall: the outside world's end of the real device classes. Must be asked for by name."""
