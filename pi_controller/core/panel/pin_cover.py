"""The log-in PIN on the local display: large in a quiet moment, small below a countdown. Pure."""

from dataclasses import dataclass, field, replace

from pi_controller.hal.roles import StatusFace

PIN_SHOWN_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class PinCover:
    """Lies over the display's face."""

    pin: str = field(repr=False)

    def over(self, face: StatusFace) -> StatusFace:
        """What the display shows in the place of this face."""
        if face.big:
            return replace(face, footer=f"PIN {self.pin}")
        digits = f"{self.pin[:3]} {self.pin[3:]}"
        return StatusFace(headline="PIN to log in", big=digits, footer="shown for 1 minute")
