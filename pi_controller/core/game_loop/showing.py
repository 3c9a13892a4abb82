"""From a game to the panel and to everybody who watches. What breaks off on the way keeps nothing else from
showing."""

import logging
from collections.abc import Callable
from functools import partial, reduce

from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.tones import Tone, tone_between
from pi_controller.core.panel.view import PanelView, view_of
from pi_controller.core.runtime.timers import Timers
from pi_controller.defects import caught
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

Publish = Callable[[Picture], object]


class Showing:
    """`made_ns` is the CLOCK_BOOTTIME at which lamps and buzzer had the newest picture, `shown_ns` that at
    which its audience had it too. `failed` names what broke off in the newest showing.
    """

    def __init__(self, *, outputs: Outputs, timers: Timers) -> None:
        self.made_ns = 0
        self.shown_ns = 0
        self.failed: list[Sentence] = []
        self.pictured = True
        """Whether the newest change has a picture."""
        self._outputs = outputs
        self._timers = timers
        self._audience: dict[Sentence, tuple[Publish, Publish | None]] = {}
        self._view: PanelView | None = None
        self._picture: Picture | None = None
        self._expected: tuple[Picture, PanelView | None, PanelView] | None = None
        """A picture, the view before it, and its view."""
        self._tone: Tone | None = None

    def show_to(self, name: Sentence, publish: Publish, *, expect: Publish | None = None) -> None:
        """Give it every picture from now on, after those who were named before; `expect` gets one that may
        come next."""
        self._audience[name] = publish, expect

    def expect(self, picture: Picture) -> None:
        """This picture may be the next one: what panel and audience show of it is worked out now."""
        self._expected = picture, self._view, self._view_of(picture)
        for _, expect in self._audience.values():
            if expect is not None:
                expect(picture)

    def show(self, make: Callable[[], Picture], now_ns: int) -> None:
        """Show the picture of `now_ns`."""
        self.failed = []
        self._tone = None
        self.pictured = self.step(Sentence("part.picture"), lambda: self._make(make))
        picture = self._picture
        if self.pictured and picture is not None:
            self.step(Sentence("part.panel_view"), lambda: self._look(picture))
            self.step(Sentence("part.lamps_and_buzzer"), lambda: self._light_up(now_ns))
            self.made_ns = self._timers.boot_ns()
            for name, (publish, _) in self._audience.items():
                self.step(name, partial(publish, picture))
        self.shown_ns = self._timers.boot_ns()
        self.step(Sentence("part.display"), lambda: self._outputs.follow_up(now_ns, self._tone))

    def step(self, name: Sentence, act: Callable[[], object]) -> bool:
        """Do what showing consists of; False, and its name in `failed`, when it breaks off."""
        error = caught(act)
        if error is not None:
            log.error("showing broke off at %s", name.key, exc_info=error)
            self.failed.append(name)
        return error is None

    def trouble(self) -> Sentence:
        """What broke off."""
        parts = reduce(lambda before, one: Sentence("list.and", before=before, next=one), self.failed)
        return Sentence("health.showing_failed", parts=parts)

    def _make(self, make: Callable[[], Picture]) -> None:
        self._picture = make()

    def _look(self, picture: Picture) -> None:
        before, expected = self._view, self._expected
        self._expected = None
        if expected is not None and expected[0] is picture and expected[1] is before:
            self._view = expected[2]
        else:
            self._view = self._view_of(picture)
        self._tone = tone_between(before, self._view)

    def _view_of(self, picture: Picture) -> PanelView:
        return view_of(picture, offset_ns=0, before=self._view, language=self._outputs.language)

    def _light_up(self, now_ns: int) -> None:
        if self._view is not None:
            self._outputs.show_at_once(self._view, now_ns, self._tone)
