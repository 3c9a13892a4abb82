"""The live news of a test, to everybody who watches it."""

from pi_controller.core.hardware_test.edges import ButtonTap
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.hal.roles import HardwareError, PauseButton, PushButton
from pi_controller.language.words import words
from pi_controller.protocol.messages import TestLine, encode
from pi_controller.protocol.probes import Inputs, TablePress, TestNews
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

GATHER_NS = 50_000_000
"""A bouncing contact brings dozens of edges; those of so long go out together."""
LOOK_NS = 100_000_000
"""The shutdown button reports no edges; so often it is looked at while anybody watches."""
BEAT_NS = 1_000_000_000
"""So long after the last news the contacts are told again, though nothing has changed: a watcher that hears
nothing knows by it that core is gone."""


class Watchers:
    """Called on the loop only."""

    def __init__(
        self, *, tap: ButtonTap, button: PauseButton, shutdown: PushButton | None, timers: Timers
    ) -> None:
        self._tap = tap
        self._button = button
        self._shutdown = shutdown
        self._shutdown_told: bool | None = None
        self._looks: Alarm | None = None
        self._timers = timers
        self._clients: set[Client] = set()
        self._told = 0
        self._alarm: Alarm | None = None
        self._beat: Alarm | None = None
        tap.tell(self._changed)

    def add(self, client: Client) -> None:
        """Tell this client of the contacts now, and of everything from now on."""
        news = self._news(self._tap.next)
        if not self._clients:
            self._shutdown_told = _shutdown(news)
        self._clients.add(client)
        client.on_close.append(lambda: self._clients.discard(client))
        client.stream("test", _line(news))
        if self._beat is None:
            self._rest()
        if self._shutdown is not None and self._looks is None:
            self._look_later(self._shutdown)

    def _changed(self) -> None:
        """The button has moved."""
        if self._clients and self._alarm is None:
            self._alarm = self._timers.call_at(self._timers.boot_ns() + GATHER_NS, self._tell)

    def pressed(self, press: TablePress) -> None:
        """At a table; nobody who watches misses one."""
        line = _line(TestNews(pressed=press))
        for client in list(self._clients):
            client.send(line)

    def begin(self) -> None:
        """A test begins: what was before is none of its news."""
        self._told = self._tap.next

    def end(self, why: Sentence) -> None:
        """The last line; nobody watches any more."""
        line = _line(TestNews(ended=words(why), ended_key=view(why)))
        for client in list(self._clients):
            client.send(line)
        self._clients.clear()
        for alarm in (self._alarm, self._beat):
            if alarm is not None:
                alarm.cancel()
        self._alarm = self._beat = None

    def inputs(self) -> Inputs:
        """The contacts now. HardwareError when they cannot be read."""
        contacts = self._button.contacts()
        return Inputs(
            no_closed=contacts.no_closed,
            nc_closed=contacts.nc_closed,
            now_ns=self._timers.boot_ns(),
            shutdown_pressed=None if self._shutdown is None else self._shutdown.pressed(),
        )

    def _look_later(self, shutdown: PushButton) -> None:
        due_ns = self._timers.boot_ns() + LOOK_NS
        self._looks = self._timers.call_at(due_ns, lambda: self._look(shutdown))

    def _look(self, shutdown: PushButton) -> None:
        """Tell of the shutdown button when it has moved; over when nobody watches."""
        self._looks = None
        if not self._clients:
            return
        try:
            pressed = shutdown.pressed()
        except HardwareError:
            pressed = None
        if pressed != self._shutdown_told:
            self._changed()
        self._look_later(shutdown)

    def _tell(self) -> None:
        self._alarm = None
        news = self._news(self._told)
        line = _line(news)
        self._shutdown_told = _shutdown(news)
        self._told = self._told if news.next is None else news.next
        for client in list(self._clients):
            client.stream("test", line)
        self._rest()

    def _rest(self) -> None:
        if self._beat is not None:
            self._beat.cancel()
        self._beat = self._timers.call_at(self._timers.boot_ns() + BEAT_NS, self._tell_again)

    def _tell_again(self) -> None:
        """Nothing has changed for so long; over when nobody watches."""
        self._beat = None
        if self._clients:
            self._tell()

    def _news(self, since: int) -> TestNews:
        """Without `inputs` the contacts cannot be read: the picture's health says why."""
        edges = self._tap.since(since)
        try:
            inputs = self.inputs()
        except HardwareError:
            inputs = None
        return TestNews(
            inputs=inputs,
            edges=edges.edges,
            next=edges.next,
        )


def _shutdown(news: TestNews) -> bool | None:
    return None if news.inputs is None else news.inputs.shutdown_pressed


def _line(news: TestNews) -> bytes:
    return encode(TestLine(test=news))
