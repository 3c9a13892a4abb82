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
    argument,
    command,
    flag,
    state_dir,
    whole_number,
)
from pi_controller.flashing.build import FirmwarePart, FlashingError, build, built
from pi_controller.flashing.image import node_key
from pi_controller.flashing.picos import (
    FlashingProgress,
    Installation,
    flashed,
    note_flashed,
    one_after_the_other,
    open_pico,
    pico_ports,
    served,
    waits_for_uf2,
)
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

DEFAULT_FOLDER = Path("build") / "firmware"
BELL = "\a"
LOOK_S = 0.5


@command(
    "firmware build",
    argument("-o", "--output", type=Path, default=DEFAULT_FOLDER, shown="D"),
    meaning=Sentence("help.firmware_build"),
    in_state_dir=False,
)
def build_files(arguments: Namespace) -> None:
    """Compile it into a folder."""
    parts = build(arguments.output)
    for part in parts:
        print(f"{len(part.data):6}  {part.path}")
    whole, folder = sum(len(part.data) for part in parts), str(arguments.output)
    print(words(Sentence("firmware.bytes_in_folder", bytes=whole, folder=folder)))


@command(
    "firmware install",
    argument("--port", shown="P", meaning=Sentence("help.firmware_port")),
    argument("--from", dest="folder", type=Path, shown="D", meaning=Sentence("help.firmware_from")),
    flag("--batch", Sentence("help.firmware_batch")),
    argument("--count", type=whole_number, shown="N", meaning=Sentence("help.firmware_count")),
    argument(
        "--page", type=whole_number, shown=Sentence("metavar.port"), meaning=Sentence("help.firmware_page")
    ),
    meaning=Sentence("help.firmware_install"),
)
def install(arguments: Namespace) -> int:
    """On one Pico, or with `--batch` on one after the other; 1 when one could not be served."""
    _check_usage(arguments)
    with TemporaryDirectory(prefix="pi-controller-firmware-") as place:
        parts = built(arguments.folder) if arguments.folder else build(Path(place))
    folder = state_dir(arguments)
    installs = _installer(parts, node_key(folder), folder)
    if arguments.batch:
        bench = FlashingProgress()
        if arguments.page is None:
            return _batch(installs, arguments.count, bench)
        with served(bench, arguments.page) as address:
            print(words(Sentence("firmware.page_at", address=address)), flush=True)
            return _batch(installs, arguments.count, bench)
    print(words(installs(arguments.port or _only_pico())))
    return ACCEPTED


def _check_usage(arguments: Namespace) -> None:
    wrong = None
    if arguments.count is not None and (not arguments.batch or arguments.count < 1):
        wrong = Sentence("firmware.count_with_batch")
    elif arguments.page is not None and (not arguments.batch or not 0 <= arguments.page <= 65535):
        wrong = Sentence("firmware.page_with_batch", port=Sentence("metavar.port"))
    elif arguments.batch and arguments.port:
        wrong = Sentence("firmware.batch_without_port")
    if wrong:
        raise Stop(BAD_USAGE, wrong)


def _batch(installs: Callable[[str], Sentence], count: int | None, bench: FlashingProgress) -> int:
    failures = 0
    print(words(Sentence("firmware.plug_in_until_ctrl_c")), flush=True)
    turns = one_after_the_other(pico_ports, installs, lambda: time.sleep(LOOK_S))
    for number, done in enumerate(turns, 1):
        failures += done.trouble is not None
        out = sys.stderr if done.trouble else sys.stdout
        print(f"{BELL}{number}: {words(done.sentence)}", file=out, flush=True)
        bench.finished(done.sentence, good=done.trouble is None)
        if number == count:
            break
        print(words(Sentence("firmware.plug_in_the_next")), flush=True)
    return FAILED if failures else ACCEPTED


def _installer(parts: tuple[FirmwarePart, ...], key: bytes, folder: Path) -> Callable[[str], Sentence]:
    def install(device: str) -> Sentence:
        with open_pico(device) as pico:
            about = pico.about()
            written = pico.install(parts, key, about.free)
        version = ".".join(map(str, about.micropython))
        entry = Installation(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            uid=about.uid,
            firmware=__version__,
            micropython=version,
            machine=about.machine,
        )
        try:
            note_flashed(folder, entry)
        except OSError as error:
            path = str(error.filename)
            raise FlashingError(
                Sentence("firmware.not_noted", uid=about.uid, path=path, why=why(error))
            ) from error
        return Sentence(
            "firmware.installed", uid=about.uid, written=written, count=len(parts) + 1, version=version
        )

    return install


def _only_pico() -> str:
    ports = pico_ports()
    if len(ports) == 1:
        return ports[0].device
    if not ports:
        boots = waits_for_uf2()
        raise Stop(
            FAILED, Sentence("firmware.waits_for_micropython") if boots else Sentence("firmware.no_pico")
        )
    names = ", ".join(port.device for port in ports)
    raise Stop(BAD_USAGE, Sentence("firmware.several_picos", ports=names))


@command("firmware list", argument("--json", action="store_true"), meaning=Sentence("help.firmware_list"))
def list_flashed(arguments: Namespace) -> None:
    """What has been put on Picos here."""
    entries = flashed(state_dir(arguments))
    if not entries and not arguments.json:
        print(words(Sentence("firmware.none_yet")))
    for entry in entries:
        if arguments.json:
            print(json.dumps(asdict(entry)))
        else:
            told = Sentence(
                "firmware.entry",
                uid=entry.uid,
                when=entry.when,
                firmware=entry.firmware,
                micropython=entry.micropython,
            )
            print(words(told))
