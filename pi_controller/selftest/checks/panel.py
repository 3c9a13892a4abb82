"""LMP, HRN and SND: what the panel lights and sounds, by its currents and by eyes and ears. PSB and BNC: the
big pause button at rest and under a hand, and how long its contacts bounce."""

from typing import Self

from pi_controller.hal.names import LampName
from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    ButtonPress,
    BuzzerProbe,
    Edge,
    EdgesProbe,
    Inputs,
    InputsProbe,
    LampProbe,
    PanelCurrent,
    PanelCurrentProbe,
    SoundProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.selftest.core import DoesNotAnswer
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView, Picture, names_in
from pi_controller.selftest.verdicts import (
    NOT_SEEN,
    SEEN,
    Bar,
    CheckOutcome,
    CheckRecord,
    Limit,
    Plot,
    at_most,
    below,
    said,
    skipped,
)
from pi_controller.sentence import Sentence

# The currents of lamps and buzzer: flowing or not, too much, and other than at the last test.


NAMES: dict[str, Sentence] = {
    "sun": Sentence("selftest.sun_lamp"),
    "moon": Sentence("selftest.moon_lamp"),
    "pause": Sentence("selftest.pause_lamp"),
}
PLUGS: dict[str, str] = {"sun": "J3", "moon": "J4", "pause": "J6"}
FUSES: dict[str, str] = {"sun": "F3", "moon": "F4", "pause": "F6"}
LEAST_V, MOST_V = 21.6, 26.4
"""24 V, 10 % either way."""
MOST_SAG_V = 1.5
SUPPLY = Sentence("selftest.panels_24_v_supply")
REST_A = 0.02
"""With all outputs off nothing else hangs on the panel's 24 V."""
FLOWS_A = 0.005
"""The smallest signal lamp takes more; the sensor tells 0.25 mA."""
SHORT_A = 2.0
"""More than any fuse of an output lets through for long."""
CHANGED = 0.3
"""The sensor and its shunt are good for 2 %, lamps change by some 10 % with heat and supply."""


def judge_rest(record: CheckRecord, rest: PanelCurrent) -> PanelCurrent:
    """Supply and current with all outputs off."""
    tolerance = Limit(Sentence("selftest.21_6_to_26_4"), lambda volts: LEAST_V <= volts <= MOST_V)
    holds = record.figure(Sentence("selftest.panels_supply"), rest.volts, "V", tolerance)
    still, limit = rest.amps <= REST_A, at_most(round(REST_A * 1000)).text
    dark_ma = rest.amps * 1000
    record.value(Sentence("selftest.current_with_all_dark"), dark_ma, "mA", limit=limit, ok=still)
    if not holds:
        record.fault(SUPPLY, Sentence("selftest.panel_has_only_v", volts=rest.volts))
    if not still:
        told = Sentence("selftest.current_flows_with_all_dark", current=dark_ma)
        record.fault(Sentence("selftest.driver_of_the_panel"), told)
    return rest


def is_usual(found: PanelCurrent, rest: PanelCurrent) -> bool:
    return FLOWS_A <= found.amps - rest.amps <= SHORT_A


def judge_lamp(
    record: CheckRecord,
    hall: HallUnderTest,
    lamp: LampName,
    *,
    rest: PanelCurrent,
    found: PanelCurrent,
    fuse_holds: bool | None = None,
    sag_is_told: bool = False,
) -> bool:
    """Whether it takes its current; `fuse_holds`: what else hangs on its fuse has its 24 V. `sag_is_told`: by
    another check of the session."""
    name, amps, sag = NAMES[lamp], found.amps - rest.amps, rest.volts - found.volts
    ok = is_usual(found, rest)
    limit = Sentence("selftest.ma_to_ma", least=round(FLOWS_A * 1000), most=round(SHORT_A * 1000))
    record.value(Sentence("selftest.current_of", lamp=name), amps * 1000, "mA", limit=limit, ok=ok)
    if rest.volts < LEAST_V:
        return False
    if amps < FLOWS_A:
        _no_current(record, lamp, fuse_holds=fuse_holds)
    elif amps > SHORT_A:
        told = Sentence("selftest.too_much_current", lamp=name, current=amps * 1000)
        record.fault(Sentence("selftest.wires_of_the", lamp=name), told)
    elif sag > MOST_SAG_V:
        if not (sag_is_told or record.accuses(SUPPLY)):
            record.fault(SUPPLY, Sentence("selftest.panels_supply_sags", volts=sag, lamp=name))
    else:
        judge_since(record, hall, figure=Sentence("selftest.current_of", lamp=name), part=name, amps=amps)
    return ok


