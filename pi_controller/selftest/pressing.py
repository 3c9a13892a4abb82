"""Watches the big button while the operator presses it."""

from pi_controller.protocol.probe_results import ButtonPress, Edge
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.operator import LiveView


class PressCount:
    """The view of so many presses that are waited for, counted from its making; a `Live`."""

    def __init__(self, hall: Hall, wanted: int) -> None:
        self._hall = hall
        self._wanted = wanted
        self._since = hall.probes.edges(0).next
        self._from_ns = hall.probes.inputs().now_ns
        self.edges: list[Edge] = []
        self.presses: list[ButtonPress] = []

    def wait(self, seconds: float) -> LiveView:
        self._hall.pause(seconds)
        return self.look()

    def look(self) -> LiveView:
        """What has come up to now."""
        found = self._hall.probes.edges(self._since)
        self._since = found.next
        self.edges += found.edges
        self.presses = [press for press in found.presses if press.at_ns >= self._from_ns]
        inputs = self._hall.probes.inputs()
        nc = inputs.nc_closed
        done = min(len(self.presses), self._wanted)
        return LiveView(
            finished=done == self._wanted and not inputs.no_closed,
            text=f"{done} of {self._wanted} presses",
            done=done,
            of=self._wanted,
            closed=(inputs.no_closed, nc),
        )
