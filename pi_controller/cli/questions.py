"""The questions, as data: what is asked, what is offered, and when a question makes sense; and what the
machine shows.
"""

import contextlib
import datetime as dt
import ipaddress
import os
import pwd
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from msgspec import Meta, Struct, inspect
from msgspec.structs import replace

from pi_controller.bus.values import SegmentPort
from pi_controller.hal.names import DisplayController, WiredContacts
from pi_controller.hal.system.facts import mounted_sticks
from pi_controller.journal.store import readable_by_others
from pi_controller.language.languages import ENGLISH, LANGUAGES, NAMES, UNPROOFED, Language
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence, as_told
from pi_controller.settings.checks import hall_name_problem, second_copy_problem
from pi_controller.settings.fault import SettingsFault, allowed, did_you_mean, excerpt, key_excerpt
from pi_controller.settings.load import read_text, table_of
from pi_controller.settings.sections import (
    ButtonDriver,
    DisplayBus,
    DisplayDriver,
    Driver,
    Settings,
    WebSettings,
)
from pi_controller.vocabulary import Nothing
from pi_controller.web.http.addresses import site_name

# The answers as one value: from present settings, from a file, and into settings.


NONE: Final = "none"
STAFF_PORT = 8443
"""As the installer's first settings have it."""
ANYBODY, ONLY_HERE = "0.0.0.0", "127.0.0.1"  # noqa: S104 - what the person at the console has chosen


Panel = Literal["real", "simulated", "none"]
PANELS: dict[Driver, Panel] = {"gpiozero": "real", "sim": "simulated", "none": "none"}
SITE: Final = "site"
Transport = Literal["tls", "site", "plain"]
"""Encrypted with the controller's own certificate, with the site's own, or not."""
PinChoice = Literal["display", "terminal", "keep"]


class SetupAnswers(Struct, frozen=True, kw_only=True):
    """One field a question; `pi-controller setup --answers` reads these names."""

    language: Language = ENGLISH
    """The hall's first, which `setup` itself speaks."""
    second_language: Nothing | Language = NONE
    """In turn with the first."""
    hall: Annotated[str, Meta(max_length=60)] = ""
    panel: Panel = "real"
    button: WiredContacts = "nc_no"
    buzzer: bool = True
    display: Literal["none", DisplayBus] = "i2c"
    controller: DisplayController = "ssd1306"
    address: Annotated[int, Meta(ge=0x08, le=0x77)] = 0x3C
    shutdown_button: bool = False
    sound: str = NONE
    segments: dict[str, str] = {}
    """Port by the segment's letter."""
    second_copy: str = NONE
    pair: bool = False
    reach: Literal["network", "this"] = "this"
    transport: Transport = "plain"
    """Of staff, judges and claiming phones."""
    certificate: str = ""
    """The site's own, and what follows."""
    certificate_key: str = ""
    opened_as: str = ""
    port: Annotated[int, Meta(ge=0, le=65535)] = 8080
    pin: PinChoice = "keep"


CHECKS = {"hall": hall_name_problem, "second_copy": second_copy_problem}
FIELDS = {field.name: field for field in msgspec.structs.fields(SetupAnswers)}


def from_settings(settings: Settings) -> SetupAnswers:
    """What would have been answered to get these settings."""
    hardware, display = settings.hardware, settings.display
    first, *more = settings.hall.languages
    return SetupAnswers(
        language=first,
        second_language=more[0] if more else NONE,
        hall=settings.hall.name,
        panel=PANELS[hardware.lamps],
        button=settings.pause_button.contacts,
        buzzer=settings.buzzer.enabled,
        display="none" if hardware.display == "none" else display.bus,
        controller=display.controller,
        address=display.i2c_address,
        shutdown_button=hardware.shutdown_button != "none",
        sound=settings.sound.device,
        segments={segment.name: segment.port for segment in settings.tables.segments},
        second_copy=settings.journal.second_copy or NONE,
        reach="this" if settings.web.host in {ONLY_HERE, "localhost", "::1"} else "network",
        transport=_transport_of(settings.web),
        certificate=settings.web.staff_certificate,
        certificate_key=settings.web.staff_key,
        opened_as=site_name(settings.web),
        port=settings.web.port,
    )


def from_file(path: Path, before: SetupAnswers) -> SetupAnswers:
    """The answers of this TOML file over those `before`. SettingsFault with every mistake."""
    answers = before
    problems: list[Sentence] = []
    for name, value in table_of(read_text(path), path).items():
        if name not in FIELDS:
            remedy = did_you_mean(name, FIELDS)
            answer, said = key_excerpt(name), excerpt(value)
            problems.append(Sentence("setup.answers_no_question", name=answer, value=said, remedy=remedy))
            continue
        try:
            answers = replace(answers, **{name: convert(name, value)})
        except NoAnswer as no_answer:
            problems.append(no_answer.sentence)
    if problems:
        raise SettingsFault(tuple(problems))
    return answers


