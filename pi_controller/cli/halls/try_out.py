"""`pi-controller run --halls N`: several controllers with simulated hardware on one machine, and a broker."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from pi_controller.cli.halls.broker_folder import CONFIGURATION, find_mosquitto, free_port, try_out_text
from pi_controller.cli.usage import BAD_USAGE, FAILED, Stop, of_system, state_dir
from pi_controller.journal.store import private_folder, write_private
from pi_controller.language.words import words
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import LinkRole
from pi_controller.sentence import Sentence
from pi_controller.settings.load import file_text, load
from pi_controller.settings.sections import Settings

FOLDER = "halls"
NAMES = ("main", "east", "west", "north", "south", "upper", "lower", "outer")
LARGEST_PORT = 65535
MEANS: dict[LinkRole, Sentence] = {
    "leader": Sentence("halls.leader"),
    "follower": Sentence("halls.follower"),
}


@dataclass(frozen=True, slots=True)
class TriedHall:
    """One of the halls; the first leads."""

    name: str
    role: LinkRole
    state_dir: Path
    settings: Path
    port: int
    """Of its pages."""


@dataclass(frozen=True, slots=True)
class TryOut:
    """What is started. The halls' settings and the broker's configuration are written."""

    halls: list[TriedHall]
    broker: list[str]
    """The broker's command."""


def prepare(arguments: Namespace, count: int) -> TryOut:
    """Check everything, write what the programs read, say where the pages will be.

    Raises Stop and SettingsFault before anything is started.
    """
    if arguments.hardware not in (None, "sim"):
        raise Stop(BAD_USAGE, Sentence("halls.simulated_only"))
    mosquitto = find_mosquitto()
    settings = load(arguments.settings, "sim")
    folder = state_dir(arguments) / FOLDER
    host = settings.web.host if arguments.host is None else arguments.host
    broker_port = free_port("127.0.0.1")
    ports = list(_ports(settings.web.port if arguments.port is None else arguments.port, count, host))
    try:
        halls = [
            _hall(folder / name, port, name=name, settings=settings, broker_port=broker_port)
            for name, port in zip(NAMES, ports, strict=False)
        ]
        configuration = folder / CONFIGURATION
        write_private(configuration, try_out_text(broker_port).encode(), mode=0o644)
    except SocketPathTooLong as error:
        raise Stop(BAD_USAGE, error.sentence) from error
    except OSError as error:
        raise Stop(FAILED, of_system(error, folder)) from error
    _say(halls, host, broker_port)
    return TryOut(halls, [mosquitto, "-c", str(configuration)])


def _hall(folder: Path, port: int, *, name: str, settings: Settings, broker_port: int) -> TriedHall:
    role: LinkRole = "leader" if name == NAMES[0] else "follower"
    socket_path(folder)
    private_folder(folder)
    path = folder / "settings.toml"
    own = _own(settings, name=name, role=role, broker_port=broker_port)
    write_private(path, file_text(own).encode())
    return TriedHall(name, role, folder, path, port)


def _own(settings: Settings, *, name: str, role: LinkRole, broker_port: int) -> Settings:
    """The given ones, where two halls of one machine would be in each other's way each its own: names, the
    staff's port, and the second copy, which is the leader's."""
    place = NAMES.index(name)
    web, journal = settings.web, settings.journal
    return replace(
        settings,
        hall=replace(settings.hall, name=settings.hall.name or name),
        web=replace(web, staff_port=web.staff_port and web.staff_port + place),
        journal=journal if role == "leader" else replace(journal, second_copy=""),
        links=replace(
            settings.links,
            role=role,
            hall=name,
            broker="127.0.0.1",
            port=broker_port,
            user="",
            password_file="",
            ca_file="",
        ),
    )


def _ports(first: int, count: int, host: str) -> Iterator[int]:
    """Consecutive ones; any free ones when the first is 0."""
    if first + count - 1 > LARGEST_PORT:
        raise Stop(BAD_USAGE, Sentence("halls.ports_end", halls=count, port=first, most=LARGEST_PORT))
    for place in range(count):
        yield first + place if first else free_port(host)


def _say(halls: list[TriedHall], host: str, broker_port: int) -> None:
    print(words(Sentence("halls.broker_is_at", address=f"127.0.0.1:{broker_port}")))
    for hall in halls:
        address = f"http://{f'[{host}]' if ':' in host else host}:{hall.port}/"
        state = str(hall.state_dir)
        print(
            words(
                Sentence(
                    "halls.hall_is_at", hall=hall.name, what=MEANS[hall.role], address=address, state=state
                )
            )
        )
    print(flush=True)
