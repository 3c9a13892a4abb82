"""What everything else in a core runs on.

timers   calls and coroutines
threads  work that may block, and the supervision of parts
health   what is not in order, and figures
"""
