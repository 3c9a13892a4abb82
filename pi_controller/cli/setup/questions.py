"""The questions, as data: what is asked, what is offered, and when a question makes sense; and what the
machine shows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pi_controller.cli.setup.answers import NONE, SITE, Answers
from pi_controller.cli.setup.site_certificate import SiteCertificate
from pi_controller.hal.names import DisplayController
from pi_controller.hal.system.sticks import mounted_sticks
from pi_controller.language.languages import LANGUAGES, NAMES
from pi_controller.sentence import Sentence, as_told

COPY_FOLDER = "pi-controller"
"""Made on the stick, so that the copy cannot land in an empty mount point when the stick is gone."""
PORT_FOLDERS = ("tablebus", "serial/by-id", "serial/by-path")
"""Below /dev, the best names first: those of our own udev rules, by serial number, by USB socket."""


@dataclass(frozen=True, slots=True)
class Machine:
    """`root` is the root of the file system; tests give another."""

    root: Path = Path("/")

    def ports(self) -> tuple[str, ...]:
        """Serial ports that are there, each once, by the best name that stays with the adapter."""
        best: dict[Path, str] = {}
        for folder in PORT_FOLDERS:
            for link in _entries(self.root / "dev" / folder):
                best.setdefault(link.resolve(), f"/{link.relative_to(self.root)}")
        return tuple(sorted(best.values()))

    def copy_folders(self) -> tuple[str, ...]:
        """A folder on each stick or disk that is mounted where sticks are."""
        return tuple(f"{stick.place}/{COPY_FOLDER}" for stick in mounted_sticks(self.root))

    def is_pi(self) -> bool:
        return "Raspberry Pi" in "".join(_lines(self.root / "proc" / "device-tree" / "model"))


def _entries(folder: Path) -> Iterable[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else ()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that is offered; `label` says what it means."""

    value: Any
    label: Sentence


@dataclass(frozen=True, slots=True)
class Question:
    """`name` is the field of `Answers`; with `free` another text than those offered may be typed."""

    name: str
    text: Sentence
    options: tuple[Option, ...] = ()
    free: bool = False
    applies: Callable[[Answers], bool] = lambda _answers: True
    problem: Callable[[Answers], Sentence | None] = lambda _answers: None
    """Why it must be asked again, when these are the answers so far."""


NOT_FITTED = Sentence("setup.not_fitted")
YES, NO = Sentence("setup.yes"), Sentence("setup.no")
YES_NO = (Option(value=True, label=YES), Option(value=False, label=NO))


def questions(
    machine: Machine, site: SiteCertificate, *, paired: bool, core_answers: bool
) -> tuple[Question, ...]:
    """All but the one for the segments, which comes after `sound` and asks port by port."""
    pin = (
        Option("display", Sentence("setup.pin_on_display")),
        Option("terminal", Sentence("setup.pin_here")),
        Option("keep", Sentence("setup.pin_stays")),
    )
    return (
        *language_questions(),
        *panel_questions(),
        Question(
            "second_copy",
            Sentence("setup.second_copy"),
            (*_copies(machine), Option(NONE, Sentence("setup.none"))),
            free=True,
        ),
        Question(
            "pair",
            Sentence("setup.pair"),
            YES_NO,
            applies=lambda answers: answers.second_copy != NONE and not paired,
        ),
        Question(
            "reach",
            Sentence("setup.reach"),
            (
                Option("network", Sentence("setup.reach_network")),
                Option("this", Sentence("setup.reach_this")),
            ),
        ),
        *transport_questions(site),
        Question("port", Sentence("setup.port"), free=True),
        Question("pin", Sentence("setup.pin"), pin if core_answers else pin[1:]),
    )


def transport_questions(site: SiteCertificate) -> tuple[Question, ...]:
    """How staff, judges and claiming phones come; the site's own certificate is checked file by file."""

    def asked(answers: Answers) -> bool:
        return answers.reach == "network" and answers.transport == SITE

    return (
        Question(
            "transport",
            Sentence("setup.transport"),
            (
                Option("tls", Sentence("setup.transport_tls")),
                Option(SITE, Sentence("setup.transport_site")),
                Option("plain", Sentence("setup.transport_plain")),
            ),
            applies=lambda answers: answers.reach == "network",
        ),
        Question(
            "certificate",
            Sentence("setup.certificate"),
            free=True,
            applies=asked,
            problem=site.problem_of_certificate,
        ),
        Question(
            "certificate_key",
            Sentence("setup.certificate_key"),
            free=True,
            applies=asked,
            problem=site.problem_of_key,
        ),
        Question(
            "opened_as",
            Sentence("setup.opened_as"),
            free=True,
            applies=asked,
            problem=site.problem_of_name,
        ),
    )


def language_questions() -> tuple[Question, ...]:
    """The first ones; from the answer on `setup` speaks that language."""
    offered = tuple(Option(language, as_told(NAMES[language])) for language in LANGUAGES)
    return (
        Question("language", Sentence("setup.language"), offered),
        Question(
            "second_language",
            Sentence("setup.second_language"),
            (Option(NONE, Sentence("setup.none")), *offered),
        ),
    )


def panel_questions() -> tuple[Question, ...]:
    """Those about what is wired, and the hall's name."""
    return (
        Question("hall", Sentence("setup.hall"), free=True),
        Question(
            "panel",
            Sentence("setup.panel"),
            (
                Option("real", Sentence("setup.panel_real")),
                Option("simulated", Sentence("setup.panel_simulated")),
                Option("none", NOT_FITTED),
            ),
        ),
        Question(
            "button",
            Sentence("setup.button"),
            (Option("nc_no", Sentence("setup.button_nc_no")), Option("no", Sentence("setup.button_no"))),
        ),
        Question("buzzer", Sentence("setup.buzzer"), YES_NO),
        Question(
            "display",
            Sentence("setup.display"),
            (
                Option("none", NOT_FITTED),
                Option("i2c", Sentence("setup.display_i2c")),
                Option("spi", Sentence("setup.display_spi")),
            ),
        ),
        Question(
            "controller",
            Sentence("setup.controller"),
            tuple(Option(chip, as_told(chip.upper())) for chip in get_args(DisplayController)),
            applies=lambda answers: answers.display != "none",
        ),
        Question(
            "address",
            Sentence("setup.address"),
            (Option(0x3C, as_told("0x3C")), Option(0x3D, as_told("0x3D"))),
            applies=lambda answers: answers.display == "i2c",
        ),
        Question("shutdown_button", Sentence("setup.shutdown_button"), YES_NO),
        Question(
            "sound",
            Sentence("setup.sound"),
            (Option(NONE, NOT_FITTED), Option("default", Sentence("setup.sound_default"))),
            free=True,
        ),
    )


def _copies(machine: Machine) -> tuple[Option, ...]:
    return tuple(Option(folder, Sentence("setup.plugged_in_now")) for folder in machine.copy_folders())
