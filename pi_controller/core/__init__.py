"""The core process: it owns the game and the hardware and has no network.

main.py: arguments, settings, exit status. wiring/: from settings to a running core. server/: what may be
asked over the control socket. hardware_test/: tests under a lease. monitoring.py: health of process and
computer. button.py: the pause button. following.py: games of other halls. tables/: table nodes. sound/:
call-outs and tones. game_loop/: the game's owner. panel/: lamps, buzzer, display. runtime/: timers, threads,
supervision, metrics.
"""
