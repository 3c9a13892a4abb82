"""What the operating system provides.

kernel.py: clocks, priorities, service manager. facts.py: supply, heat, disk and so on. logs.py: the log
thread. file_thread.py: files beside an event loop.
"""
