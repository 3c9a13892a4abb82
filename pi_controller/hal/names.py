"""Names of the panel's parts and options, as in settings and messages."""

from typing import Literal

from pi_controller.vocabulary import RolledPhase, Side

ContactName = Literal["nc", "no"]
WiredContacts = Literal["nc_no", "no"]
"""Both contacts of the pause button, so that a broken wire is noticed, or the NO contact alone."""
WireState = Literal["ok", "nc_broken", "no_broken"]
"""Wires of the simulated pause button."""
LampName = Literal[Side, "pause"]
SymbolName = Literal[LampName, "robber", "ready", "ended", "fault"]
DisplayController = Literal["ssd1306", "ssd1309", "sh1106"]
Rotation = Literal[0, 180]
"""Degrees by which the display is mounted."""
PinLibrary = Literal["lgpio", "rpigpio"]
PinFactoryName = Literal[PinLibrary, "mock"]
CalloutKind = Literal[
    RolledPhase,
    "next_side",
    "robber_possible",
    "last_rounds",
    "pause",
    "count",
    "claim",
    "rejected",
    "winner",
    "end",
]
"""What the voice says."""
ToneKind = Literal["last_ten", "last_three", "go"]
SoundKind = Literal[CalloutKind, ToneKind]
Loudspeaker = Literal["left", "right", "both"]
