"""What a person decides about a board: size, places of the parts, widths of tracks, what is printed."""

from dataclasses import dataclass

THIN = 0.25
"""Tracks without a width of their own, in millimetres."""


@dataclass(frozen=True)
class Plan:
    """All in millimetres from the upper left corner.

    `places`: x, y and degrees to the left. `widths`: by net. `texts`: middle and height of the letters.
    `grounds`: parts whose ground pins are joined by tracks too, since others cut them off from the areas.
    """

    name: str
    grounds: tuple[str, ...]
    wide: float
    high: float
    places: dict[str, tuple[float, float, float]]
    widths: dict[str, float]
    texts: tuple[tuple[str, float, float, float], ...]

    def width(self, net: str) -> float:
        """Of this net's tracks; KiCad puts a slash before the names of a sheet."""
        return self.widths.get(net.lstrip("/"), THIN)
