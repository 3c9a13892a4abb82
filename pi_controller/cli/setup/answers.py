"""The answers as one value: from present settings, from a file, and into settings."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, inspect
from msgspec.structs import replace

from pi_controller.bus.values import SegmentPort
from pi_controller.hal.names import DisplayController, WiredContacts
from pi_controller.language.languages import ENGLISH, Language
from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.checks import hall_name_problem, second_copy_problem
from pi_controller.settings.fault import SettingsFault, allowed, did_you_mean
from pi_controller.settings.load import read_text, table_of
from pi_controller.settings.sections import DisplayBus, DisplayDriver, Driver, Settings, Web
from pi_controller.settings.toml import excerpt, key_excerpt
from pi_controller.web.http.addresses import site_name

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


class Answers(Struct, frozen=True, kw_only=True):
    """One field a question; `pi-controller setup --answers` reads these names."""

    language: Language = ENGLISH
    """The hall's first, which `setup` itself speaks."""
    second_language: Literal["none", Language] = NONE
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
FIELDS = {field.name: field for field in msgspec.structs.fields(Answers)}


def from_settings(settings: Settings) -> Answers:
    """What would have been answered to get these settings."""
    hardware, display = settings.hardware, settings.display
    first, *more = settings.hall.languages
    return Answers(
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


def from_file(path: Path, before: Answers) -> Answers:
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


def into_settings(answers: Answers, before: Settings) -> Settings:
    """These settings with the answers in them; what no question is about stays. Not checked."""
    simulated = answers.panel == "simulated"
    driver = next(driver for driver, panel in PANELS.items() if panel == answers.panel)
    switch: Driver = "sim" if simulated else "gpiozero"
    display: DisplayDriver = "sim" if simulated else "luma"
    hardware = replace(
        before.hardware,
        lamps=driver,
        buzzer=driver,
        pause_button=driver,
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


def _languages(answers: Answers) -> tuple[Language, ...]:
    if answers.second_language == NONE:
        return (answers.language,)
    return tuple(dict.fromkeys((answers.language, answers.second_language)))


def _transport(answers: Answers, before: Web) -> Web:
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


def _transport_of(web: Web) -> Transport:
    if not web.staff_tls:
        return "plain"
    return SITE if web.staff_certificate else "tls"


def _display(answers: Answers, before: Settings) -> Any:
    if answers.display == "none":
        return before.display
    return replace(
        before.display, bus=answers.display, controller=answers.controller, i2c_address=answers.address
    )
