"""What can be wrong with the list of table segments."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from pi_controller.bus.values import MOST_SEGMENTS
from pi_controller.settings.toml import excerpt
from pi_controller.settings.wording import did_you_mean

EXAMPLE = '[{ name = "A", port = "/dev/tablebus/row-A" }]'
KEYS = ("name", "port")
NAME = re.compile(r"[A-Z]\Z")


def segment_problems(written: Any) -> Iterator[str]:
    """What is wrong with [tables] segments as written in the file."""
    if not isinstance(written, list) or len(written) > MOST_SEGMENTS:
        yield (
            f"[tables] segments = {excerpt(written)} is not a list of at most {MOST_SEGMENTS} segments; "
            f"write for example segments = {EXAMPLE}."
        )
        return
    holder: dict[tuple[str, str], int] = {}
    for number, segment in enumerate(written, 1):
        place = f"[tables] segments, segment {number} = {excerpt(segment)}"
        for problem in _problems(segment):
            yield f"{place}: {problem}"
        for key, value in _unique(segment):
            first = holder.setdefault((key, value), number)
            if first != number:
                yield f"{place}: segment {first} has this {key} already; give each segment its own."


def _problems(segment: Any) -> Iterator[str]:
    if not isinstance(segment, dict):
        yield 'a segment is written as { name = "A", port = "/dev/tablebus/row-A" }.'
        return
    for key in sorted(segment.keys() - set(KEYS)):
        yield f"{excerpt(key)} is not known here; {did_you_mean(key, KEYS)}"
    for key in KEYS:
        if key not in segment:
            yield f'{key} is missing; write {{ name = "A", port = "/dev/tablebus/row-A" }}.'
    if "name" in segment and not _is_name(segment["name"]):
        yield "name must be one letter from A to Z in quotes."
    if "port" in segment and not _is_port(segment["port"]):
        yield 'port must be the full path of a serial port in quotes, such as "/dev/tablebus/row-A".'


def _unique(segment: Any) -> Iterator[tuple[str, str]]:
    """What no second segment may have; nothing of a value that is wrong already."""
    if not isinstance(segment, dict):
        return
    if _is_name(segment.get("name")):
        yield "name", segment["name"]
    if _is_port(segment.get("port")):
        yield "port", str(PurePosixPath(segment["port"]))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and NAME.match(value) is not None


def _is_port(value: Any) -> bool:
    return (
        isinstance(value, str)
        and value.isprintable()
        and PurePosixPath(value).is_absolute()
        and PurePosixPath(value).name != ""
    )
