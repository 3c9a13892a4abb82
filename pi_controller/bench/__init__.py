"""Benchmarks of this machine, for who sets one up: each figure of the project's promise beside its own floor.

- `catalogue`: all of them by name, with their sizes; and those of the clock, of a line of the journal and of
  a start
- `press`: an edge at a pin to frozen outputs
- `feed`: a pause over HTTP to many listeners; its floors are the programs of `bare_servers`
- `pace`: events after a quiet of their own, or back to back
- `tables`: the table bus on pseudo-terminals; the nodes at their other end are `scripted_nodes`
- `live_core`: a real core in this process, for a script on another thread
- `figures`: figures, floors, targets and the rows that show them
- `processes`: clock and load of this machine, and the processes of the product

Those that need a checkout are in its folder `benchmarks/`.
"""
