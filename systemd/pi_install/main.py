"""The installer's command line."""

import argparse
import sys
from pathlib import Path

from pi_install import read_only, refusals
from pi_install.accounts import Accounts
from pi_install.bundle import make_bundle, target
from pi_install.files import FirstFile, PutFile
from pi_install.kit import Kit, open_kit
from pi_install.machine import FailedError, Machine, RefusedError
from pi_install.plan import (
    BROKER_FILES,
    DATA,
    SETTINGS,
    Choices,
    first_settings,
    frequency_steps,
    kiosk_steps,
    plan,
)
from pi_install.record import HOME, Record, load
from pi_install.release import DONE, RELEASES, remove
from pi_install.services import Services, must_start_again
from pi_install.step import Step, carry_out, take_away

HERE = Path(__file__).resolve().parents[2]
DONE_STATUS, FAILED, REFUSED = 0, 1, 2


def main(given: list[str], machine: Machine | None = None, here: Path = HERE) -> int:
    """0 done, 1 something failed on the way and was taken back, 2 refused or badly asked."""
    arguments = _parser().parse_args(given)
    try:
        return int(arguments.command(arguments, machine or Machine(), here))
    except RefusedError as refusal:
        print(refusal, file=sys.stderr)
        return REFUSED
    except FailedError as failure:
        print(failure, file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"{error.strerror}: {error.filename}", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="install.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    install = commands.add_parser("install", help="install, upgrade, or finish what was interrupted")
    install.add_argument("--dry-run", action="store_true", help="only say what would be done")
    install.add_argument(
        "--kiosk",
        action=argparse.BooleanOptionalAction,
        help="hall screen on the machine's own display (default: on a Pi)",
    )
    install.add_argument(
        "--frequency",
        choices=("full", "system"),
        help="processor: always at its full frequency, or as the system has it (default: full on a Pi)",
    )
    install.add_argument(
        "--settings", type=Path, metavar="F", help="first settings, where there are none yet"
    )
    install.add_argument(
        "--in-game", action="store_true", help="also while a game is played: it comes back paused"
    )
    install.set_defaults(command=_install)
    uninstall = commands.add_parser("uninstall", help="remove everything but data, settings and their user")
    uninstall.add_argument("--dry-run", action="store_true", help="only say what would be done")
    uninstall.add_argument("--purge", action="store_true", help="remove data, settings and user too")
    uninstall.set_defaults(command=_uninstall)
    rollback = commands.add_parser("rollback", help="go back to the release before")
    rollback.add_argument("--in-game", action="store_true", help="also while a game is played")
    rollback.set_defaults(command=_rollback)
    bundle = commands.add_parser("bundle", help="make a tar file to install from without a network")
    bundle.add_argument(
        "--python", metavar="3.N", help="Python of the machine that it is for (default: this one)"
    )
    bundle.add_argument("--machine", metavar="M", help="x86_64, aarch64 or armv7l (default: this one)")
    bundle.add_argument("--into", type=Path, default=Path("dist"), help="folder (default: dist)")
    bundle.set_defaults(command=_bundle)
    read_only.add_to(commands)
    return parser


def _install(arguments: argparse.Namespace, machine: Machine, here: Path) -> int:
    kit = open_kit(here)
    refusals.must_be_known_system(machine)
    if not arguments.dry_run:
        refusals.must_be_root("install")
    refusals.must_have_systemd(machine)
    refusals.must_be_writable(machine)
    record = load(machine)
    kiosk = _wants_kiosk(arguments.kiosk, machine, record)
    if kiosk:
        refusals.must_leave_the_screen(machine)
    settings = arguments.settings.read_bytes() if arguments.settings else first_settings()
    choices = Choices(kiosk, _wants_full_frequency(arguments.frequency, machine, record), settings)
    steps = plan(machine, kit, choices)
    if not arguments.dry_run and not arguments.in_game and _restarts(steps, machine, record):
        refusals.must_not_play(machine)
    if arguments.dry_run:
        return _carry_out(steps, machine, record, kit, choices, dry_run=True)
    with refusals.only_one(machine):
        return _carry_out(steps, machine, record, kit, choices, dry_run=False)


def _wants_kiosk(said: bool | None, machine: Machine, record: Record) -> bool:  # noqa: FBT001
    if said is not None:
        return said
    earlier = record["kiosk"]
    return machine.is_pi() if earlier is None else bool(earlier)


def _wants_full_frequency(said: str | None, machine: Machine, record: Record) -> bool:
    if said is not None:
        return said == "full"
    earlier = record["full_frequency"]
    return machine.is_pi() if earlier is None else bool(earlier)


def _restarts(steps: list[Step], machine: Machine, record: Record) -> bool:
    return any(isinstance(step, Services) and not step.is_done(machine, record) for step in steps)


def _carry_out(
    steps: list[Step], machine: Machine, record: Record, kit: Kit, choices: Choices, *, dry_run: bool
) -> int:
    if not record.finished:
        print("An earlier installation was interrupted; it is finished now.")
    services = next(step for step in steps if isinstance(step, Services))
    left = []
    if record["kiosk"] and not choices.kiosk:
        left.append(("remove the hall screen", kiosk_steps(kit)))
    if record["full_frequency"] and not choices.full_frequency:
        left.append(("leave the processor's frequency to the system", frequency_steps(kit)))
    for says, leaving in left:
        print(f"would {says}" if dry_run else says)
        take_away(leaving, machine, record, print, dry_run=dry_run)
    try:
        changed = carry_out(steps, machine, record, print, dry_run=dry_run)
    except FailedError:
        services.restart_older(machine)
        raise
    if dry_run:
        print(f"{changed} steps to do; nothing was changed.")
        return DONE_STATUS
    chosen = {"kiosk": choices.kiosk, "full_frequency": choices.full_frequency}
    for name, value in chosen.items():
        if record[name] != value:
            record.note(name, value)
    print(
        f"Installed: {kit.name}."
        if changed or left
        else "Everything is as it should be: nothing was changed."
    )
    return _last_advice(machine, record, kiosk=choices.kiosk)


def _last_advice(machine: Machine, record: Record, *, kiosk: bool) -> int:
    if must_start_again(machine, record):
        print("I2C, SPI and the watchdog come with the next start of the machine: sudo reboot")
    elif record["problem"]:
        print(
            f"Core does not start yet: {record['problem']}\nCorrect {SETTINGS}, then run: "
            "sudo systemctl restart pi-controller-core",
            file=sys.stderr,
        )
        return FAILED
    elif kiosk and not machine.ask_systemctl("is-active", "pi-controller-kiosk.service"):
        print("The hall screen comes with the next start of the machine: sudo reboot")
    return DONE_STATUS


def _uninstall(arguments: argparse.Namespace, machine: Machine, here: Path) -> int:
    if not arguments.dry_run:
        refusals.must_be_root("uninstall")
    refusals.must_be_writable(machine)
    record = load(machine)
    kit = open_kit(here)
    choices = Choices(
        kiosk=bool(record["kiosk"]), full_frequency=bool(record["full_frequency"]), settings=b""
    )
    steps = plan(machine, kit, choices)
    if arguments.dry_run:
        take_away(steps, machine, record, print, dry_run=True)
        return DONE_STATUS
    with refusals.only_one(machine):
        return _remove(steps, machine, record, purge=arguments.purge)


def _remove(steps: list[Step], machine: Machine, record: Record, *, purge: bool) -> int:
    take_away(steps, machine, record, print, dry_run=False)
    for path in record["files"] or []:  # of a release that had more of them
        PutFile(path, b"").undo(machine, record)
    packages = record["packages"] or []
    if purge:
        _purge(steps, machine, record)
    elif record.path.exists():
        record.finished = True
        record.note("running", None)
    remove(machine.at(f"{HOME}/before"))
    if not record["users"]:
        record.path.unlink(missing_ok=True)
    home = machine.at(HOME)
    if home.is_dir() and not any(home.iterdir()):
        home.rmdir()
    _say_what_stays(machine, packages)
    return DONE_STATUS


def _purge(steps: list[Step], machine: Machine, record: Record) -> None:
    remove(machine.at(DATA))
    remove(machine.at(BROKER_FILES))
    for step in steps:
        if isinstance(step, Accounts):
            step.purge(machine, record)
        elif isinstance(step, FirstFile):
            step.purge(machine)


def _say_what_stays(machine: Machine, packages: list[str]) -> None:
    stays = [path for path in (DATA, SETTINGS, BROKER_FILES) if machine.at(path).exists()]
    if stays:
        print(f"Removed. Your data stays: {', '.join(stays)}; without it: sudo make uninstall ARGS=--purge")
    else:
        print("Removed.")
    if packages:
        print(f"Packages of Debian stay; if nothing else needs them: sudo apt purge {' '.join(packages)}")


def _rollback(arguments: argparse.Namespace, machine: Machine, _here: Path) -> int:
    refusals.must_be_root("rollback")
    record = load(machine)
    before = record["previous"]
    place = machine.at(f"{RELEASES}/{before}")
    if before is None or not (place / DONE).is_file():
        raise RefusedError("There is no release before this one to go back to.")
    again = ["--in-game"] if arguments.in_game else []
    return main(["install", *again], machine, place / "kit")


def _bundle(arguments: argparse.Namespace, machine: Machine, here: Path) -> int:
    kit = open_kit(here)
    if kit.is_bundle:
        raise RefusedError("A bundle is made from a checkout, not from another bundle.")
    print(make_bundle(machine, kit, target(arguments.python, arguments.machine), arguments.into.resolve()))
    return DONE_STATUS