def _no_current(record: CheckRecord, lamp: LampName, *, fuse_holds: bool | None) -> None:
    name, plug, fuse = NAMES[lamp], PLUGS[lamp], FUSES[lamp]
    if fuse_holds is None:
        part = Sentence("selftest.fuse_wire_or_lamp_of", lamp=name)
        told = Sentence("selftest.no_current_flows", lamp=name, fuse=fuse, plug=plug)
    elif fuse_holds:
        part = Sentence("selftest.wire_or_lamp_of", lamp=name)
        told = Sentence("selftest.no_current_but_its_fuse_holds", lamp=name, fuse=fuse, plug=plug)
    else:
        part = Sentence("selftest.fuse_of", lamp=name, fuse=fuse)
        told = Sentence("selftest.nothing_behind_the_fuse", lamp=name, fuse=fuse, plug=plug)
    record.fault(part, told)


def judge_since(
    record: CheckRecord, hall: HallUnderTest, *, figure: Sentence, part: Sentence, amps: float
) -> None:
    """A warning where this output takes much more or less than at the last test."""
    before = hall.before(hall.code)
    for value in () if before is None else before.values:
        was = value.value
        if value.name_key == view(figure) and isinstance(was, int | float) and was >= FLOWS_A * 1000:
            now = amps * 1000
            if abs(now / was - 1) > CHANGED:
                told = Sentence("selftest.current_has_changed", part=part, before=was, now=now)
                record.fault(part, told, severity="warning")
            return


# LMP, HRN and SND.


PICTURES: dict[LampName, Picture] = {"sun": "sun_lamp", "moon": "moon_lamp", "pause": "pause_lamp"}
NOTHING = "nothing"
CHIRP_MS = 100
CHIRPS = 2
BETWEEN_S = 0.2
LONGEST_TONE_MS = 3000
TONE_MS = 700
FELT_MS = 300
"""Long enough for two readings of the sensor."""
FELT_TIMES = 5
"""A reading that came after the tone is made again so often."""


async def lmp(hall: HallUnderTest) -> CheckOutcome:
    """Each lamp alone; then all are dark again. With a sensor in the panel its current is judged first, and
    the operator is asked only for what a current does not tell: which lamp burns, in which colour. The pause
    lamp's current is left to PSB, which knows more of its wires."""
    record = CheckRecord()
    try:
        await light_only(hall, None)
        rest = (
            judge_rest(record, await hall.probe(PanelCurrentProbe())) if hall.fitted.panel_current else None
        )
        for lamp, picture in PICTURES.items():
            await light_only(hall, lamp)
            if rest is None or await _flows(record, hall, lamp, rest):
                await _look_at_lamp(record, hall, lamp, picture, flows=rest is not None)
    finally:
        await light_only(hall, None)
    return record.outcome(Sentence("selftest.all_lamps_light_up_each"))


async def light_only(hall: HallUnderTest, lit: LampName | None) -> None:
    for lamp in PICTURES:
        await hall.probe(LampProbe(lamp=lamp, lit=lamp == lit))


async def _flows(record: CheckRecord, hall: HallUnderTest, lamp: LampName, rest: PanelCurrent) -> bool:
    """Whether it makes sense to look at the lamp."""
    found = await hall.probe(PanelCurrentProbe())
    if lamp == "pause" and "PSB" in hall.codes:
        return is_usual(found, rest)
    return judge_lamp(record, hall, lamp, rest=rest, found=found)


