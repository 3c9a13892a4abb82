"""The harnesses of hardware/wiring, with the templates of the boards' connectors in front."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

WIRING = Path(__file__).parents[2] / "hardware" / "wiring"
SOURCES = sorted(path for path in WIRING.glob("*.yml") if path.name != "labels.yml")


@dataclass(frozen=True)
class Joint:
    """One conductor of a harness: its colour, and the connector and pin (from 1) at each end; None: open."""

    colour: str
    ends: tuple[tuple[str, int] | None, ...]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((WIRING / "labels.yml").read_text() + path.read_text())
    return found


def joints(harness: dict[str, Any]) -> list[Joint]:
    """Every conductor of a cable that is connected; a connection without a cable is none."""
    made = []
    for group in harness["connections"]:
        steps = [(name, numbers(pins)) for step in group for name, pins in step.items()]
        for at, (name, wires) in enumerate(steps):
            if name not in harness["cables"]:
                continue
            colours = harness["cables"][name]["colors"]
            for place, wire in enumerate(wires):
                ends = [end(steps, side, place) for side in (at - 1, at + 1)]
                made.append(Joint(colours[wire - 1], tuple(ends)))
    return made


def end(steps: list[tuple[str, list[int]]], at: int, place: int) -> tuple[str, int] | None:
    if not 0 <= at < len(steps):
        return None
    name, pins = steps[at]
    return name, pins[place]


def numbers(pins: list[Any]) -> list[int]:
    """WireViz's pins: numbers, and ranges such as 1-8."""
    found: list[int] = []
    for pin in pins:
        first, last = re.fullmatch(r"(\d+)(?:-(\d+))?", str(pin)).groups()  # type: ignore[union-attr]
        found += range(int(first), int(last or first) + 1)
    return found


def board_connectors(path: Path) -> dict[str, str]:
    """Name of the template, such as panel_J3, that each connector of this file was made from."""
    return dict(re.findall(r"^  (\w+):\n    <<: \*(\w+)$", path.read_text(), re.MULTILINE))
