"""Benchmarks of this machine: each figure of the project's promise, measured beside its own floor."""
