"""Voice and player in the installed unit, in a Debian that really boots: ALSA's `null` is the card, espeak-ng the voice."""

import os
from collections.abc import Iterator

import pytest

from pi_controller.core.sound.voice import wanted
from pi_controller.game.rule_sets import CONNECT
from tests.systemd.booted import SETTINGS, install, make_bundle, put_bundle
from tests.systemd.container import BASE, MANAGER, Container, unpack, wait_for

pytestmark = pytest.mark.soak
PACKAGES = ("espeak-ng", "libasound2t64")
PLAYER = "pi_controller.hal.sound.player"
SOUND = 'sound = "alsa"\n[sound]\ndevice = "null"\n'
PHRASES = len(wanted(("en",), CONNECT.name, CONNECT.robber_targets))


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    folder = tmp_path_factory.mktemp("box")
    tree = unpack("sound", (*BASE, *PACKAGES), folder / "tree")
    put_bundle(tree, make_bundle(folder / "dist"))
    (tree / "srv/settings.toml").write_text(SETTINGS + SOUND)
    container = Container(tree)
    try:
        install(container)
        yield container
    finally:
        container.close()


def test_the_unit_lets_the_voice_speak_and_the_player_play(box: Container) -> None:
    """Foreign code is called without memory that is both written and executed, and a lower priority is not
    needed: the unit allows neither."""
    kept = box.tree / "var/lib/pi-controller/voice"
    wait_for(lambda: kept.is_dir() and len(list(kept.glob("*.wav"))) == PHRASES)
    wait_for(lambda: in_order(box))
    assert "libasound" in box.check("cat", f"/proc/{player(box)}/maps")
    assert policy(box) == os.SCHED_OTHER
    assert box.check("systemctl", "show", "--property=NRestarts", "--value", MANAGER).strip() == "0"
    assert [line["MESSAGE"] for line in box.journal() if "Traceback" in str(line["MESSAGE"])] == []


def player(box: Container) -> str:
    """The player's process, by its number inside."""
    return box.check("pgrep", "--full", PLAYER).strip()


def policy(box: Container) -> int:
    """How the player gets the processor."""
    ask = f"import os; print(os.sched_getscheduler({player(box)}))"
    return int(box.check("python3", "-c", ask))


def in_order(box: Container) -> bool:
    """Nothing is told of sound or voice."""
    picture = box.picture()
    return picture is not None and not any(
        item.key.startswith(("sound.", "voice.")) for item in picture.health.items
    )
