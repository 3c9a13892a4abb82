"""The table bus, pure: frames, messages, who is asked when, who is there. Bytes and times in, values out.

frame         bytes on the wire: COBS, header, CRC-32
messages      the messages of protocols 1 to 7 and the layout of their fields
values        what goes in and comes out, as those above the wire see it
broadcast     the state frame, for all nodes
requests      what a master may have to say to one node or ask it
conversation  one request at a time, its answer, and what is wrong with a line
discovery     nodes without an address
register      the nodes of a segment: polls, reports, claims
snapshot      what is remembered of each node, and how well the line does
jobs          measurements beside what goes on, one after the other
firmware_job  new firmware for nodes of a segment
master        the master of one segment: who speaks next
diagnosis     likely faults of cables and tables
"""