async def _look_at_lamp(
    record: CheckRecord, hall: HallUnderTest, lamp: LampName, picture: Picture, *, flows: bool
) -> None:
    text = Sentence("selftest.is_the_lamp_lit", lamp=NAMES[lamp])
    reply = await hall.ask(text, picture=picture, names=(NOTHING, *NAMES))
    saw = reply.answer == "saw"
    seen = SEEN if saw else reply.reason or NOT_SEEN
    if not record.value(NAMES[lamp], seen, limit=Sentence("selftest.lit_alone"), ok=saw):
        _not_alone(record, lamp, [name for name in names_in(reply.reason) if name in NAMES], flows=flows)


def _not_alone(record: CheckRecord, lamp: str, seen: list[str], *, flows: bool) -> None:
    name = NAMES[lamp]
    wrong = [other for other in seen if other != lamp]
    if wrong:
        other = NAMES[wrong[0]]
        if lamp in seen:
            part = Sentence("selftest.driver_of", lamp=other)
            told = Sentence("selftest.burns_although_it_was_not_asked", lamp=other)
        else:
            first, second = sorted((lamp, wrong[0]), key=list(NAMES).index)
            part = Sentence("selftest.wires_of", lamp=NAMES[first], other=NAMES[second])
            told = Sentence("selftest.lamp_burns_instead", other=other, lamp=name)
    elif flows:
        part = Sentence("selftest.the_lamp_itself", lamp=name)
        told = Sentence("selftest.flows_but_dark", lamp=name)
    else:
        part = Sentence("selftest.lamp_its_fuse_or_driver", lamp=name)
        told = Sentence("selftest.lamp_stays_dark", lamp=name)
    if not record.accuses(part):
        record.fault(part, told)


async def hrn(hall: HallUnderTest) -> CheckOutcome:
    """Two short tones that somebody hears; the longest tone allowed."""
    record = CheckRecord()
    for _ in range(CHIRPS):
        await hall.probe(BuzzerProbe(ms=CHIRP_MS))
        await hall.pause(BETWEEN_S)
    if hall.fitted.panel_current:
        await _feel_buzzer(record, hall)
    else:
        heard = await hall.saw(Sentence("selftest.did_the_buzzer_sound_twice_shortly"), "buzzer")
        word, other = Sentence("selftest.heard"), Sentence("selftest.not_heard")
        if not record.fact(Sentence("selftest.tones"), holds=heard, word=word, other=other):
            silent = Sentence("selftest.buzzer_is_silent_look")
            record.fault(Sentence("selftest.buzzer_or_its_driver"), silent)
    longest = hall.fitted.longest_tone_ms
    if not record.figure(Sentence("selftest.longest_tone"), longest, "ms", at_most(LONGEST_TONE_MS)):
        told = Sentence("selftest.tone_may_last_ms_set_buzzer", longest=longest)
        record.fault(Sentence("selftest.setting_buzzer_longest_tone_ms"), told, severity="warning")
    return record.outcome(Sentence("selftest.buzzer_sounds"))


async def _current_of_a_tone(hall: HallUnderTest) -> float:
    """Amperes of all outputs while the buzzer sounds. DoesNotAnswer: none was read in time."""
    for _ in range(FELT_TIMES):
        amps = (await hall.probe(BuzzerProbe(ms=FELT_MS))).amps
        if amps is not None:
            return amps
        await hall.probe(PanelCurrentProbe())  # says why it does not answer
    raise DoesNotAnswer(Sentence("selftest.current_not_read_in_time", times=FELT_TIMES))


async def _feel_buzzer(record: CheckRecord, hall: HallUnderTest) -> None:
    """Nobody need listen: a sounder that sounds takes its current."""
    rest = (await hall.probe(PanelCurrentProbe())).amps
    amps = await _current_of_a_tone(hall) - rest
    ok = FLOWS_A / 2 <= amps <= SHORT_A
    limit = Sentence("selftest.ma_to_ma", least=3, most=round(SHORT_A * 1000))
    figure, wires = Sentence("selftest.current_of_the_buzzer"), Sentence("selftest.buzzer_its_fuse_or_wires")
    record.value(figure, amps * 1000, "mA", limit=limit, ok=ok)
    if ok:
        judge_since(record, hall, figure=figure, part=Sentence("selftest.the_buzzer"), amps=amps)
    elif amps > SHORT_A:
        record.fault(wires, Sentence("selftest.too_much_current_for_the_buzzer"))
    else:
        record.fault(wires, Sentence("selftest.buzzer_takes_no_current"))


