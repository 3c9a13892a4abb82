"""Benchmarks of the web process: many listeners, through the real core and web processes."""
