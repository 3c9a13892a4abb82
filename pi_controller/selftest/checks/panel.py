"""LMP, HRN and SND: what the panel lights and sounds; the operator says what really happens."""

from pi_controller.hal.names import LampName
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import Picture, listed
from pi_controller.selftest.verdicts import Outcome, Record, not_fitted

LAMPS: tuple[tuple[LampName, Picture], ...] = (
    ("sun", "sun_lamp"),
    ("moon", "moon_lamp"),
    ("pause", "pause_lamp"),
)
NAMES = {"sun": "Sun lamp", "moon": "Moon lamp", "pause": "pause lamp"}
NOTHING = "nothing"
CHIRP_MS = 100
CHIRPS = 2
BETWEEN_S = 0.2
LONGEST_TONE_MS = 3000
TONE_MS = 700


def lmp(hall: HallUnderTest) -> Outcome:
    """Each lamp alone; then all are dark again."""
    record = Record()
    try:
        for lamp, picture in LAMPS:
            _look_at_lamp(record, hall, lamp, picture)
    finally:
        for lamp, _picture in LAMPS:
            hall.probes.lamp(lamp, lit=False)
    return record.outcome("All lamps light up, each in its place.")


def _look_at_lamp(record: Record, hall: HallUnderTest, lamp: LampName, picture: Picture) -> None:
    for other, _picture in LAMPS:
        hall.probes.lamp(other, lit=other == lamp)
    reply = hall.ask(
        f"Is the {NAMES[lamp]} lit, in its own colour, and no other lamp? Otherwise name what is lit.",
        picture=picture,
        names=(NOTHING, *NAMES),
    )
    saw = reply.answer == "saw"
    record.value(NAMES[lamp], "seen" if saw else reply.reason or "not seen", limit="lit alone", ok=saw)
    if not saw:
        _not_alone(record, lamp, [name for name in listed(reply.reason) if name in NAMES])


def _not_alone(record: Record, lamp: str, seen: list[str]) -> None:
    name = NAMES[lamp]
    wrong = [other for other in seen if other != lamp]
    if wrong and lamp not in seen:
        other = NAMES[wrong[0]]
        record.fault(
            f"the wires of {name} and {other}",
            f"The {other} burns instead of the {name}: exchange their wires.",
        )
    elif wrong:
        record.fault(
            f"the driver of the {NAMES[wrong[0]]}",
            f"The {NAMES[wrong[0]]} burns although it was not asked to: swap its transistor.",
        )
    else:
        record.fault(
            f"the {name}, its fuse or its driver",
            f"The {name} stays dark: look at its fuse and plug, then swap the lamp, then its transistor.",
        )


def hrn(hall: HallUnderTest) -> Outcome:
    """Two short tones that somebody hears; the longest tone allowed."""
    if not hall.fitted.buzzer:
        return not_fitted("The buzzer is switched off in the settings.")
    record = Record()
    for _ in range(CHIRPS):
        hall.probes.buzzer(CHIRP_MS)
        hall.pause(BETWEEN_S)
    heard = hall.ask("Did the buzzer sound twice, shortly?", picture="buzzer").answer == "saw"
    record.value("tones", "heard" if heard else "not heard", limit="heard", ok=heard)
    longest = hall.fitted.longest_tone_ms
    short = longest <= LONGEST_TONE_MS
    record.value("longest tone", longest, "ms", limit="3000 at most", ok=short)
    if not heard:
        record.fault(
            "the buzzer or its driver",
            "The buzzer is silent: look at its plug, swap it, then its transistor.",
        )
    if not short:
        record.fault(
            "the setting buzzer.longest_tone_ms",
            f"A tone may last {longest} ms: set buzzer.longest_tone_ms to 3000 or less.",
            severity="warning",
        )
    return record.outcome("The buzzer sounds.")


def snd(hall: HallUnderTest) -> Outcome:
    """A tone from the loudspeakers."""
    if hall.fitted.sound is None:
        return not_fitted("No sound is set up.")
    record = Record()
    played = hall.probes.sound(TONE_MS)
    record.value("played", "yes" if played.played else "no", limit="yes", ok=played.played)
    if not played.played:
        said = played.sentence or "The tone could not be played."
        record.fault(f"the sound device {hall.fitted.sound}", said)
        return record.outcome("")
    heard = hall.ask("Did a tone come from the loudspeakers?", picture="buzzer").answer == "saw"
    record.value("heard", "yes" if heard else "no", limit="yes", ok=heard)
    if not heard:
        record.fault(
            "the loudspeakers or their cable",
            "The tone was played and nobody heard it: look at the volume, the plug and the amplifier.",
        )
    return record.outcome("The loudspeakers sound.")