class NoAnswer(SaidError, ValueError):  # noqa: N818 - told to who answered
    """What was said is no answer to the question."""

    def __str__(self) -> str:
        return words(self.sentence)


def convert(name: str, value: object) -> Any:
    """An answer as its question wants it; NoAnswer when it is none."""
    kind = FIELDS[name].type
    try:
        answer = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        wanted = Sentence("setup.ports_by_letter") if name == "segments" else allowed(inspect.type_info(kind))
        raise NoAnswer(Sentence("setup.no_answer", name=name, value=excerpt(value), wanted=wanted)) from None
    problem = CHECKS[name](answer) if name in CHECKS and answer != NONE else None
    if problem is not None:
        raise NoAnswer(Sentence("setup.answer_wrong", name=name, value=excerpt(value), problem=problem))
    return answer


def into_settings(answers: SetupAnswers, before: Settings) -> Settings:
    """These settings with the answers in them; what no question is about stays. Not checked."""
    simulated = answers.panel == "simulated"
    driver = next(driver for driver, panel in PANELS.items() if panel == answers.panel)
    switch: Driver = "sim" if simulated else "gpiozero"
    # Without a panel a USB key may be the button; one beside a panel was written into the file by hand.
    by_hand = before.hardware.pause_button == "usb" and PANELS[before.hardware.lamps] == answers.panel
    button: ButtonDriver = "usb" if by_hand or answers.panel == NONE else driver
    display: DisplayDriver = "sim" if simulated else "luma"
    hardware = replace(
        before.hardware,
        lamps=driver,
        buzzer=driver,
        pause_button=button,
        display="none" if answers.display == "none" else display,
        sound="sim" if simulated else "alsa",
        shutdown_button=switch if answers.shutdown_button else "none",
    )
    ports = tuple(SegmentPort(name=name, port=port) for name, port in sorted(answers.segments.items()))
    same_reach = from_settings(before).reach == answers.reach
    host = before.web.host if same_reach else (ANYBODY if answers.reach == "network" else ONLY_HERE)
    return replace(
        before,
        hall=replace(before.hall, name=answers.hall, languages=_languages(answers)),
        hardware=hardware,
        pause_button=replace(before.pause_button, contacts=answers.button),
        buzzer=replace(before.buzzer, enabled=answers.buzzer),
        display=_display(answers, before),
        sound=replace(before.sound, device=answers.sound),
        tables=replace(before.tables, segments=ports),
        journal=replace(
            before.journal, second_copy="" if answers.second_copy == NONE else answers.second_copy
        ),
        web=replace(_transport(answers, before.web), host=host, port=answers.port),
    )


def _languages(answers: SetupAnswers) -> tuple[Language, ...]:
    if answers.second_language == NONE:
        return (answers.language,)
    return tuple(dict.fromkeys((answers.language, answers.second_language)))


def _transport(answers: SetupAnswers, before: WebSettings) -> WebSettings:
    if answers.transport == "plain":
        encrypted = {"staff_port": 0} if before.staff_tls else {}
        return replace(before, staff_tls=False, staff_certificate="", staff_key="", **encrypted)
    web = replace(before, staff_tls=True, staff_port=before.staff_port or STAFF_PORT)
    if answers.transport == "tls":
        return replace(web, staff_certificate="", staff_key="")
    own = (answers.opened_as,) if answers.opened_as else ()
    others = (name for name in before.allowed_hosts if name not in own)
    return replace(
        web,
        staff_certificate=answers.certificate,
        staff_key=answers.certificate_key,
        allowed_hosts=(*own, *others),
    )


def _transport_of(web: WebSettings) -> Transport:
    if not web.staff_tls:
        return "plain"
    return SITE if web.staff_certificate else "tls"


def _display(answers: SetupAnswers, before: Settings) -> Any:
    if answers.display == "none":
        return before.display
    return replace(
        before.display, bus=answers.display, controller=answers.controller, i2c_address=answers.address
    )


# Whether the site's own certificate can serve the staff's pages: each doubt as one sentence.


HIDDEN = (Path("/home"), Path("/root"), Path("/run/user"), Path("/tmp"), Path("/var/tmp"))  # noqa: S108
"""What the installed service does not see (`ProtectHome`, `PrivateTmp`)."""