async def snd(hall: HallUnderTest) -> CheckOutcome:
    """A tone from the loudspeakers."""
    record = CheckRecord()
    played = await hall.probe(SoundProbe(ms=TONE_MS))
    if not record.fact(Sentence("selftest.played"), holds=played.played):
        silent = Sentence("selftest.tone_could_not_be_played")
        device = Sentence("selftest.sound_device", sound=hall.fitted.sound or "")
        record.fault(device, said(played.sentence, played.sentence_key) or silent)
        return record.outcome(silent)
    heard = await hall.saw(Sentence("selftest.did_a_tone_come"), "buzzer")
    if not record.fact(Sentence("selftest.heard"), holds=heard):
        told = Sentence("selftest.tone_was_played_and_nobody_heard")
        record.fault(Sentence("selftest.loudspeakers_or_their_cable"), told)
    return record.outcome(Sentence("selftest.loudspeakers_sound"))


# PSB and BNC.


class PressCount:
    """The view of so many presses that are waited for, counted from `begun`; a `Live`."""

    def __init__(self, hall: HallUnderTest, wanted: int, *, since: int, from_ns: int) -> None:
        self._hall = hall
        self._wanted = wanted
        self._since = since
        self._from_ns = from_ns
        self.edges: list[Edge] = []
        self.presses: list[ButtonPress] = []

    @classmethod
    async def begun(cls, hall: HallUnderTest, wanted: int) -> Self:
        since = (await hall.probe(EdgesProbe(since=0))).next
        return cls(hall, wanted, since=since, from_ns=(await hall.probe(InputsProbe())).now_ns)

    async def wait(self, seconds: float) -> LiveView:
        await self._hall.pause(seconds)
        return await self.look()

    async def look(self) -> LiveView:
        """What has come up to now."""
        found = await self._hall.probe(EdgesProbe(since=self._since))
        self._since = found.next
        self.edges += found.edges
        self.presses = [press for press in found.presses if press.at_ns >= self._from_ns]
        inputs = await self._hall.probe(InputsProbe())
        done = min(len(self.presses), self._wanted)
        text = Sentence("selftest.presses_of_all", done=done, count=self._wanted)
        return LiveView(
            finished=done == self._wanted and not inputs.no_closed,
            text=words(text),
            text_key=view(text),
            done=done,
            of=self._wanted,
            closed=(inputs.no_closed, inputs.nc_closed),
        )


PRESSES = 10
LONGEST_ILLEGAL_MS = 100
SLOWEST_LAMP_MS = 100.0
SIMULATED_TIMES = 10.0
BUTTON = Sentence("selftest.the_pause_button")


async def psb(hall: HallUnderTest) -> CheckOutcome:
    """The contacts rest as they should and the lamp takes its current; ten presses are ten, without illegal
    states, and the lamp answers."""
    record = CheckRecord()
    rest = await hall.probe(InputsProbe())
    lamp = await _lamp_current(hall) if hall.fitted.panel_current and hall.level != "boot" else None
    dead = lamp is not None and not is_usual(lamp[1], lamp[0]) and lamp[0].volts >= LEAST_V
    hall.measured.button_rests = _rests(record, rest, unpowered=dead)
    if lamp is not None:
        dark, lit = lamp
        holds, told = _fuse_holds(rest), "LMP" in hall.codes
        judge_lamp(record, hall, "pause", rest=dark, found=lit, fuse_holds=holds, sag_is_told=told)
    if hall.measured.button_rests and hall.level != "boot":
        count = await _pressed(hall, PRESSES)
        hall.measured.edges, hall.measured.presses = count.edges, count.presses
        _judge(record, rest, count, slowest_ms=SLOWEST_LAMP_MS * hall.times(SIMULATED_TIMES))
    return record.outcome(Sentence("selftest.button_rests_and_presses"))


