"""The log-in PIN on the local display: large in a quiet moment, small below a countdown. Pure."""

from dataclasses import dataclass, field, replace

from pi_controller.hal.roles import StatusFace
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

PIN_SHOWN_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class PinCover:
    """Lies over the display's face."""

    pin: str = field(repr=False)
    language: str = ENGLISH

    def over(self, face: StatusFace) -> StatusFace:
        """What the display shows in the place of this face."""
        if face.big:
            return replace(face, footer=words(Sentence("display.pin", pin=self.pin), self.language))
        digits = f"{self.pin[:3]} {self.pin[3:]}"
        headline, footer = Sentence("display.pin_to_log_in"), Sentence("display.shown_for_a_minute")
        return StatusFace(
            headline=words(headline, self.language), big=digits, footer=words(footer, self.language)
        )