@dataclass(frozen=True, slots=True)
class SiteCertificate:
    """`state`: the state folder, whose owner's account reads the files when the services run."""

    state: Path
    now: dt.datetime

    def problem(self, answers: SetupAnswers) -> Sentence | None:
        """The first of what is wrong where the site's own certificate is chosen."""
        if answers.transport == SITE:
            try:
                self.check_certificate(answers)
                self.check_key(answers)
                self.check_name(answers)
            except NoAnswer as doubt:
                return doubt.sentence
        return None

    def check_certificate(self, answers: SetupAnswers) -> x509.Certificate:
        """It can be read, is one, and is good today. Raises NoAnswer."""
        path = answers.certificate
        content = self._read(path)
        try:
            found = x509.load_pem_x509_certificate(content)
        except ValueError as error:
            raise NoAnswer(Sentence("certificate.is_none", path=path)) from error
        first, last = found.not_valid_before_utc, found.not_valid_after_utc
        if last < self.now:
            raise NoAnswer(Sentence("certificate.expired", path=path, day=f"{last:%Y-%m-%d}"))
        if first > self.now:
            day, today = f"{first:%Y-%m-%d}", f"{self.now:%Y-%m-%d}"
            raise NoAnswer(Sentence("certificate.not_yet", path=path, day=day, today=today))
        return found

    def check_key(self, answers: SetupAnswers) -> None:
        """The same, and the key is that of the certificate and nobody else's to read. Raises NoAnswer."""
        path = answers.certificate_key
        content = self._read(path)
        try:
            key = serialization.load_pem_private_key(content, None)
        except (ValueError, TypeError) as error:  # TypeError: it has a password
            raise NoAnswer(Sentence("certificate.no_key", path=path)) from error
        if _public(key.public_key()) != _public(self.check_certificate(answers).public_key()):
            raise NoAnswer(Sentence("certificate.other_key", key=path, certificate=answers.certificate))
        if readable_by_others(Path(path)) is not None:
            raise NoAnswer(Sentence("certificate.key_readable", path=path))

    def check_name(self, answers: SetupAnswers) -> None:
        """The certificate is for the name that the pages are opened by. Raises NoAnswer."""
        names = _names(self.check_certificate(answers))
        if not any(_covers(name, answers.opened_as.lower().rstrip(".")) for name in names):
            path, told, name = answers.certificate, ", ".join(names) or "-", answers.opened_as
            raise NoAnswer(Sentence("certificate.other_name", path=path, names=told, name=name))

    def _read(self, path: str) -> bytes:
        file = Path(path)
        if not file.is_absolute():
            raise NoAnswer(Sentence("certificate.no_full_path", path=path))
        account = self._account()
        if account is not None and (hidden := next(filter(file.resolve().is_relative_to, HIDDEN), None)):
            raise NoAnswer(Sentence("certificate.not_seen", path=path, folder=str(hidden)))
        try:
            with _as(account):
                return file.read_bytes()
        except PermissionError as error:
            name = (account or pwd.getpwuid(os.geteuid())).pw_name
            raise NoAnswer(Sentence("certificate.not_readable_by", path=path, account=name)) from error
        except OSError as error:
            raise NoAnswer(Sentence("certificate.not_readable", path=path, why=why(error))) from error

    def _account(self) -> pwd.struct_passwd | None:
        """The services', where root sets up for them."""
        owner = self.state.stat().st_uid if os.geteuid() == 0 and self.state.is_dir() else 0
        return pwd.getpwuid(owner) if owner else None


