"""The words that the displays show: of the hall's one or two languages, as far as this firmware has them."""

import sys

from table_node import garbage, words_en
from table_node import messages as m

_PACKAGE = "table_node"
_MODULES = "words_"
_NONE = "none"
_DOUBT_SECONDS = 2
"""A new master says its languages sooner, unless it speaks English only."""


class Languages:
    """English until a master says otherwise. `wordless`: there are no words for one of the languages; then
    those of the other stand in its place, or none."""

    def __init__(self):
        self.wordless = False
        self.unread = False  # `load` has to follow
        self._heard = m.Languages()
        self._tags = ("", "")
        self._read = {}  # modules by their tags, None for a language without words; while some are unread
        self._spoken = (words_en, words_en)
        self._doubted = 0  # seconds, until the languages of another master are forgotten

    def hear(self, frame, epoch):
        """A LANGUAGES; those of another master are not this hall's."""
        heard = self._heard
        if not m.fits(frame.version, m.LANGUAGES, frame.size) or not heard.read(frame.payload):
            return
        if heard.epoch == epoch:
            self._doubted = 0
            self._want((heard.first.decode(), heard.second.decode()))

    def doubt(self):
        """There is another master."""
        self._doubted = _DOUBT_SECONDS

    def second(self):
        """A second has passed."""
        if self._doubted:
            self._doubted -= 1
            if not self._doubted:
                self._want(("", ""))

    def load(self):
        """Reads one module from flash: an answer that falls due meanwhile comes too late. To be called until
        nothing is `unread`; then the words are there."""
        wanted = [tag for tag in self._tags if tag] or ["en"]
        for tag in wanted:
            if tag not in self._read:
                self._read[tag] = _words(tag)
                return
        found = [self._read[tag] for tag in wanted if self._read[tag]]
        self.wordless = len(found) < len(wanted)
        found = found or [_words(_NONE)]
        self._spoken = (found[0], found[-1])
        self._read = {}
        self.unread = False
        _forget(found)
        garbage.prepare()

    def words(self, second):
        """Of the first or the second language."""
        return self._spoken[second]

    def _want(self, tags):
        if tags != self._tags:
            self._tags = tags
            self._read = {}
            self.unread = True


def _words(tag):
    """The module of this language, or None."""
    name = _PACKAGE + "." + _MODULES + tag.lower().replace("-", "_")
    try:
        __import__(name)
    except ImportError:
        return None
    return sys.modules[name]


def _forget(kept):
    """English stays: it is what there is without a master."""
    for name in list(sys.modules):
        package, _, own = name.partition(".")
        if package == _PACKAGE and own.startswith(_MODULES):
            module = sys.modules[name]
            if module is not words_en and module not in kept:
                del sys.modules[name]
                delattr(sys.modules[_PACKAGE], own)
