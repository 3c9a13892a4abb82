"""Where frames begin and end in the bytes that an end sends, for faults that take whole frames."""


class Frames:
    """Numbers the frames of one talker: each from its opening zero to its closing one (PROTOCOL.md)."""

    def __init__(self) -> None:
        self._number = 0
        self._inside = False
        self._open = False
        self._ended_us = -1

    def split(self, data: bytes, starts_us: int, ended_us: int) -> list[tuple[int, bytes]]:
        """These bytes, by the number of the frame that they belong to. A silence ends a frame."""
        if starts_us > self._ended_us:
            self._inside = self._open = False
        self._ended_us = ended_us
        found = []
        first = 0
        for index, byte in enumerate(data):
            if not self._open:
                self._open = True
                self._number += 1
            if byte:
                self._inside = True
            elif self._inside:
                found.append((self._number, data[first : index + 1]))
                first = index + 1
                self._inside = self._open = False
        if first < len(data):
            found.append((self._number, data[first:]))
        return found
