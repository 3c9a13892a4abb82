"""Simulated hardware: what the panel shows and what may be done to it, over the control socket; and what goes
over the virtual tables' own socket, which speaks a JSON value a line as well."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from pi_controller.hal.names import ContactName, LampName, WireState
from pi_controller.protocol.errors import Malformed, RequestId
from pi_controller.sentence import Sentence, listed
from pi_controller.vocabulary import Side

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
"""`Do` says what each of them means."""


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
        raise Malformed(Sentence("request.lamp_of_another_deed", actions=listed(NEEDS_LAMP), action=do))
    if lamp is None and do in NEEDS_LAMP:
        raise Malformed(Sentence("request.action_needs_lamp", action=do))
    if (name is None) != (do != "fact"):
        raise Malformed(Sentence("request.form_of_fact"))


VALUES: dict[str, tuple[float, float]] = {
    "hold": (0, 600),
    "loss": (0, 1),
    "echo": (0, 1),
    "supply": (0, 51),
    "temperature": (-128, 127),
    "drift": (-500, 500),
    "noise": (0, 1),
    "dead_lamp": (0, 1),
    "firmware": (0, 99),
    "contact": (0, 100),
    "one_wire": (0, 1),
    "plug": (0, 100),
    "spare": (0, 1),
    "dead_supply": (0, 1),
    "terminator": (0, 1),
}
"""Least and greatest `value` of what needs one, or may have one (`hold`, `dead_lamp`)."""
SIDED = ("press", "release", "hold", "dark", "stuck", "dead_lamp")
"""What needs `side`."""


class DisplayPicture(Struct, kw_only=True):
    """What is on the glass. `bits` has a bit a pixel in rows from the top, the leftmost first; dark when not
    `on`."""

    side: Side
    width: int
    height: int
    on: bool
    contrast: int
    bits: bytes


class LampLevels(Struct, kw_only=True):
    """0 to 255."""

    sun: int
    moon: int
    claim_sun: int
    claim_moon: int


class TablePicture(Struct, kw_only=True):
    """A virtual table as one sees it. `position` counts from 1 at the master's end of the segment; the cable
    is cut between it and the place before when `cut_before`; `loss` is that of the whole segment."""

    uid: str
    segment: str
    position: int
    alive: bool
    displays: list[DisplayPicture]
    lamps: LampLevels
    cut_before: bool
    babbling: bool
    loss: float
    faults: list[VirtualAction] = []
    """What is wrong with the node itself, from "supply" on."""
    supply_v: float = 0.0
    """At its jack, to a tenth of a volt."""
    wires: list[VirtualAction] = []
    """What is wrong with its supply and spare wires, from "contact" on."""


class TablesNews(Struct, kw_only=True):
    """All tables at first, then those that have changed."""

    tables: list[TablePicture]


class Watch(
    Struct, tag_field="ask", tag="watch", forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """From now on TablesNews come, at most ten a second."""

    version: Literal[1]
    id: RequestId


class Do(Struct, tag_field="ask", tag="do", forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Something to do to the table `uid`. press, release and hold need `side`; hold presses for `value`
    seconds (0.8 when it is missing); cut the bus and spare wires of the cable before this table, mend
    whatever is wrong with that cable; halt pulls the plug and revive puts it in again; duplicate gives it the
    address of another table; loss loses that part of the segment's frames in each direction, 0 to 1; echo 1:
    the segment's adapter returns what it is given, 0: it does not.

    Faults of the node itself, until "mended": supply of `value` V, temperature of `value` °C, drift of the
    crystal by `value` ppm, noise that turns `value` of the bits over that it hears and says; dark: the
    display of `side` shows nothing, stuck: its button is held for ever, dead_lamp: its lamp stays dark
    (`value` 1: the lamp of its button); crossed: the places of Sun and Moon are plugged in the other way
    round; firmware: it runs version `value`, such as 1.0, which knows nothing of tests.

    Faults of the supply and spare wires, which a `value` of 0 undoes: contact of `value` Ω more in the cable
    before this table, one_wire 1: one of its two supply wires is broken, spare 1: its spare wire is; plug of
    `value` Ω at this table's own jack; dead_supply 1: the supply of its zone gives nothing. The terminator
    of the segment is there at 1 and missing at 0.
    """

    version: Literal[1]
    id: RequestId
    do: VirtualAction
    uid: str
    side: Side | None = None
    value: Annotated[float, Meta(ge=-1000, le=1000)] | None = None
    """VALUES has the range of each."""


def decode_request(line: bytes) -> Watch | Do:
    """Raises Malformed."""
    try:
        return msgspec.json.decode(line, type=Watch | Do)
    except msgspec.DecodeError as error:
        sentence = Sentence("simulated.no_request", why=str(error))
        raise Malformed(sentence, request_id=_id_of(line)) from error


class _Identified(Struct):
    """Any request, as far as it has an id."""

    id: RequestId | None = None


def _id_of(line: bytes) -> RequestId | None:
    try:
        return msgspec.json.decode(line, type=_Identified).id
    except msgspec.DecodeError:
        return None
