"""Collects garbage without visiting anything twice.

MicroPython visits whatever is in use, and remembers 64 places that are still to be visited. When that is not
enough it visits all memory once more, which takes 6 ms. It begins with the module that asks for it: this one,
which holds little but a chain along which it visits the others one by one.
"""

import gc
import sys

PARTS = (
    "pins",
    "view",
    "glyphs",
    "symbols",
    "frame",
    "measuring",
    "messages",
    "estimator",
    "said",
    "record",
    "resets",
    "rs485",
    "readings",
    "speaker",
    "board",
    "canvas",
    "phrases",
    "layout_parts",
    "layout_said",
    "layout_full",
    "layout_half",
    "pattern",
    "face",
    "display",
    "shared_display",
    "spi_display",
    "line",
    "link",
    "languages",
    "claim",
    "claim_button",
    "lights",
    "countdown",
    "care",
    "health",
    "safe_mode",
    "stage",
    "scene",
    "answers",
    "node",
    "files",
    "update",
)
"""All modules but main, this one and the words of the languages, each behind those that it uses. Of what is
only needed for new firmware, those that are loaded are there."""
_WORDS = "table_node.words_"

CHAIN = []
"""One entry: pairs in one another, of which the outermost holds the first module."""


def prepare():
    """To be called when all modules are there, and again when a language has been loaded."""
    pairs = None
    for name in reversed(PARTS):
        module = sys.modules.get("table_node." + name)
        if module:
            pairs = pairs, module
    for name in sorted(name for name in sys.modules if name.startswith(_WORDS)):
        pairs = pairs, sys.modules[name]
    CHAIN[:] = [pairs]


def forget(name):
    """Forgets a module that nobody uses any more."""
    package = sys.modules["table_node"]
    if sys.modules.pop("table_node." + name, None) and hasattr(package, name):
        delattr(package, name)
    prepare()


def collect():
    gc.collect()
