"""Nothing on a page pulses at 3 Hz or more, and who asks for less motion gets none."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "pi_controller" / "web" / "pages"
STYLES = {
    path.relative_to(PAGES): path.read_text(encoding="utf-8")
    for path in PAGES.rglob("*.css")
    if "bundles" not in path.parts
}
ANIMATION = re.compile(r"animation: (?!none)([^;}]+)")
SECONDS = re.compile(r"(?<![\w.])([\d.]+)(ms|s)\b")
SLOWEST_PULSE_S = 1 / 3
"""WCAG 2.2, 2.3.1: three flashes in a second are too many."""


def animations() -> dict[Path, list[str]]:
    return {name: found for name, style in STYLES.items() if (found := ANIMATION.findall(style))}


def period_s(animation: str) -> float:
    """From one pulse to the next: there and back where it alternates."""
    number, unit = SECONDS.findall(animation)[0]
    once = float(number) / (1000 if unit == "ms" else 1)
    return once * 2 if "alternate" in animation else once


def test_what_goes_on_for_ever_pulses_below_three_in_a_second() -> None:
    endless = [each for found in animations().values() for each in found if "infinite" in each]
    assert len(endless) >= 4
    assert [each for each in endless if period_s(each) <= SLOWEST_PULSE_S] == []


def test_no_animation_repeats_a_few_times() -> None:
    """Then its pulses would have to be counted, too."""
    counted = re.compile(r"(?<![\w.])[2-9](?![\w.%])")
    several = [each for found in animations().values() for each in found]
    assert [each for each in several if counted.search(re.sub(r"\([^)]*\)", "", each))] == []
