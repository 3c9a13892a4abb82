"""A settings file and everything that can be wrong with it."""

import os
from pathlib import Path

import msgspec
import pytest

from pi_controller.game.commands import Step
from pi_controller.language.words import all_words, words
from pi_controller.settings import Settings, SettingsFault, load
from pi_controller.settings.load import DEFAULTS, FILE_NAME, LAST_GOOD, load_or_make_do


def problems(tmp_path: Path, text: str | bytes) -> tuple[str, ...]:
    file = tmp_path / "s.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsFault) as fault:
        load(file)
    assert str(fault.value) == "\n".join(all_words(fault.value.problems))
    return tuple(all_words(fault.value.problems))


def settings(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "s.toml"
    file.write_text(text)
    return load(file)


def test_without_a_file_everything_is_at_its_default() -> None:
    assert load(None) == Settings()
    assert Settings().pins.sun_lamp == 12
    assert Settings().game.schedule == (Step(1, 35), Step(11, 45))


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    assert settings(tmp_path, "") == Settings()


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    text = '[game]\nschedule = [{ from_round = 1, seconds = 20.5 }]\nfirst_side = "drawn"\n[web]\nallowed_hosts = ["clock.local"]'
    read = settings(tmp_path, text)
    assert read.game.schedule == (Step(1, 20.5),)
    assert read.game.first_side == "drawn"
    assert read.web.allowed_hosts == ("clock.local",)
    assert read.pins == Settings().pins


def test_a_hall_has_one_language_or_two(tmp_path: Path) -> None:
    assert load(None).hall.languages == ("en",)
    assert settings(tmp_path, '[hall]\nlanguages = ["pt-BR", "en"]').hall.languages == ("pt-BR", "en")


@pytest.mark.parametrize(
    ("written", "meant"), [("pt_BR", "pt-BR"), ("pt-PT", "pt"), ("de-AT", "de"), ("EN_GB", "en")]
)
def test_a_language_may_be_written_with_another_region_or_an_underscore(
    tmp_path: Path, written: str, meant: str
) -> None:
    assert settings(tmp_path, f'[hall]\nlanguages = ["{written}"]').hall.languages == (meant,)


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(AttributeError):
        Settings().web.port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("hardware", "driver", "display"),
    [("sim", "sim", "sim"), ("pi", "gpiozero", "luma"), ("none", "none", "none"), (None, "gpiozero", "luma")],
)
def test_hardware_sets_all_roles(hardware: str | None, driver: str, display: str) -> None:
    roles = load(None, hardware).hardware  # type: ignore[arg-type]
    assert (roles.lamps, roles.buzzer, roles.display) == (driver, driver, display)
    assert roles.pause_button == ("usb" if hardware == "none" else driver)
    assert roles.pin_factory == "lgpio"


