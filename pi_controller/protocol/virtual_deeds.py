"""What can be done to a virtual table; `virtual_hall.messages.Do` says what each of them means."""

from typing import Literal, get_args

VirtualDeed = Literal[
    "press",
    "release",
    "hold",
    "cut",
    "mend",
    "reboot",
    "halt",
    "revive",
    "babble",
    "hush",
    "duplicate",
    "loss",
    "echo",
    "supply",
    "temperature",
    "drift",
    "noise",
    "dark",
    "stuck",
    "dead_lamp",
    "crossed",
    "firmware",
    "mended",
]
VIRTUAL_DEEDS: tuple[VirtualDeed, ...] = get_args(VirtualDeed)
