"""A hall that follows, and the halls' broker, as units of a Debian 13 that really boots: `make test-install`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.protocol.picture import Picture
from tests.systemd.booted import INSTALLER, install, make_bundle, put_bundle
from tests.systemd.container import BASE, MANAGER, Container, unpack, wait_for

pytestmark = pytest.mark.soak
LINKS, BROKER = "pi-controller-links.service", "pi-controller-broker.service"
DATA = "/var/lib/pi-controller"
LEADER = ("--state-dir=/srv/leader", "--settings=/srv/leader.toml")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Container]:
    tree = unpack("broker", (*BASE, "mosquitto"), tmp_path / "tree")
    put_bundle(tree, make_bundle(tmp_path / "dist"))
    container = Container(tree)
    try:
        yield container
    finally:
        container.close()


def test_a_hall_follows_over_the_units_of_links_and_broker(box: Container) -> None:
    install(box)
    assert box.check("systemctl", "is-enabled", LINKS).strip() == "enabled"
    ended = ["inactive", "success", "0"]  # it has no role
    wait_for(lambda: asked(box, LINKS, "ActiveState", "Result", "NRestarts") == ended)

    set_up(box)
    assert asked(box, BROKER, "ActiveState", "UnitFileState", "User") == ["active", "enabled", "mosquitto"]
    assert asked(box, "mosquitto.service", "ActiveState", "UnitFileState") == ["inactive", "disabled"]
    wait_for(lambda: follows(box.picture()))
    box.check("pi-controller", "start", LEADER[0])
    wait_for(lambda: follows(box.picture(), running=True))

    for unit in (BROKER, LINKS):
        before = box.main_pid(unit)
        box.check("systemctl", "kill", "--signal=KILL", unit)
        wait_for(lambda unit=unit, before=before: box.main_pid(unit) not in (0, before))
        wait_for(lambda: follows(box.picture(), running=True))
        box.check("systemd-analyze", "security", "--threshold=10", "--no-pager", unit)

    take_the_place(box)
    assert install(box) == "Everything is as it should be: nothing was changed.\n"
    said = box.check("python3", INSTALLER, "uninstall")
    assert "/etc/pi-controller/broker;" in said
    assert "pi-controller" not in box.check("systemctl", "list-unit-files", "--no-pager")


def set_up(box: Container) -> None:
    """The installed controller becomes `east`; `main` runs beside it, as on a machine of its own."""
    box.check("mkdir", "/srv/leader")
    box.check("pi-controller", "pair", "new", LEADER[0])
    box.check("pi-controller", "pair", "export", "-o", "/srv/key", LEADER[0])
    box.check("pi-controller", "pair", "import", "/srv/key")
    made = ("--halls=main,east", "--leaders=main,east", "--tls", "--address=127.0.0.1")
    box.check("pi-controller", "broker", "setup", *made)
    files = "/etc/pi-controller/broker/halls"
    box.check("pi-controller", "broker", "join", f"{files}/east.toml")
    box.check("systemctl", "restart", "pi-controller-core", "pi-controller-links")
    box.check("cp", "/srv/settings.toml", "/srv/leader.toml")
    box.check("pi-controller", "broker", "join", f"{files}/main.toml", *LEADER)
    for program in ("core", "links"):
        box.check("systemd-run", f"--unit=leader-{program}", "pi-controller", program, *LEADER)


def take_the_place(box: Container) -> None:
    """As docs/halls.md has it, with the leader gone for good."""
    copy = f"{DATA}/copy/games"
    wait_for(lambda: box.run("sh", "-c", f"ls {copy}/*/seed.sealed").returncode == 0)
    box.check("systemctl", "kill", "--signal=KILL", "leader-core", "leader-links")
    game = wait_for(box.picture).game_id
    box.check("systemctl", "stop", MANAGER, LINKS)
    assert 'The hall "east" leads from leadership term 2 on.' in box.check(
        "pi-controller", "links", "promote"
    )
    box.check("systemctl", "start", MANAGER, LINKS)
    leads = wait_for(lambda: leading(box.picture()))
    assert (leads.game_id, leads.paused) == (game, True)


def leading(picture: Picture | None) -> Picture | None:
    return (
        picture
        if picture is not None and picture.link is not None and picture.link.state == "leading"
        else None
    )


def asked(box: Container, unit: str, *names: str) -> list[str]:
    """These properties of a unit, in this order."""
    lines = box.check("systemctl", "show", *(f"--property={name}" for name in names), unit).splitlines()
    found = dict(line.split("=", 1) for line in lines)
    return [found[name] for name in names]


def follows(picture: Picture | None, *, running: bool = False) -> bool:
    link = None if picture is None else picture.link
    return link is not None and link.state == "following" and (not running or picture.running)  # type: ignore[union-attr]
