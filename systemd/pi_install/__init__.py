"""The installer: a plan of steps that know whether they are already so. Python's standard library only."""
