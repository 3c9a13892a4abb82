"""LMP, HRN and SND: what the panel lights and sounds; the operator says what really happens."""

from pi_controller.hal.names import LampName
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import Picture, listed
from pi_controller.selftest.verdicts import Outcome, Record, not_fitted, said
from pi_controller.sentence import Sentence

LAMPS: tuple[tuple[LampName, Picture], ...] = (
    ("sun", "sun_lamp"),
    ("moon", "moon_lamp"),
    ("pause", "pause_lamp"),
)
NAMES: dict[str, Sentence] = {
    "sun": Sentence("selftest.sun_lamp"),
    "moon": Sentence("selftest.moon_lamp"),
    "pause": Sentence("selftest.pause_lamp"),
}
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
    return record.outcome(Sentence("selftest.all_lamps_light_up_each"))


def _look_at_lamp(record: Record, hall: HallUnderTest, lamp: LampName, picture: Picture) -> None:
    for other, _picture in LAMPS:
        hall.probes.lamp(other, lit=other == lamp)
    reply = hall.ask(
        Sentence("selftest.is_the_lamp_lit", lamp=NAMES[lamp]),
        picture=picture,
        names=(NOTHING, *NAMES),
    )
    saw = reply.answer == "saw"
    record.value(
        NAMES[lamp],
        Sentence("selftest.seen") if saw else reply.reason or Sentence("selftest.not_seen"),
        limit=Sentence("selftest.lit_alone"),
        ok=saw,
    )
    if not saw:
        _not_alone(record, lamp, [name for name in listed(reply.reason) if name in NAMES])


def _not_alone(record: Record, lamp: str, seen: list[str]) -> None:
    name = NAMES[lamp]
    wrong = [other for other in seen if other != lamp]
    if wrong and lamp not in seen:
        other = NAMES[wrong[0]]
        record.fault(
            Sentence("selftest.wires_of", lamp=name, other=other),
            Sentence("selftest.lamp_burns_instead", other=other, lamp=name),
        )
    elif wrong:
        record.fault(
            Sentence("selftest.driver_of", lamp=NAMES[wrong[0]]),
            Sentence("selftest.burns_although_it_was_not_asked", lamp=NAMES[wrong[0]]),
        )
    else:
        record.fault(
            Sentence("selftest.lamp_its_fuse_or_driver", lamp=name),
            Sentence("selftest.lamp_stays_dark", lamp=name),
        )


def hrn(hall: HallUnderTest) -> Outcome:
    """Two short tones that somebody hears; the longest tone allowed."""
    if not hall.fitted.buzzer:
        return not_fitted(Sentence("selftest.buzzer_is_switched_off"))
    record = Record()
    for _ in range(CHIRPS):
        hall.probes.buzzer(CHIRP_MS)
        hall.pause(BETWEEN_S)
    heard = (
        hall.ask(Sentence("selftest.did_the_buzzer_sound_twice_shortly"), picture="buzzer").answer == "saw"
    )
    record.value(
        Sentence("selftest.tones"),
        Sentence("selftest.heard") if heard else Sentence("selftest.not_heard"),
        limit=Sentence("selftest.heard"),
        ok=heard,
    )
    longest = hall.fitted.longest_tone_ms
    short = longest <= LONGEST_TONE_MS
    record.value(
        Sentence("selftest.longest_tone"),
        longest,
        "ms",
        limit=Sentence("selftest.at_most", limit=3000),
        ok=short,
    )
    if not heard:
        record.fault(
            Sentence("selftest.buzzer_or_its_driver"),
            Sentence("selftest.buzzer_is_silent_look"),
        )
    if not short:
        record.fault(
            Sentence("selftest.setting_buzzer_longest_tone_ms"),
            Sentence("selftest.tone_may_last_ms_set_buzzer", longest=longest),
            severity="warning",
        )
    return record.outcome(Sentence("selftest.buzzer_sounds"))


def snd(hall: HallUnderTest) -> Outcome:
    """A tone from the loudspeakers."""
    if hall.fitted.sound is None:
        return not_fitted(Sentence("selftest.no_sound_is_set"))
    record = Record()
    played = hall.probes.sound(TONE_MS)
    record.value(
        Sentence("selftest.played"),
        Sentence("selftest.yes") if played.played else Sentence("selftest.no"),
        limit=Sentence("selftest.yes"),
        ok=played.played,
    )
    if not played.played:
        silent = Sentence("selftest.tone_could_not_be_played")
        device = Sentence("selftest.sound_device", sound=hall.fitted.sound)
        record.fault(device, said(played.sentence, played.sentence_key) or silent)
        return record.outcome(silent)
    heard = hall.ask(Sentence("selftest.did_a_tone_come"), picture="buzzer").answer == "saw"
    record.value(
        Sentence("selftest.heard"),
        Sentence("selftest.yes") if heard else Sentence("selftest.no"),
        limit=Sentence("selftest.yes"),
        ok=heard,
    )
    if not heard:
        record.fault(
            Sentence("selftest.loudspeakers_or_their_cable"),
            Sentence("selftest.tone_was_played_and_nobody_heard"),
        )
    return record.outcome(Sentence("selftest.loudspeakers_sound"))
