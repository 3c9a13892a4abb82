"""A message that is broken into lines and stands page by page."""


class Lines:
    """A message in lines of this font; they are kept until it is another one, or has other room."""

    def __init__(self, font, of_a_page):
        self.font = font
        self.of_a_page = of_a_page
        self._text = ""
        self._room = 0
        self._lines = []

    def prepare(self, text, room):
        """Breaks it, if that is not done: in steps of a line, between which it yields."""
        if text == self._text and room == self._room:
            return
        self._text = ""
        self._lines = []
        for line in broken(self.font, text, room):
            self._lines.append(line)
            yield
        self._text = text
        self._room = room

    def pages(self):
        return -(-len(self._lines) // self.of_a_page)

    def page(self, number):
        """Its lines."""
        first = number * self.of_a_page
        return self._lines[first : first + self.of_a_page]


def broken(font, text, room):
    """Lines of at most so many pixels, between words where that can be."""
    line, used = "", 0
    between = font.width(" ") + 2 * font.gap
    for part in text.split(" "):
        word, wide = part, font.width(part)
        if line and used + between + wide <= room:
            line += " " + word
            used += between + wide
            continue
        if line:
            yield line
        while wide > room:
            fitting = _fitting(font, word, room)
            yield word[:fitting]
            word = word[fitting:]
            wide = font.width(word)
        line, used = word, wide
    if line:
        yield line


def _fitting(font, word, room):
    """How many letters of the word have room."""
    count = 1
    while font.width(word[: count + 1]) <= room:
        count += 1
    return count
