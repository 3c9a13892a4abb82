"""The director's message: the parts in which it comes, and the whole of it."""

from table_node import messages as m

FURTHER = "ÀÁÂÃÄÇÉÊÍÑÓÔÕÖÚÜĄĆĘŁŃŚŹŻàáâãäçéêíñóôõöúüąćęłńśźżß¿¡"
"""Letters beyond ASCII: on the wire 0x80 is the first of them."""
_FIRST_FURTHER = 0x80
PAGE_SECONDS = 3
"""So long a page of it stands, before the next one."""


class Say:
    """Part `part` of `parts` of the message with this number, `text` without the padding. Of none: there is
    no message any more."""

    def __init__(self):
        self.epoch = 0
        self.number = 0
        self.part = 0
        self.parts = 0
        self.text = b""

    def read(self, payload):
        part, parts = payload[3] & 15, payload[3] >> 4
        text = bytes(payload[4:24]).rstrip(b"\0")
        if part >= max(1, parts):
            return False
        for byte in text:
            if byte < 0x20 or byte == 0x7F or byte >= _FIRST_FURTHER + len(FURTHER):
                return False
        self.epoch = payload[0] | payload[1] << 8
        self.number = payload[2]
        self.part = part
        self.parts = parts
        self.text = text
        return True


class Said:
    """`text` is the message that stands, empty without one; `page` counts the pages that have stood, beyond
    the last one on. A new message stands once all of its parts have come, until then the one before does."""

    def __init__(self):
        self._heard = Say()
        self.forget()

    def forget(self):
        """There is another master."""
        self.text = ""
        self.page = 0
        self._number = -1
        self._parts = []
        self._seconds = 0

    def hear(self, frame, epoch):
        """A SAY; True when that is news. Those of another master are not this hall's."""
        say = self._heard
        if not m.fits(frame.version, m.SAY, frame.size) or not say.read(frame.payload):
            return False
        return say.epoch == epoch and self._take(say)

    def second(self):
        """A second has passed."""
        if self.text:
            self._seconds += 1
            self.page = self._seconds // PAGE_SECONDS

    def _take(self, say):
        if say.number != self._number or say.parts != len(self._parts):
            self._number = say.number
            self._parts = [b""] * say.parts
        elif all(self._parts):
            return False
        if say.parts:
            self._parts[say.part] = say.text
        if not all(self._parts):
            return False
        text = letters(b"".join(self._parts))
        news = text != self.text
        self.text = text
        self.page = self._seconds = 0
        return news


def letters(text):
    """Of these bytes."""
    return "".join([chr(byte) if byte < _FIRST_FURTHER else FURTHER[byte - _FIRST_FURTHER] for byte in text])
