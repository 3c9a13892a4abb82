"""Probes of the panel: its outputs forced, its inputs looked at."""

from pi_controller.core.hardware_test.edges import ButtonTap
from pi_controller.core.hardware_test.reply import Reply
from pi_controller.core.hardware_test.watchers import Watchers
from pi_controller.core.hardware_test.work import CURRENT_LIMIT_S, Work
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.view import PanelPicture
from pi_controller.core.runtime.timers import Timers
from pi_controller.hal.roles import CurrentSensor, HardwareError, LocalDisplay, StatusFace
from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    Buzzed,
    BuzzerProbe,
    DisplayProbe,
    Done,
    Drawn,
    EdgesProbe,
    InputsProbe,
    LampProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence, said_by

SHOWN_LIMIT_NS = 3_000_000_000
NO_BUZZER = Sentence("panel.no_buzzer")
NO_DISPLAY = Sentence("panel.no_display")
NOT_SHOWN = Sentence("panel.test_picture_not_taken", seconds=SHOWN_LIMIT_NS // 1_000_000_000)
LOOK_NS = 20_000_000
NS_PER_MS = 1_000_000

PanelProbe = LampProbe | BuzzerProbe | DisplayProbe | InputsProbe | EdgesProbe


class PanelProbes:
    """Called on the loop only. A part that fails gives all outputs back to the game's picture."""

    def __init__(
        self,
        *,
        outputs: Outputs,
        tap: ButtonTap,
        watchers: Watchers,
        timers: Timers,
        current: CurrentSensor | None,
        work: Work,
    ) -> None:
        """`current` None: the panel has no sensor."""
        self._current = current
        self._work = work
        self._outputs = outputs
        self._tap = tap
        self._watchers = watchers
        self._timers = timers
        self._lit: dict[str, bool] = {}
        self._pattern: StatusFace | None = None

    def end(self) -> None:
        """The test is over: the game's picture shows again."""
        self._lit.clear()
        self._pattern = None
        self._outputs.let_go()

    def probe(self, probe: PanelProbe, reply: Reply) -> None:
        match probe:
            case LampProbe():
                self._lamp(probe, reply)
            case BuzzerProbe():
                self._buzz(probe, reply)
            case DisplayProbe():
                self._draw(probe, reply)
            case InputsProbe():
                self._inputs(reply)
            case EdgesProbe():
                reply.result(self._tap.since(probe.since))

    def _lamp(self, probe: LampProbe, reply: Reply) -> None:
        self._lit[probe.lamp] = probe.lit
        self._force()
        self._answer(f"{probe.lamp} lamp", Done(), reply)

    def _buzz(self, probe: BuzzerProbe, reply: Reply) -> None:
        if self._outputs.buzzer is None:
            reply.error(NO_BUZZER)
            return
        self._force()
        ms = self._outputs.buzz(probe.ms)
        if self._failed("buzzer", reply):
            return
        due_ns = self._timers.boot_ns() + ms * NS_PER_MS
        felt: list[float] = []
        if self._current is not None:
            self._feel(self._current, due_ns, felt)

        def answer() -> None:
            self._answer("buzzer", Buzzed(ms=ms, amps=felt[0] if felt else None), reply)

        self._timers.call_at(due_ns, lambda: reply.do(answer))

    def _feel(self, current: CurrentSensor, over_ns: int, felt: list[float]) -> None:
        """The amperes of all outputs go to `felt`, unless they were read when the tone was over already: on a
        busy machine a thread may come late. A sensor that fails says why to who asks it alone."""

        def read() -> float | None:
            power = current.read()
            return power.amps if self._timers.boot_ns() < over_ns else None

        self._work.do(
            Sentence("test.look_at_current"),
            read,
            limit_s=CURRENT_LIMIT_S,
            done=lambda amps: felt.extend([] if amps is None else [amps]),
            failed=lambda _why: None,
        )

    def _draw(self, probe: DisplayProbe, reply: Reply) -> None:
        display = self._outputs.display
        if display is None:
            reply.error(NO_DISPLAY)
            return
        self._pattern = None if probe.pattern == "none" else StatusFace(pattern=probe.pattern)
        face = self._force().face
        _Drawing(self, display, face, reply=reply, timers=self._timers).look()

    def _inputs(self, reply: Reply) -> None:
        try:
            reply.result(self._watchers.inputs())
        except HardwareError as error:
            reply.error(said_by(error))

    def _force(self) -> PanelPicture:
        picture = PanelPicture(
            sun=self._lit.get("sun", False),
            moon=self._lit.get("moon", False),
            pause_lamp=self._lit.get("pause", False),
            face=self._pattern or self._outputs.game_face(),
            next_change_ns=None,
        )
        self._outputs.force(picture)
        return picture

    def _answer(self, part: str, result: Done | Buzzed, reply: Reply) -> None:
        if not self._failed(part, reply):
            reply.result(result)

    def _failed(self, part: str, reply: Reply) -> bool:
        """Whether this lamp or the buzzer has failed; then it is answered so."""
        sentence = self._outputs.failure(part)
        if sentence is None:
            return False
        if reply.valid():
            self.end()
        reply.error(sentence)
        return True


class _Drawing:
    """Waits until the display has taken a face."""

    def __init__(
        self, probes: PanelProbes, display: LocalDisplay, face: StatusFace, *, reply: Reply, timers: Timers
    ) -> None:
        self._probes = probes
        self._display = display
        self._face = face
        self._reply = reply
        self._timers = timers
        self._began_ns = timers.boot_ns()

    def look(self) -> None:
        """Look now and, while nothing is certain yet, again and again."""
        now_ns = self._timers.boot_ns()
        late = now_ns - self._began_ns >= SHOWN_LIMIT_NS
        if self._display.shows(self._face):
            self._reply.result(Drawn(shown_ms=(now_ns - self._began_ns) / NS_PER_MS))
        elif late or self._display.trouble() is not None:
            if self._reply.valid():
                self._probes.end()
            trouble = self._display.trouble() or NOT_SHOWN
            self._reply.result(Drawn(shown_ms=None, sentence=words(trouble), sentence_key=view(trouble)))
        else:
            self._timers.call_at(now_ns + LOOK_NS, lambda: self._reply.do(self.look))
