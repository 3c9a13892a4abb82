"""The way of a request from the socket to its handler.

`tls`: encrypted connections, and certificates; `own_certificate` makes the controller's own. `connections`:
what is listened on, the protocol of a connection, WebSocket frames. `limits`: who has a place, how much of
everything anybody may take, what is counted of strangers. `addresses`: how they are compared, and which one a
person's device must open. `routes`: what a route says of itself, bodies and answers. `guard`: who asks, from
where, and what stands before every handler. `access`: log-ins, links, PIN and people, as files keep them.
`static_files`: the pages and their words.
"""
