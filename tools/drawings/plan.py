"""What a person decides about a board: its size, where the parts lie, how wide the tracks are, what is printed."""

from dataclasses import dataclass

THIN = 0.25
"""Tracks without a width of their own, in millimetres."""


@dataclass(frozen=True)
class Plan:
    """All in millimetres from the upper left corner; `places` as x, y and degrees to the left; `widths` by net;
    `texts` with their middle and the height of their letters."""

    name: str
    wide: float
    high: float
    places: dict[str, tuple[float, float, float]]
    widths: dict[str, float]
    texts: tuple[tuple[str, float, float, float], ...]

    def width(self, net: str) -> float:
        """Of this net's tracks; KiCad puts a slash before the names of a sheet."""
        return self.widths.get(net.lstrip("/"), THIN)
