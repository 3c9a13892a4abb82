"""The process that owns the game. A room imports only from those below it.

main            the program
wiring/         settings to a running core
server/         the control socket
hardware_test/  tests under a lease
monitoring      the computer's condition
button          from contacts to presses
following       a hall that follows another one
tables/         the table nodes
sound/          call-outs and tones
game_loop/      the game's one owner
panel/          lamps, buzzer, display
runtime         timers, threads, health
"""
