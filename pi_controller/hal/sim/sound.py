"""A simulated sound card: remembers what it was to play, until its plug is pulled."""

import io
import wave

DEAD = 'The sound device "simulated" does not play (its plug is pulled): plug the loudspeaker\'s card in.'


class SimSound:
    """Implements `roles.Sound`; plays in no time. `played` are the lengths in milliseconds."""

    def __init__(self) -> None:
        self.played: list[int] = []
        self.dead = False

    def play(self, wav: bytes, *, limit_s: float) -> str | None:
        if self.dead:
            return DEAD
        with wave.open(io.BytesIO(wav)) as file:
            length_ms = file.getnframes() * 1000 // file.getframerate()
        self.played.append(min(length_ms, round(limit_s * 1000)))
        return None
