"""The append-only record of each game on the disk.

`record.py`      one line: its fields, its place in the hash chain, the game's events as JSON
`files.py`       what is asked of a file system, and reading what may be damaged
`store.py`       the state folder: its lock, the folders of games, their files, private files
`writer.py`      the thread that writes and syncs lines, and the disk space that is kept back for it
`heartbeat.py`   the game's time every few moments, in a file of its own
`recovery.py`    a game's lines after a fall: which follow from the first, what is damaged
`witnesses.py`   which games there are or were, told by journals, copies, seeds and heartbeats
`seals.py`       the seals of an evening: their numbers and words
`copies.py`      the second copy on another device, and going on from it
`pairing.py`     the key that controllers share, and seeds that it closes
`exports.py`     whole games as files for everybody
`verify_game.py` checks an exported game; given away, so it imports nothing of this package
`verify.py`      the same with its sentences in the controller's languages
`errors.py`      what can be wrong, each with a sentence
"""
