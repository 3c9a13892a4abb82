"""`pi-controller firmware`: compile the table nodes' firmware and put it on Picos."""

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pi_controller import __version__
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
    whole_number,
)
from pi_controller.flashing.batch import (
    Entry,
    Port,
    flashed,
    note_flashed,
    one_after_the_other,
    pico_ports,
    waits_for_uf2,
)
from pi_controller.flashing.build import FirmwarePart, FlashingError, ToolMissing, build, built
from pi_controller.flashing.page import Bench, served
from pi_controller.flashing.pico import open_pico

DEFAULT_FOLDER = Path("build") / "firmware"
BELL = "\a"
LOOK_S = 0.5


def run(name: str, given: list[str]) -> int:
    """0 done, 1 when a Pico could not be served, 2 for wrong usage or a library that is missing."""
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    building = tasks.add_parser("build", help="compile into .mpy files")
    building.add_argument("-o", "--output", type=Path, default=DEFAULT_FOLDER, metavar="D")
    installing = tasks.add_parser("install", help="put it on the Pico that is plugged in")
    installing.add_argument(
        "--port", metavar="P", help="serial port (default: the only Pico that is plugged in)"
    )
    installing.add_argument("--from", dest="folder", type=Path, metavar="D", help="files of `firmware build`")
    installing.add_argument("--batch", action="store_true", help="one Pico after the other, until Ctrl-C")
    installing.add_argument("--count", type=whole_number, metavar="N", help="with --batch: end after N Picos")
    installing.add_argument(
        "--page",
        type=whole_number,
        metavar="PORT",
        help="with --batch: show it large in a browser on this machine",
    )
    listing = tasks.add_parser("list", help="Picos that got the firmware, with their unique ids")
    listing.add_argument("--json", action="store_true")
    for task in (installing, listing):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        return TASKS[arguments.task](arguments)
    except ToolMissing as error:
        raise Stop(BAD_USAGE, str(error)) from error
    except FlashingError as error:
        raise Stop(FAILED, str(error)) from error


def _build(arguments: Namespace) -> int:
    parts = build(arguments.output)
    for part in parts:
        print(f"{len(part.data):6}  {part.path}")
    print(f"{sum(len(part.data) for part in parts):6}  bytes in {arguments.output}")
    return ACCEPTED


def _install(arguments: Namespace) -> int:
    _check_usage(arguments)
    with TemporaryDirectory(prefix="pi-controller-firmware-") as folder:
        parts = built(arguments.folder) if arguments.folder else build(Path(folder))
    installs = _installer(parts, state_dir(arguments))
    if arguments.batch:
        return _batch_with_page(installs, arguments.count, arguments.page)
    print(installs(arguments.port or _only_pico()))
    return ACCEPTED


def _check_usage(arguments: Namespace) -> None:
    wrong = None
    if arguments.count is not None and (not arguments.batch or arguments.count < 1):
        wrong = "--count N, from 1 on, goes with --batch"
    elif arguments.page is not None and (not arguments.batch or not 0 <= arguments.page <= 65535):
        wrong = "--page PORT, 0 to 65535, goes with --batch"
    elif arguments.batch and arguments.port:
        wrong = "--batch looks for ports itself; leave --port out"
    if wrong:
        raise Stop(BAD_USAGE, f"pi-controller firmware install: {wrong}")


def _batch_with_page(installs: Callable[[str], str], count: int | None, page: int | None) -> int:
    bench = Bench()
    if page is None:
        return _batch(installs, count, bench)
    with served(bench, page) as address:
        print(f"page {address}", flush=True)
        return _batch(installs, count, bench)


def _batch(installs: Callable[[str], str], count: int | None, bench: Bench) -> int:
    failures = 0
    print("Plug in the first Pico. Ctrl-C ends.", flush=True)
    turns = one_after_the_other(pico_ports, installs, lambda: time.sleep(LOOK_S))
    for number, done in enumerate(turns, 1):
        failures += done.trouble is not None
        out = sys.stderr if done.trouble else sys.stdout
        print(f"{BELL}{number}: {done.sentence}", file=out, flush=True)
        bench.finished(done.sentence, good=done.trouble is None)
        if number == count:
            break
        print("Unplug it and plug in the next one.", flush=True)
    return FAILED if failures else ACCEPTED


def _installer(parts: tuple[FirmwarePart, ...], folder: Path) -> Callable[[str], str]:
    def install(device: str) -> str:
        with open_pico(device) as pico:
            about = pico.about()
            written = pico.install(parts, about.free)
        version = ".".join(map(str, about.micropython))
        entry = Entry(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            uid=about.uid,
            firmware=__version__,
            micropython=version,
            machine=about.machine,
        )
        try:
            note_flashed(folder, entry)
        except OSError as error:
            raise FlashingError(
                f"Pico {about.uid} is installed, but {error.filename}: {error.strerror}."
            ) from error
        files = f"{written} of {len(parts)} files written"
        return f"Pico {about.uid} is a table node now ({files}, MicroPython {version})."

    return install


def _only_pico() -> str:
    ports = pico_ports()
    if len(ports) == 1:
        return ports[0].device
    if not ports:
        boots = waits_for_uf2()
        raise Stop(
            FAILED,
            _WITHOUT_MICROPYTHON if boots else "No Pico is plugged in: plug one in, or name its --port.",
        )
    raise Stop(
        BAD_USAGE, f"Several Picos are plugged in ({_names(ports)}): name one with --port, or use --batch."
    )


_WITHOUT_MICROPYTHON = (
    "A Pico waits for MicroPython: copy the UF2 file of version 1.25 or newer onto its drive, then try again."
)


def _names(ports: tuple[Port, ...]) -> str:
    return ", ".join(port.device for port in ports)


def _list(arguments: Namespace) -> int:
    entries = flashed(state_dir(arguments))
    if not entries and not arguments.json:
        print("No Pico has got the firmware from here yet: `pi-controller firmware install` puts it on one.")
    for entry in entries:
        if arguments.json:
            print(json.dumps(asdict(entry)))
        else:
            print(f"{entry.uid}  {entry.when}  firmware {entry.firmware}  MicroPython {entry.micropython}")
    return ACCEPTED


TASKS: dict[str, Callable[[Namespace], int]] = {"build": _build, "install": _install, "list": _list}
