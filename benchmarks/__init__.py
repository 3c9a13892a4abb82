"""Benchmarks that need a checkout: they measure the design rather than a machine.

Run them with `python -m benchmarks NAME`; docs/figures.md has the figures. Those that a technician runs on a
Pi are in `pi_controller/bench/`.

- `catalogue`: all of them by name, with their sizes; `__main__`: the program
- `press`: `press.stalled`, `press.many`
- `journal`: `journal.long`
- `hall`: `memory`, `feed.command`, `hall.*`: core and web with few and many listeners
- `connections`: what a connection costs the web process
- `links`: `links.pause`, `links.fan_out`; `bare_subscriber` is the floor of the latter
- `scale`: `links.scale`, a game of many halls
- `beside_hobby`: `hobby`, the product beside the forty lines of `hobby.py`
- `sound`: `sound.start`, `sound.tone`, at the card and the listener of `null_sink`
- `accounts`: memory and wake-ups of a process
"""
