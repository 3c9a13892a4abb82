"""The simulated panel over the control socket: tells what it shows, and operates its button and plugs."""

from collections.abc import Callable, Mapping
from typing import Protocol

from pi_controller.hal.names import ContactName, LampName
from pi_controller.hal.roles import PanelPower
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.hal.sim.panel import SimPanel
from pi_controller.protocol.question import encode
from pi_controller.protocol.server import ClientConnection
from pi_controller.protocol.simulated import ButtonPicture, GlassPicture, PanelPicture, SimAction

WIDTH, HEIGHT = 128, 64


class SimulatedDisplay(Protocol):
    """A simulated display."""

    @property
    def on(self) -> bool: ...
    def picture(self) -> bytes: ...
    def unplug(self) -> None: ...
    def plug_in(self) -> None: ...


class Simulation:
    """Whoever changes something has `look` called on the loop; it tells those who watch.

    `glass` gives the display once it is open. `wire` is the contact that `break_wire` cuts if none is named.
    """

    def __init__(
        self,
        panel: SimPanel,
        glass: Callable[[], SimulatedDisplay | None],
        *,
        wire: ContactName,
        facts: SimFacts | None = None,
    ) -> None:
        self._facts = facts
        self._panel = panel
        self._glass = glass
        self._wire = wire
        self._watchers: set[ClientConnection] = set()
        self._told: PanelPicture | None = None
        self._actions: dict[SimAction, Callable[[], object]] = {
            "press": panel.press,
            "release": panel.release,
            "tap": panel.tap,
            "bounce": panel.bounce,
            "mend_wire": panel.mend_wire,
            "shutdown_press": lambda: panel.hold_shutdown(held=True),
            "shutdown_release": lambda: panel.hold_shutdown(held=False),
            "lamps_crossed": lambda: panel.cross_lamps(crossed=True),
            "lamps_mend": lambda: panel.cross_lamps(crossed=False),
            "buzzer_dead": lambda: panel.mute_buzzer(mute=True),
            "buzzer_mend": lambda: panel.mute_buzzer(mute=False),
            "button_worn": lambda: panel.wear(worn=True),
            "button_mend": lambda: panel.wear(worn=False),
            "button_stuck": panel.stick,
            "display_off": lambda: _with(glass(), lambda there: there.unplug()),
            "display_on": lambda: _with(glass(), lambda there: there.plug_in()),
        }

    def add(self, actions: Mapping[SimAction, Callable[[], object]]) -> None:
        """Add actions for parts besides the panel."""
        self._actions.update(actions)

    def do(
        self, action: SimAction, contact: ContactName | None = None, *, lamp: LampName | None = None
    ) -> None:
        """Raises ValueError if the wire to break does not exist."""
        if action == "break_wire":
            self._panel.break_wire(contact or self._wire)
        elif lamp is not None:
            self._panel.kill_lamp(lamp, dead=action == "lamp_dead")
        else:
            self._actions[action]()

    def change_fact(self, name: str, value: object) -> None:
        """Set a fact of the simulated computer. Raises ValueError if there is no such fact or the computer is
        real."""
        if self._facts is None:
            raise ValueError(
                "sim: the computer is a real one here; start with --hardware sim to have another"
            )
        self._facts.change(name, value)

    def watch(self, client: ClientConnection) -> None:
        """Tell this client the panel's state, now and at each change."""
        self._watchers.add(client)
        client.on_close.append(lambda: self._watchers.discard(client))
        client.stream("panel", encode({"panel": self._shown()}))

    @property
    def watched(self) -> bool:
        return bool(self._watchers)

    def power(self) -> PanelPower:
        """Present power of the simulated lamps and buzzer."""
        return self._panel.power()

    def look(self) -> None:
        """Tell those who watch if something has changed."""
        if not self._watchers:
            return
        shown = self._shown()
        if shown == self._told:
            return
        self._told = shown
        line = encode({"panel": shown})
        for client in self._watchers:
            client.stream("panel", line)

    def _shown(self) -> PanelPicture:
        view = self._panel.view()
        glass = self._glass()
        bits = glass.picture() if glass is not None else bytes(WIDTH * HEIGHT // 8)
        on = glass is not None and glass.on
        return PanelPicture(
            sun=view.sun,
            moon=view.moon,
            pause_lamp=view.pause_lamp,
            buzzer=view.buzzer,
            display=GlassPicture(width=WIDTH, height=HEIGHT, bits=bits, on=on),
            button=ButtonPicture(pressed=view.pressed, wire=view.wire),
        )


def _with(glass: SimulatedDisplay | None, act: Callable[[SimulatedDisplay], None]) -> None:
    if glass is not None:
        act(glass)
