"""What the processor's governor does to a press after seconds of rest: run as root, a quarter of an hour."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.bench.figures import in_ms
from pi_controller.bench.live_core import settings_with, with_live_core
from pi_controller.bench.pace import isolated
from pi_controller.bench.press import press_often

POLICIES = Path("/sys/devices/system/cpu/cpufreq")
PRESSES = 60


def text(name: str) -> str:
    return (POLICIES / "policy0" / name).read_text().strip()


@pytest.fixture
def offered() -> Iterator[list[str]]:
    """The governors; at the end each policy has its own again."""
    before = {file: file.read_text() for file in POLICIES.glob("policy*/scaling_governor")}
    try:
        yield text("scaling_available_governors").split()
    finally:
        for file, governor in before.items():
            file.write_text(governor)


def set_all(governor: str) -> None:
    for file in POLICIES.glob("policy*/scaling_governor"):
        file.write_text(governor)


def test_what_is_installed_keeps_the_full_frequency() -> None:
    """After `install.py install --frequency=system` this fails, as it should."""
    assert text("scaling_governor") == "performance"


def test_presses_after_a_rest_under_each_governor(offered: list[str], tmp_path: Path) -> None:
    """From the moment at which a press counts to the lamps. The pins are simulated: what the library of the
    pins takes is not in it."""
    p50 = {}
    for governor in offered:
        if governor == "userspace":  # stays at whatever frequency there is
            continue
        set_all(governor)
        (tmp_path / governor).mkdir()
        found = with_live_core(
            lambda core: press_often(core, isolated(PRESSES)),
            settings_with(contacts="nc_no"),
            folder=tmp_path / governor,
        )
        took = in_ms(found.after)
        p50[governor] = took.p50
        mhz, heat = int(text("scaling_cur_freq")) // 1000, Path("/sys/class/thermal/thermal_zone0/temp")
        celsius = int(heat.read_text()) / 1000 if heat.exists() else float("nan")
        print(
            f"\n{governor}: p50 {took.p50:.2f}, p99 {took.p99:.2f}, longest {took.max:.2f} ms;"
            f" {mhz} MHz, {celsius:.0f} °C at the end"
        )
    assert p50["performance"] <= 1.1 * min(p50.values())
