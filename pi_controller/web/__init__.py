"""The process with the pages, a client of core's control socket.

`main` makes every object, starts and ends the process; `http/` is the way of a request from the
socket to its handler; `live/` is what goes to many sockets at once, and the link to core; `api/` are the
handlers, each with its route; `pages/` is what browsers get.
"""
