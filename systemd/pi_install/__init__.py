"""The installer: a plan of steps, each of which knows whether it is already so. Python's standard library only."""
