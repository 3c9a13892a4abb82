"""The game: its one owner, the commands that change it, its journal and its recovery.

loop      the owner: decisions, presses and ticks in, pictures out; what of it is on the disk
commands  the path of a command
pending   what a command carries, and its answer
picture   the published picture, and its way to panel and audience
opening   line 1 of a game, and arming
recovery  from the journal back to a paused game
"""
