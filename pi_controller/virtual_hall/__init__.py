"""Virtual tables: the firmware itself behind a simulated cable, on pseudo-terminals.

main   the process and its socket
hall   all tables on the cables of their segments
table  one table: firmware, plug, watchdog, players
board  its circuit, with tolerances and defects
flash  its files, and which firmware starts
cable  half-duplex bytes in time
"""
