"""Where the staff's pages are, on the local display in quiet moments, in turn with the game's face. Pure."""

from dataclasses import dataclass

from pi_controller.hal.roles import StatusFace
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

TURN_NS = 6_000_000_000
"""Each face shows so long."""
DIGITS_SHOWN = 16
"""Of the fingerprint's 64: 8 bytes, which nobody makes another certificate for within years, and which a
person does compare."""


@dataclass(frozen=True, slots=True)
class StaffPages:
    """`fingerprint` of their certificate, pairs of hexadecimal digits; empty where they are not encrypted."""

    address: str
    fingerprint: str
    since_ns: int
    """From when on, on CLOCK_BOOTTIME; the address shows at once."""
    language: str = ENGLISH

    def over(self, face: StatusFace, now_ns: int) -> StatusFace:
        """What the display shows of the address, the certificate and this face at this moment."""
        faces = (self._address(), *([self._certificate()] if self.fingerprint else []), face)
        return faces[self._turns(now_ns) % len(faces)]

    def next_turn_ns(self, now_ns: int) -> int:
        """When the next face comes."""
        return self.since_ns + (self._turns(now_ns) + 1) * TURN_NS

    def _turns(self, now_ns: int) -> int:
        return (now_ns - self.since_ns) // TURN_NS

    def _address(self) -> StatusFace:
        scheme, _, place = self.address.partition("//")
        host, _, port = place.rpartition(":")
        headline = words(Sentence("display.staff_pages"), self.language)
        return StatusFace(headline=headline, lines=(f"{scheme}//", host, f":{port}"))

    def _certificate(self) -> StatusFace:
        shown = self.fingerprint.replace(":", "")[:DIGITS_SHOWN]
        groups = [shown[place : place + 4] for place in range(0, DIGITS_SHOWN, 4)]
        return StatusFace(
            headline=words(Sentence("display.certificate_begins"), self.language),
            lines=(" ".join(groups[:2]), " ".join(groups[2:])),
            footer=words(Sentence("display.compare_in_browser"), self.language),
        )
