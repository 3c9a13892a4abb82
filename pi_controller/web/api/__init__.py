"""The handlers of `/api`, each with its route.

`game`: picture, feeds, commands, who directs, sound. `games`: exports, sticks, reports and replays of games
that were played, and the page that checks them. `seats`: phones with a seat code, claim sheets that are
being filled in. `tables`: table nodes, roster, pause button, simulation, hardware test. `links`: QR codes,
the way in for phones, links for log-ins. `selftest`: self-tests and their reports. `settings`: settings on
pages. `openapi`: description and figures.
"""
