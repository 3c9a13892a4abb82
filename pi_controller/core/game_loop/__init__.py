"""The game: its one owner, the commands that change it, its journal and its recovery.

loop      the owner: decisions, presses and ticks in, pictures out
commands  the path of a command
pending   what a command carries, and its answer
picture   the published picture
saves     what is on the disk, and who waits for it
opening   line 1 of a game, and arming
recovery  from the journal back to a paused game
"""
