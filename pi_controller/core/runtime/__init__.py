"""What the other parts of core run on.

timers.py: alarms and coroutines. threads.py: threads for blocking work, supervision, watchdog. health.py:
health by part, metrics.
"""