async def _lamp_current(hall: HallUnderTest) -> tuple[PanelCurrent, PanelCurrent]:
    """Of the panel with all lamps dark, and with the pause lamp alone."""
    await light_only(hall, None)
    rest = await hall.probe(PanelCurrentProbe())
    await light_only(hall, "pause")
    try:
        return rest, await hall.probe(PanelCurrentProbe())
    finally:
        await light_only(hall, None)


def _fuse_holds(rest: Inputs) -> bool | None:
    """The contacts get their 24 V through the fuse of the pause lamp. With one contact nobody knows."""
    return None if rest.nc_closed is None else rest.nc_closed or rest.no_closed


async def _pressed(hall: HallUnderTest, presses: int) -> PressCount:
    """The operator presses so often."""
    count = await PressCount.begun(hall, presses)
    await hall.ask(
        Sentence("selftest.press_the_pause_button_times_firmly", presses=presses),
        picture="pause_button",
        answers=("done",),
        live=count,
        kind="edges",
    )
    await count.look()
    return count


def _rests(record: CheckRecord, rest: Inputs, *, unpowered: bool) -> bool:
    """`unpowered`: the lamp behind the same fuse takes no current either, which is told of both."""
    at_rest = not rest.no_closed and rest.nc_closed is not False
    levels = Sentence("selftest.contacts", no=_level(rest.no_closed), nc=_level(rest.nc_closed))
    limit = Sentence("selftest.no_open_nc_closed")
    record.value(Sentence("selftest.contacts_at_rest"), levels, limit=limit, ok=at_rest)
    if rest.no_closed and rest.nc_closed:
        record.fault(BUTTON, Sentence("selftest.both_contacts_are_closed_a_wire"))
    elif rest.no_closed:
        record.fault(BUTTON, Sentence("selftest.button_is_pressed_and_nobody_presses"))
    elif not (at_rest or unpowered):
        record.fault(
            Sentence("selftest.wire_of_the_nc_contact"),
            Sentence("selftest.neither_contact_is_closed_the_nc"),
        )
    return at_rest


def _level(closed: bool | None) -> Sentence:  # noqa: FBT001 - a word for it
    if closed is None:
        return Sentence("selftest.not_wired")
    return Sentence("selftest.closed") if closed else Sentence("selftest.open")


def _judge(record: CheckRecord, rest: Inputs, count: PressCount, *, slowest_ms: float) -> None:
    presses = count.presses
    enough = len(presses) >= PRESSES
    record.value(Sentence("selftest.presses"), len(presses), limit=f"{PRESSES}", ok=enough)
    open_ms, closed_ms = contradictions_ms(rest, count.edges)
    if rest.nc_closed is not None:
        both_open = Sentence("selftest.both_contacts_open_longest")
        both_closed = Sentence("selftest.both_contacts_closed_longest")
        record.figure(both_open, open_ms, "ms", at_most(LONGEST_ILLEGAL_MS))
        record.figure(both_closed, closed_ms, "ms", at_most(LONGEST_ILLEGAL_MS))
    answers = [
        (press.acknowledged_ns - press.at_ns) / 1e6 for press in presses if press.acknowledged_ns is not None
    ]
    quick = len(answers) == len(presses) and all(ms < slowest_ms for ms in answers)
    slowest, limit = max(answers, default=None), below(slowest_ms).text
    record.value(Sentence("selftest.press_to_lamp_slowest"), slowest, "ms", limit=limit, ok=quick)
    if open_ms > LONGEST_ILLEGAL_MS and open_ms >= closed_ms:
        told = Sentence("selftest.while_pressed_neither_contact_was_closed", open_ms=open_ms)
        record.fault(Sentence("selftest.wire_of_the_no_contact"), told)
    elif closed_ms > LONGEST_ILLEGAL_MS:
        record.fault(
            BUTTON, Sentence("selftest.while_pressed_both_contacts_were_closed", closed_ms=closed_ms)
        )
    elif not enough:
        told = Sentence("selftest.only_of_presses_were_felt_look", number=len(presses), presses=PRESSES)
        record.fault(BUTTON, told)
    elif not quick:
        record.fault(Sentence("selftest.controller"), Sentence("selftest.pause_lamp_answers_a_press_too"))