def test_a_display_that_is_not_fitted_stays_so_on_a_pi(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[hardware]\ndisplay = "none"')
    assert load(file, "pi").hardware.display == "none"
    assert load(file, "sim").hardware.display == "sim"


@pytest.mark.parametrize(("hardware", "sound"), [("sim", "sim"), ("pi", "alsa"), (None, "alsa")])
def test_a_simulated_hall_leaves_the_loudspeaker_alone(hardware: str | None, sound: str) -> None:
    assert load(None, hardware).hardware.sound == sound  # type: ignore[arg-type]


LEAVES = [
    ("[pins]\nsun_lamp = 28", "[pins] sun_lamp = 28 cannot be used: write a whole number from 0 to 27; the default is 12."),
    ("[pins]\nsun_lamp = true", "[pins] sun_lamp = true cannot be used: write a whole number from 0 to 27; the default is 12."),
    ('[web]\nport = "80"', '[web] port = "80" cannot be used: write a whole number from 0 to 65535; the default is 8080.'),
    ("[web]\nhost = 5", '[web] host = 5 cannot be used: write text in quotes; the default is "127.0.0.1".'),
    ("[game]\nallow_consecutive_sevens = 1", "[game] allow_consecutive_sevens = 1 cannot be used: write true or false; the default is true."),
    ('[game]\nclaims = "stop"', '[game] claims = "stop" cannot be used: write "ask" or "pause"; the default is "ask".'),
    ("[game]\nrobber_seconds = nan", "[game] robber_seconds = nan cannot be used: write a number from 1 to 3600; the default is 12.0."),
    ("[display]\nrotate_degrees = 90", "[display] rotate_degrees = 90 cannot be used: write 0 or 180; the default is 0."),
    ("[core]\nlost_part_seconds = 0.1", "[core] lost_part_seconds = 0.1 cannot be used: write a number from 0.5 to 60; the default is 2.0."),
    ("[game]\nrobber_targets = []", "[game] robber_targets = []: it names no target; leave the line out to allow all."),
    ("[game]\nrobber_targets = [6, 7]", '[game] robber_targets = [6, 7]: a 7 cannot be a target; write "desert" for it.'),
    ('[game]\nrobber_targets = [6, "desert", 6, "desert"]', '[game] robber_targets = [6, "desert", 6, "desert"]: it names "desert" and 6 more than once; write each target once.'),
    ('[web]\nhost = "http://x"', '[web] host = "http://x": it is neither an address nor a name; write for example "127.0.0.1" or "0.0.0.0".'),
    ('[web]\nallowed_hosts = ["a.local", "b:80"]', '[web] allowed_hosts = ["a.local", "b:80"]: "b:80": write names without http:// and port, for example ["clock.local"].'),
    ('[web]\ntrusted_proxies = ["::1", "proxy.local"]', '[web] trusted_proxies = ["::1", "proxy.local"]: "proxy.local": write addresses without port, for example ["127.0.0.1"].'),
    ('[journal]\nsecond_copy = "stick"', '[journal] second_copy = "stick": it is not a full path; write for example "/media/stick/games", or "" for no second copy.'),
    (f'[web]\nwifi_name = "{"ö" * 17}"', f'[web] wifi_name = "{"ö" * 17}": it takes 34 bytes and a Wi-Fi name at most 32: shorten it.'),
    ('[web]\nwifi_password = "1234567"', '[web] wifi_password = "1234567": a Wi-Fi password has 8 to 63 letters, digits and signs without accents: write it as set at the access point, or leave it empty for an open network.'),
    ('[web]\nwifi_password = "straßenbahn"', '[web] wifi_password = "straßenbahn": a Wi-Fi password has 8 to 63 letters, digits and signs without accents: write it as set at the access point, or leave it empty for an open network.'),
    ('[hall]\nlanguages = []', '[hall] languages = []: it names no language; write for example ["en"].'),
    ('[hall]\nlanguages = ["pt", "en", "pl"]', '[hall] languages = ["pt", "en", "pl"]: a hall has at most 2 languages; write for example ["pt", "en"].'),
    ('[hall]\nlanguages = ["pl", "pl"]', '[hall] languages = ["pl", "pl"]: it names "pl" twice; write each language once.'),
    ('[hall]\nlanguages = ["xx"]', '[hall] languages = ["xx"] cannot be used: write a list of "de" or "en" or "es" or "fr" or "pl" or "pt" or "pt-BR"; the default is ["en"].'),
    ("[pins]\nsunlamp = 12", "[pins] sunlamp = 12 is not a setting of this section; did you mean sun_lamp?"),
    ("[pins]\ncontrast = 12", "[pins] contrast = 12 is not a setting of this section; it belongs to [display]."),
    ("[core]\nzzz = 12", "[core] zzz = 12 is not a setting of this section; known are lost_part_seconds, realtime_priority."),
    ("[pinz]\nsun_lamp = 12", "[pinz] is not a section; did you mean pins?"),
    ("sun_lamp = 12", "sun_lamp = 12 is not in a section; put it under [pins]."),
    ("corre = 12", "corre = 12 is not known; did you mean core?"),
    ("[[pins]]\nsun_lamp = 12", "pins = [{ sun_lamp = 12 }] is not a section; write [pins] on a line of its own."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), LEAVES)
def test_a_mistake_is_one_sentence_with_place_value_and_remedy(
    tmp_path: Path, text: str, sentence: str
) -> None:
    assert problems(tmp_path, text) == (sentence,)


STEPS = [
    ("[]", "[game] schedule = [] is not a list of 1 to 100 steps; write for example"),
    ("35", "[game] schedule = 35 is not a list of 1 to 100 steps"),
    ("[35]", "[game] schedule, step 1 = 35: a step is written as { from_round = 11, seconds = 45 }."),
    ("[{ from_round = 1 }]", "seconds is missing; write { from_round = 11, seconds = 45 }."),
    ("[{ from_round = 1, seconds = 35, sekonds = 1 }]", '"sekonds" is not known here; did you mean seconds?'),
    ("[{ from_round = 0, seconds = 35 }]", "from_round must be a whole number from 1 to 9999."),
    ("[{ from_round = true, seconds = 35 }]", "from_round must be a whole number from 1 to 9999."),
    ("[{ from_round = 1, seconds = nan }]", "seconds must be a number from 1 to 3600."),
    ("[{ from_round = 2, seconds = 35 }]", "A schedule must begin with from_round 1. Write for example"),
    (
        "[{ from_round = 1, seconds = 35 }, { from_round = 1, seconds = 45 }]",
        "from_round 1 must be greater than 1. Write for example",
    ),
]


@pytest.mark.parametrize(("written", "part"), STEPS)
def test_a_wrong_schedule_is_named(tmp_path: Path, written: str, part: str) -> None:
    (problem,) = problems(tmp_path, f"[game]\nschedule = {written}")
    assert problem.startswith("[game] schedule")
    assert part in problem


def test_every_mistake_is_reported_at_once(tmp_path: Path) -> None:
    text = """
        x = 1
        [pins]
        sun_lamp = 99
        moon_lamp = 16
        zzz = 1
        [web]
        port = -1
        [game]
        schedule = [{ from_round = 2, seconds = 0 }, 5]
    """
    found = problems(tmp_path, text)
    assert len(found) == 7
    assert found[-1] == (
        "[pins] buzzer = 16: BCM 16 is already used by [pins] moon_lamp = 16; give each its own pin."
    )


FILES = [
    (b"[pins\n", "is not a TOML file: "),
    (b"[pins]\nsun_lamp = = 3\n", "(at line 2, column 12); correct it there."),
    (b"[pins]\nsun_lamp = 1\nsun_lamp = 2\n", "is not a TOML file: Cannot overwrite a value (at line 3"),
    (b"a = " + b"9" * 5000, "is not a TOML file: Exceeds the limit"),
    (b"a = " + b"[" * 100_000, "is nested too deeply; settings need no more than a list of tables."),
    (b"\xef\xbb\xbf[pins]", "begins with a byte order mark; save it as UTF-8 without one."),
    (b"[pins]\n\0", "holds a NUL byte in line 2; save it as plain text in UTF-8."),
    (b"[pins]\n# \xff", "is not UTF-8 in line 2; save it as UTF-8."),
    (b"#" * (1024 * 1024 + 1), "is larger than 1048576 bytes; name the settings file itself."),
]


@pytest.mark.parametrize(("data", "part"), FILES)
def test_a_file_that_is_no_settings_file_is_one_sentence(tmp_path: Path, data: bytes, part: str) -> None:
    (problem,) = problems(tmp_path, data)
    assert problem.startswith(f'The settings file "{tmp_path}')
    assert part in problem


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    assert settings(tmp_path, "#" * (1024 * 1024)) == Settings()


@pytest.mark.parametrize(
    ("name", "part"),
    [("absent.toml", "cannot be read (No such file or directory); check its name"), ("", "is not a file"), ("\0", "cannot be read (")],
)  # fmt: skip
def test_a_path_that_leads_nowhere_is_one_sentence(tmp_path: Path, name: str, part: str) -> None:
    with pytest.raises(SettingsFault, match="The settings file") as fault:
        load(tmp_path / name)
    assert part in str(fault.value)


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsFault, match="is not a file; name the settings file itself"):
        load(tmp_path / "pipe")


