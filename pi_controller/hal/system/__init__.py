"""What the operating system itself provides.

kernel       clocks, priority, the service manager
facts        what the computer says of itself
file_thread  files beside an event loop
child        programs that are started, watched, started again and ended
logs         the log, written by a thread of its own
"""
