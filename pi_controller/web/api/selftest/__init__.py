"""Self-tests over HTTP: the one that runs, and the reports of those that ran."""
