"""`pi-controller setup`: a settings file from questions that somebody with a wired controller can answer."""
