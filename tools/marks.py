"""What must be printed at pins: number and label at each pin of a connector, + at a polarised capacitor, 1 at
the first pin of a circuit, a bar at a cathode."""

from math import hypot

from tools.kicad_files import Board, Footprint, Part, Point
from tools.pinmap import Pinmap

NEAR = 6.5
"""A mark begins at most so far from the middle of its pin."""


def wanted(board: str, parts: dict[str, Part], pinmap: Pinmap) -> dict[tuple[str, str], str]:
    """(reference, pin) → text of every mark that the board's parts need."""
    texts = {
        (connector.ref, str(wire.pin)): f"{wire.pin} {wire.label.split(',')[0]}"
        for connector in pinmap.of(board)
        for wire in connector.wires
    }
    labelled = {ref for ref, _ in texts}
    for ref, part in parts.items():
        if part.letters == "TP":
            texts[ref, "1"] = part.kind.value.replace("_", " ")
        elif part.pins.get("1", ("",))[0] == "+":
            texts[ref, "1"] = "+"
        elif part.letters == "U" or (
            part.letters in {"D", "J"} and len(part.pins) > 2 and ref not in labelled
        ):
            texts[ref, "1"] = "1"
    return texts


def unmarked(board: Board, parts: dict[str, Part], pinmap: Pinmap) -> list[str]:
    """What the board does not print: a sentence for each pin or part, none for a board that is right."""
    pads: dict[tuple[str, str], Point] = {}
    for ref, item in board.placed.items():
        for pad in item.footprint.pads:
            pads.setdefault((ref, pad.number), item.at(pad.x, pad.y))
    missing = []
    for (ref, pin), text in wanted(board.name, parts, pinmap).items():
        twins = [place for (other, number), place in pads.items() if other == ref and number not in {pin, ""}]
        if not any(said == text and _points(spot, pads[ref, pin], twins) for said, *spot in board.printed):
            missing.append(f'{board.name}: "{text}" is not printed at pin {pin} of {ref}; print it there.')
    return missing + [
        f"{board.name}: {part.kind.footprint} of {ref} has no bar at its cathode."
        for ref, part in parts.items()
        if part.letters == "D" and len(part.pins) == 2 and not _bar(board.placed[ref].footprint)
    ]


def _points(spot: list[float], here: Point, twins: list[Point]) -> bool:
    """A text at this place and angle belongs to the pin `here`: it is the nearest of all, or the nearest of
    those that stand in line with the text."""
    x, y, angle = spot

    def far(pin: Point) -> float:
        return hypot(x - pin[0], y - pin[1])

    def aside(pin: Point) -> float:
        return abs(x - pin[0]) if angle else abs(y - pin[1])

    if far(here) >= NEAR:
        return False
    in_line = [other for other in twins if aside(other) <= aside(here) + 0.1]
    return all(far(other) > far(here) for other in twins) or (
        aside(here) < 0.1 and all(far(other) > far(here) for other in in_line)
    )


def _bar(footprint: Footprint) -> bool:
    """A line across, beyond pin 1."""
    edge = min(pad.x - pad.wide / 2 for pad in footprint.pads if pad.number == "1")
    return any(x1 == x2 < edge for x1, _, x2, _ in footprint.silk)