@contextlib.contextmanager
def _as(account: pwd.struct_passwd | None) -> Iterator[None]:
    """With the rights of this account; None: one's own."""
    if account is None:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups(os.getgrouplist(account.pw_name, account.pw_gid))
    os.setegid(account.pw_gid)
    os.seteuid(account.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _public(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:  # browsers look nowhere else
        return []
    addresses = found.get_values_for_type(x509.IPAddress)
    return [*found.get_values_for_type(x509.DNSName), *map(str, addresses)]


def _covers(named: str, name: str) -> bool:
    """Whether a certificate for `named`, which may begin with `*.`, is one for this name."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(named) == ipaddress.ip_address(name.strip("[]"))
    named = named.lower()
    first, _, rest = name.partition(".")
    return name == named or (bool(first) and named == f"*.{rest}")


COPY_FOLDER = "pi-controller"
"""Made on the stick, so that the copy cannot land in an empty mount point when the stick is gone."""
PORT_FOLDERS = ("tablebus", "serial/by-id", "serial/by-path")
"""Below /dev, the best names first: those of our own udev rules, by serial number, by USB socket."""


@dataclass(frozen=True, slots=True)
class SetupMachine:
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
class SetupQuestion:
    """`name` is the field of `SetupAnswers`; with `free` another text than those offered may be typed."""

    name: str
    text: Sentence
    options: Mapping[Any, Sentence] = field(default_factory=dict)
    """Answers that are offered, and what each means."""
    free: bool = False
    applies: Callable[[SetupAnswers], bool] = lambda _answers: True
    check: Callable[[SetupAnswers], object] = lambda _answers: None
    """Raises NoAnswer when it must be asked again, these being the answers so far."""


YES, NO = Sentence("setup.yes"), Sentence("setup.no")


def questions(
    machine: SetupMachine,
    site: SiteCertificate,
    spoken_before: Sequence[str] = (),
    *,
    paired: bool,
    core_answers: bool,
) -> tuple[SetupQuestion, ...]:
    """All but the one for the segments, which comes after `sound` and asks port by port. From the answer to
    the first on `setup` speaks that language."""
    not_fitted, none, yes_no = Sentence("setup.not_fitted"), Sentence("setup.none"), {True: YES, False: NO}
    languages = {language: as_told(NAMES[language]) for language in LANGUAGES}
    languages |= {
        language: Sentence("setup.unproofed", language=NAMES[language])
        for language in spoken_before
        if language in UNPROOFED
    }
    plugged_in = dict.fromkeys(machine.copy_folders(), Sentence("setup.plugged_in_now"))
    panels = {
        "real": Sentence("setup.panel_real"),
        "simulated": Sentence("setup.panel_simulated"),
        "none": not_fitted,
    }
    contacts = {"nc_no": Sentence("setup.button_nc_no"), "no": Sentence("setup.button_no")}
    buses = {"none": not_fitted, "i2c": Sentence("setup.display_i2c"), "spi": Sentence("setup.display_spi")}
    chips = {chip: as_told(chip.upper()) for chip in get_args(DisplayController)}
    addresses = {address: as_told(f"0x{address:X}") for address in (0x3C, 0x3D)}
    devices = {NONE: not_fitted, "default": Sentence("setup.sound_default")}
    reach = {"network": Sentence("setup.reach_network"), "this": Sentence("setup.reach_this")}
    transport = {
        "tls": Sentence("setup.transport_tls"),
        SITE: Sentence("setup.transport_site"),
        "plain": Sentence("setup.transport_plain"),
    }
    pin = {"display": Sentence("setup.pin_on_display")} if core_answers else {}
    pin |= {"terminal": Sentence("setup.pin_here"), "keep": Sentence("setup.pin_stays")}

    def of_site(name: str, text: Sentence, check: Callable[[SetupAnswers], object]) -> SetupQuestion:
        return SetupQuestion(
            name,
            text,
            free=True,
            applies=lambda answers: answers.reach == "network" and answers.transport == SITE,
            check=check,
        )

    return (
        SetupQuestion("language", Sentence("setup.language"), languages),
        SetupQuestion("second_language", Sentence("setup.second_language"), {NONE: none} | languages),
        SetupQuestion("hall", Sentence("setup.hall"), free=True),
        SetupQuestion("panel", Sentence("setup.panel"), panels),
        SetupQuestion("button", Sentence("setup.button"), contacts),
        SetupQuestion("buzzer", Sentence("setup.buzzer"), yes_no),
        SetupQuestion("display", Sentence("setup.display"), buses),
        SetupQuestion(
            "controller",
            Sentence("setup.controller"),
            chips,
            applies=lambda answers: answers.display != "none",
        ),
        SetupQuestion(
            "address", Sentence("setup.address"), addresses, applies=lambda answers: answers.display == "i2c"
        ),
        SetupQuestion("shutdown_button", Sentence("setup.shutdown_button"), yes_no),
        SetupQuestion("sound", Sentence("setup.sound"), devices, free=True),
        SetupQuestion("second_copy", Sentence("setup.second_copy"), plugged_in | {NONE: none}, free=True),
        SetupQuestion(
            "pair",
            Sentence("setup.pair"),
            yes_no,
            applies=lambda answers: answers.second_copy != NONE and not paired,
        ),
        SetupQuestion("reach", Sentence("setup.reach"), reach),
        SetupQuestion(
            "transport",
            Sentence("setup.transport"),
            transport,
            applies=lambda answers: answers.reach == "network",
        ),
        of_site("certificate", Sentence("setup.certificate"), site.check_certificate),
        of_site("certificate_key", Sentence("setup.certificate_key"), site.check_key),
        of_site("opened_as", Sentence("setup.opened_as"), site.check_name),
        SetupQuestion("port", Sentence("setup.port"), free=True),
        SetupQuestion("pin", Sentence("setup.pin"), pin),
    )