def contradictions_ms(rest: Inputs, edges: list[Edge]) -> tuple[float, float]:
    """For how long at most both contacts were open, and both closed; 0 where only one is wired."""
    longest = {True: 0, False: 0}
    if rest.nc_closed is None:
        return 0.0, 0.0
    levels, since = {"no": rest.no_closed, "nc": rest.nc_closed}, None
    for edge in sorted(edges, key=lambda one: one.at_ns):
        if since is not None:
            longest[levels["no"]] = max(longest[levels["no"]], edge.at_ns - since)
        levels[edge.contact] = edge.closed
        since = edge.at_ns if levels["no"] == levels["nc"] else None
    return longest[False] / 1e6, longest[True] / 1e6


BOUNCE_PRESSES = 20
P95_MS, LONGEST_MS = 5, 15
APART_NS = 40_000_000
"""Edges of one contact that are further apart belong to two movements of the hand."""
STEPS_MS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0)


async def bnc(hall: HallUnderTest) -> CheckOutcome:
    """From the first to the last edge of each closing and opening: of the presses before, or of twenty new
    ones."""
    edges = hall.measured.edges
    if not hall.measured.button_rests:
        return skipped(Sentence("selftest.pause_button_does_not_rest"))
    if not edges:
        edges = (await _pressed(hall, BOUNCE_PRESSES)).edges
    trusted = [edge for edge in edges if edge.trusted]
    bounces = sorted(durations_ms(trusted))
    if not bounces:
        return skipped(Sentence("selftest.no_edge_with_a_usable_time"))
    record, untrusted = CheckRecord(), len(edges) - len(trusted)
    p95 = bounces[min(len(bounces) - 1, int(len(bounces) * 0.95))]
    record.value(Sentence("selftest.movements"), len(bounces))
    few_long = record.figure(Sentence("selftest.bounce_95_of_100"), p95, "ms", below(P95_MS))
    none_long = record.figure(Sentence("selftest.bounce_longest"), bounces[-1], "ms", below(LONGEST_MS))
    if untrusted:
        left_out = Sentence("selftest.not_counted")
        record.value(Sentence("selftest.edges_without_a_usable_time"), untrusted, limit=left_out)
    record.plots.append(histogram(bounces))
    if not (few_long and none_long):
        told = Sentence("selftest.contacts_bounce_for_up_to_ms", bounces=bounces[-1])
        record.fault(Sentence("selftest.contacts_of_the_pause_button"), told)
    return record.outcome(Sentence("selftest.contacts_settle_quickly"))


def durations_ms(edges: list[Edge]) -> list[float]:
    """Of each movement of each contact, from its first to its last edge."""
    found: list[float] = []
    for contact in ("no", "nc"):
        began, last = None, 0
        for at in sorted(edge.at_ns for edge in edges if edge.contact == contact):
            if began is None or at - last > APART_NS:
                found += [] if began is None else [(last - began) / 1e6]
                began = at
            last = at
        found += [] if began is None else [(last - began) / 1e6]
    return found


def histogram(bounces: list[float]) -> Plot:
    """How many movements bounced for how long; each bar up to its label, the last one beyond."""
    counts = [0] * (len(STEPS_MS) + 1)
    for ms in bounces:
        counts[sum(ms > step for step in STEPS_MS)] += 1
    labels = [Sentence("selftest.to_so_many", limit=step) for step in STEPS_MS]
    labels.append(Sentence("selftest.over_so_many", limit=STEPS_MS[-1]))
    bars = tuple(
        Bar(label=words(label), label_key=view(label), count=count)
        for label, count in zip(labels, counts, strict=True)
    )
    title = Sentence("selftest.bounce_of_the_pause_button")
    return Plot(title=words(title), title_key=view(title), unit="ms", bars=bars)
