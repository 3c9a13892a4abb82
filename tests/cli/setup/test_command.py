"""`pi-controller setup` from the first question to the file, and everything that stops it."""

import os
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pi_controller.cli import setup as command
from pi_controller.cli.main import main
from pi_controller.cli.questions import YES, SetupMachine
from pi_controller.journal.pairing import read_key
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.settings import load
from pi_controller.web.http.access import PinFile
from pi_controller.web.http.addresses import staff_address
from tests.cli.conftest import Run
from tests.cli.setup.machines import Typist, machine_root
from tests.cli.setup.test_site_certificate import site_files

ENTER = ""
LANGUAGES = (ENTER, ENTER)
"""The first two questions, answered by what is there already."""
ANSWERS = """
hall = "Town hall"
panel = "real"
display = "spi"
second_copy = "/media/stick/pi-controller"
pair = true
reach = "network"
segments = { A = "/dev/tablebus/row-A" }
"""


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = machine_root(
        tmp_path / "root",
        adapters={"ttyUSB0": {"tablebus": "row-A"}, "ttyUSB1": {"tablebus": "row-B"}},
        mounts=("/media/stick",),
    )
    monkeypatch.setattr(command, "MACHINE", SetupMachine(root))
    monkeypatch.setenv("PI_CONTROLLER_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "etc"
    folder.mkdir()
    return folder / "settings.toml"


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", Typist("".join(f"{line}\n" for line in lines)))


def test_a_first_set_up_at_the_terminal(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(
        monkeypatch,
        *LANGUAGES,
        "Town hall",
        "real",  # panel
        "3", "2",  # button: no such number, then only NO
        "n",  # buzzer
        "2", "sh1106", "2",  # display, chip, address 0x3D
        ENTER,  # no shutdown button
        "default",  # sound
        "b", "b", "-",  # row-A is segment B; row-B cannot be it, too, and is none
        "7", "stick", "1", "yes",  # no such number, no path, then the stick, with a key
        "1", "tls", "99999", "8181",  # network, encrypted; port
        "print a new one here now",
        ENTER,
    )  # fmt: skip
    assert main(["setup", "--settings", str(file)]) == 0
    settings = load(file)
    assert settings.hall.name == "Town hall"
    assert (settings.hardware.lamps, settings.pause_button.contacts) == ("gpiozero", "no")
    assert (settings.web.staff_tls, settings.web.staff_port) == (True, 8443)
    assert (settings.buzzer.enabled, settings.sound.device) == (False, "default")
    assert (settings.display.controller, settings.display.i2c_address) == ("sh1106", 0x3D)
    assert [(segment.name, segment.port) for segment in settings.tables.segments] == [
        ("B", "/dev/tablebus/row-A")
    ]
    assert settings.journal.second_copy == "/media/stick/pi-controller"
    assert (settings.web.host, settings.web.port) == ("0.0.0.0", 8181)
    key = read_key(tmp_path / "state")
    assert key is not None
    said = capsys.readouterr().out
    assert f"A pairing key is made, mark {key.mark}" in said
    assert '+contacts = "no"' in said
    assert f"{file} is written." in said
    assert "it is not a full path" in said
    assert "Type one letter from A to Z that is not taken (B are), or -." in said
    assert "The new PIN is " in said
    assert key.text() not in said
    assert PinFile(tmp_path / "state" / "web").is_set()


def test_it_speaks_the_language_that_is_chosen_first(
    file: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("LC_ALL", "de_AT.UTF-8")
    types(monkeypatch, "Polski", "en", *[ENTER] * 9, "-", "-", *[ENTER] * 4, words(YES, "pl"), ENTER)
    said = run("setup", "--settings", file, "--dry-run").out
    before, after = said.split("Português (Brasil)\n", 1)
    assert words(Sentence("setup.language"), "de") in before
    assert words(Sentence("setup.hall"), "pl") in after
    assert words(Sentence("setup.nothing_changed"), "pl") in after
    assert '+languages = ["pl", "en"]' in after


@pytest.mark.parametrize(("language", "typed"), [("es", "SI No"), ("pt", "sim NAO"), ("pt-br", "Sim nao")])
def test_yes_and_no_are_understood_without_accents_and_in_capitals(
    file: Path, monkeypatch: pytest.MonkeyPatch, run: Run, language: str, typed: str
) -> None:
    yes, no = typed.split()
    panel = [ENTER, ENTER, ENTER, no, ENTER, ENTER, ENTER, yes, ENTER, "-", "-"]
    types(monkeypatch, language, ENTER, *panel, *[ENTER] * 4, no, *[no] * 3)
    said = run("setup", "--settings", file).out
    assert "+enabled = false" in said
    assert "+shutdown_button = " in said
    assert not file.exists()


def test_the_first_language_is_the_shells(file: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("LC_ALL", "pt_BR.UTF-8")
    types(monkeypatch, *LANGUAGES, *[ENTER] * 9, "-", "-", *[ENTER] * 6)
    assert '+languages = ["pt-BR"]' in run("setup", "--settings", file, "--dry-run").out


def test_enter_all_the_way_keeps_every_setting(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '# mine\n[display]\ncontrast = 5\n[tables]\nsegments = [{ name = "C", port = "/dev/tablebus/row-C" }]\n'
    file.write_text(text)
    before = load(file)
    types(monkeypatch, *LANGUAGES, *[ENTER] * 9, "-", "-", *[ENTER] * 6)
    assert main(["setup", "--settings", str(file)]) == 0
    assert load(file) == before
    (backup,) = [path for path in file.parent.iterdir() if path != file]
    assert backup.read_text() == text
    assert "(not plugged in now)" in capsys.readouterr().out


def test_unattended(file: Path, tmp_path: Path, run: Run) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text(ANSWERS)
    given = ["setup", "--settings", str(file), "--answers", str(answers)]
    said = run(*given, "--dry-run").out
    assert '+name = "Town hall"' in said
    assert said.endswith("Nothing was changed.\n")
    assert not file.exists()
    assert not (tmp_path / "state").exists()
    run(*given)
    table = tomllib.loads(file.read_text())
    assert (table["version"], table["display"]["bus"]) == (1, "spi")
    assert file.stat().st_mode & 0o777 == 0o644
    assert "is already like this" in run(*given).out
    assert [path.name for path in file.parent.iterdir()] == ["settings.toml"]


def test_what_pages_have_changed_is_named_since_the_file_says_it_in_vain(
    file: Path, tmp_path: Path, run: Run
) -> None:
    answers, folder = tmp_path / "answers.toml", tmp_path / "pages"
    answers.write_text(ANSWERS)
    folder.mkdir()
    (folder / "settings.pages.toml").write_text('version = 1\n[hall]\nname = "North"\n')
    given = ["setup", "--settings", str(file), "--answers", str(answers), "--state-dir", str(folder)]
    assert "until it is put back there: hall.name\n" in run(*given).out


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ('displey = "i2c"', 'displey = "i2c" answers no question; did you mean display?'),
        ('second_copy = "stick"', 'second_copy = "stick": it is not a full path'),
        ('hall = "a\\nb"', "it must be printable text on one line"),
        ('segments = { A = "ttyUSB0" }', "port must be the full path of a serial port"),
        ("version = 3", "answers no question"),
        ("[", "is not a TOML file"),
    ],
)
def test_wrong_answers_change_nothing(
    file: Path, tmp_path: Path, answers: str, sentence: str, run: Run
) -> None:
    path = tmp_path / "answers.toml"
    path.write_text(answers)
    said = run("setup", "--settings", file, "--answers", path, status=2).err
    assert sentence in said
    assert said.endswith("Nothing was changed.\n")
    assert not file.exists()


def test_answers_that_do_not_go_together_are_asked_again(
    file: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    file.write_text("[pins]\nsun_lamp = 10\n")
    before, after = [*LANGUAGES, *[ENTER] * 4], [ENTER] * 8
    types(
        monkeypatch,
        *before,
        "spi",
        ENTER,
        ENTER,
        ENTER,
        "-",
        "-",
        *after[:4],
        *before,
        "none",
        ENTER,
        ENTER,
        "-",
        "-",
        *after,
    )
    said = run("setup", "--settings", file).out
    assert "contradict each other; please go through them again" in said
    assert "BCM 10 belongs to SPI bus 0" in said
    assert load(file).hardware.display == "none"


def test_ctrl_c_and_no_and_an_early_end_change_nothing(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    types(monkeypatch, *LANGUAGES, "Town hall", "1")
    assert (
        "There were fewer answers than questions: nothing was changed."
        in run("setup", "--settings", file, status=2).err
    )

    def interrupted(_prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    run("setup", "--settings", file, status=130)
    assert not file.exists()
    assert not (tmp_path / "state").exists()


def test_a_name_can_be_taken_away(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[hall]\nname = "Town hall"\n')
    types(monkeypatch, *LANGUAGES, "-", *[ENTER] * 8, "-", "-", *[ENTER] * 6)
    assert main(["setup", "--settings", str(file)]) == 0
    assert load(file).hall.name == ""


def test_no_at_the_end_changes_nothing(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("")
    types(monkeypatch, *LANGUAGES, *[ENTER] * 9, "-", "-", *[ENTER] * 4, "maybe", "no")
    assert main(["setup", "--settings", str(file)]) == 0
    assert file.read_text() == ""
    assert not (tmp_path / "state").exists()


def test_where_it_may_not_write(file: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert (
        f"This user may not write {file}: run it with sudo" in run("setup", "--settings", file, status=3).err
    )
    assert (
        "install the controller first, or name another file"
        in run("setup", "--settings", "/nowhere/at/all/settings.toml", status=2).err
    )


def test_without_a_terminal(file: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(Typist, "isatty", lambda _self: False)
    types(monkeypatch)
    assert "The questions need a terminal: give --answers F" in run("setup", "--settings", file, status=2).err


def test_a_file_with_mistakes_or_of_another_version_is_left_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    file.write_text("version = 4\n")
    types(monkeypatch)
    assert "is a settings file of version 4" in run("setup", "--settings", file, status=2).err
    assert file.read_text() == "version = 4\n"


def test_a_damaged_pairing_key_stops_it_before_the_file(file: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "pairing.key").write_text("?")
    (tmp_path / "state" / "pairing.key").chmod(0o600)
    answers = tmp_path / "answers.toml"
    answers.write_text(ANSWERS)
    assert (
        "is damaged: remove it and pair again. Nothing was changed."
        in run("setup", "--settings", file, "--answers", answers, status=3).err
    )
    assert not file.exists()


def test_the_sites_own_certificate_is_asked_for_and_checked(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong file is asked for again at once; the rest stays as it was answered."""
    site = site_files(tmp_path, last=datetime.now(UTC) + timedelta(days=1))
    file.write_text('[web]\nhost = "0.0.0.0"\nallowed_hosts = ["old.example.org"]\n')
    before_transport = [ENTER] * 13
    types(
        monkeypatch, *LANGUAGES, *before_transport,
        "2", site.certificate_key, site.certificate, site.certificate_key, "pi.local", "clock.example.org",
        ENTER, "print a new one here now", "y",
    )  # fmt: skip
    assert main(["setup", "--settings", str(file)]) == 0, capsys.readouterr().err
    told = capsys.readouterr().out
    assert "holds no certificate" in told
    assert "not for “pi.local”" in told
    web = load(file).web
    assert (web.staff_tls, web.staff_port, web.staff_certificate) == (True, 8443, site.certificate)
    assert (web.staff_key, web.allowed_hosts) == (
        site.certificate_key,
        ("clock.example.org", "old.example.org"),
    )
    assert staff_address(web).printed() == "https://clock.example.org:8443"


def test_an_answers_file_with_a_certificate_that_does_not_do_changes_nothing(
    file: Path, tmp_path: Path, run: Run
) -> None:
    site = site_files(tmp_path, last=datetime.now(UTC) - timedelta(hours=1))
    answers = tmp_path / "answers.toml"
    answers.write_text(
        f'reach = "network"\ntransport = "site"\ncertificate = "{site.certificate}"\n'
        f'certificate_key = "{site.certificate_key}"\nopened_as = "clock.example.org"\n'
    )
    assert (
        f"The certificate {site.certificate} expired on 2"
        in run("setup", "--settings", file, "--answers", answers, status=2).err
    )
    assert not file.exists()
