"""What the simulated panel shows, and what may be done to it and to virtual tables."""

from typing import Literal, get_args

from msgspec import Struct

from pi_controller.hal.names import ContactName, LampName, WireState
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence, both

SimAction = Literal[
    "press",
    "release",
    "tap",
    "bounce",
    "break_wire",
    "mend_wire",
    "display_off",
    "display_on",
    "fact",
    "shutdown_press",
    "shutdown_release",
    "lamp_dead",
    "lamp_mend",
    "lamps_crossed",
    "lamps_mend",
    "buzzer_dead",
    "buzzer_mend",
    "button_worn",
    "button_mend",
    "button_stuck",
    "disk_slow",
    "disk_damaged",
    "journal_damaged",
    "disk_mend",
    "sound_dead",
    "sound_mend",
    "latency_long",
    "latency_mend",
    "port_held",
    "port_free",
]
NEEDS_LAMP: tuple[SimAction, ...] = ("lamp_dead", "lamp_mend")
VirtualAction = Literal[
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
    "contact",
    "one_wire",
    "plug",
    "spare",
    "dead_supply",
    "terminator",
]
VIRTUAL_ACTIONS: tuple[VirtualAction, ...] = get_args(VirtualAction)
"""`protocol.virtual_tables.Do` says what each of them means."""


class GlassPicture(Struct, frozen=True, kw_only=True):
    """The local display. `bits` has a bit a pixel in rows from the top, the leftmost first."""

    width: int
    height: int
    bits: bytes
    on: bool


class ButtonPicture(Struct, frozen=True, kw_only=True):
    """The big button, and the wire to it that is broken."""

    pressed: bool
    wire: WireState


class PanelPicture(Struct, frozen=True, kw_only=True):
    """The simulated panel as one sees it: what burns and sounds, and what stands on the glass."""

    sun: bool
    moon: bool
    pause_lamp: bool
    buzzer: bool
    display: GlassPicture
    button: ButtonPicture


def check_sim(
    do: SimAction, *, contact: ContactName | None, lamp: LampName | None, name: str | None = None
) -> None:
    """Malformed when a field is missing or does not belong to this action."""
    if contact is not None and do != "break_wire":
        raise Malformed(Sentence("request.contact_of_another_deed", action=do))
    if lamp is not None and do not in NEEDS_LAMP:
        raise Malformed(Sentence("request.lamp_of_another_deed", actions=both(NEEDS_LAMP), action=do))
    if lamp is None and do in NEEDS_LAMP:
        raise Malformed(Sentence("request.action_needs_lamp", action=do))
    if (name is None) != (do != "fact"):
        raise Malformed(Sentence("request.form_of_fact"))