def test_huge_and_deep_values_are_cut_in_the_sentence(tmp_path: Path) -> None:
    text = f'[game]\ntarget_points = 0x{"f" * 9000}\nfirst_side = {{ a = {{ b = {{ c = {{ d = 1 }} }} }} }}\nclaims = "{"x" * 500}"'
    found = problems(tmp_path, text)
    assert len(found) == 3
    assert all(len(problem) < 250 for problem in found)


def test_a_long_key_is_cut_in_the_sentence(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, f"[core]\n{'k' * 5000} = 1")
    assert problem.startswith(f'[core] "{"k" * 39}…" = 1 is not a setting of this section;')


def test_more_mistakes_than_anybody_reads_are_counted(tmp_path: Path) -> None:
    found = problems(tmp_path, "[core]\n" + "".join(f"x{number} = 1\n" for number in range(300)))
    assert len(found) == 201
    assert found[-1] == "There are 100 more mistakes; correct these first."


def test_sections_know_no_other_field() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"web": {"prot": 1}}, Settings)


GOOD = "[game]\nrobber_seconds = 9\n"
WRONG = '[game]\nrobber_seconds = -1\ncolour = "red"\n'


def mistakes(path: Path) -> tuple[str, ...]:
    with pytest.raises(SettingsFault) as fault:
        load(path)
    return tuple(all_words(fault.value.problems))


def test_a_file_in_order_is_used_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(GOOD)
    assert load_or_make_do(file, "sim", tmp_path) == (load(file, "sim"), ())


def test_the_last_good_ones_come_before_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(WRONG)
    (tmp_path / FILE_NAME).write_text(GOOD)
    settings, told = load_or_make_do(file, "sim", tmp_path)
    assert (settings.game.robber_seconds, settings.hardware.lamps) == (9, "sim")
    assert tuple(all_words(told)) == (words(LAST_GOOD), *mistakes(file))
    assert len(told) == 3


@pytest.mark.parametrize("kept", [None, WRONG, "[", "\0"])
def test_without_good_ones_the_defaults(tmp_path: Path, kept: str | None) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(WRONG)
    if kept is not None:
        (tmp_path / FILE_NAME).write_text(kept)
    settings, told = load_or_make_do(file, None, tmp_path)
    assert settings == load(None)
    assert tuple(all_words(told)) == (words(DEFAULTS), *mistakes(file))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    settings, told = load_or_make_do(tmp_path / "none.toml", None, tmp_path)
    assert settings == load(None)
    assert "cannot be read" in words(told[1])
