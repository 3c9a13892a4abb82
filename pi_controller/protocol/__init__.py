"""The language of the control socket: one JSON value a line.

`question.py`     a question and its answer, blocking; the command of the game: light, for the command line
`messages.py`     the other requests and answers by type; requests read and checked
`commands.py`     bodies of commands, and which fields of the picture count for each
`picture.py`      what everybody sees
`changes.py`      what differs between two pictures
`tables.py`       the table nodes
`firmware.py`     new firmware for the table nodes
`simulated.py`    the simulated panel and the virtual tables
`probes.py`       tests of the hardware
`game_report.py`  a game's report
`settings.py`     settings that pages may change
`sentences.py`    sentences as JSON
`strict_json.py`  JSON from outside, each mistake one sentence
`server.py`       who listens: many clients, none of which can hold the loop up
`client.py`       who asks, blocking: whatever else the command line asks, tests of the hardware
`async_client.py` who asks, on an asyncio loop
`refusal.py`      why a process did not start, in a file
`schema.py`       all of it as JSON schemas
`options.py`      what the command line hands to the processes
`paths.py`        where state folder and sockets lie; light, for the parent of core and web
`errors.py`       what can go wrong between core and who asks; light as well
"""
