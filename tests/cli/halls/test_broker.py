"""`pi-controller broker`, whose files a real Mosquitto reads in tests/system/test_secure_halls.py."""

import tomllib
from pathlib import Path

import pytest

from pi_controller.cli import broker
from pi_controller.cli.broker_files import Users, rights_text, users_in
from pi_controller.cli.main import main
from pi_controller.settings.load import load
from tests.cli.conftest import Run
from tests.needs import program
from tests.system.broker import HOST, free_port

ADDRESS = "192.168.1.10"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    program("mosquitto")
    return tmp_path / "broker"


def set_up(folder: Path, *given: str, address: str = ADDRESS) -> int:
    state = f"--state-dir={folder.parent / 'broker-state'}"
    return main(["broker", "setup", "--folder", str(folder), f"--address={address}", state, *given])


def join(folder: Path, hall: str, *given: str) -> int:
    """On a controller of its own beside the broker's folder."""
    file, own = folder / f"halls/{hall}.toml", folder.parent / hall
    own.mkdir(exist_ok=True)
    options = (f"--settings={own / 'settings.toml'}", f"--state-dir={own}")
    return main(["broker", "join", str(file), *options, *given])


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hall_file(folder: Path, name: str) -> dict[str, object]:
    return tomllib.loads((folder / "halls" / f"{name}.toml").read_text())


def test_a_second_run_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set_up(folder, "--halls=main,east", "--tls") == 0
    made = everything(folder)
    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}
    capsys.readouterr()
    assert set_up(folder, "--halls=main,east", "--tls") == 0
    assert everything(folder) == made
    assert capsys.readouterr().out.startswith("Everything is as it should be: no file was changed.\n")


def test_a_further_hall_leaves_the_others_as_they_are(folder: Path) -> None:
    set_up(folder, "--halls=main,east", "--tls")
    before, used = everything(folder), folder / "halls/east.toml"
    used.unlink()
    assert set_up(folder, "--halls=west") == 0
    assert not used.exists()
    stay = [folder / "server" / name for name in ("ca.pem", "server.pem", "server_key.pem", "mosquitto.conf")]
    assert {path: path.read_bytes() for path in stay} == {path: before[path] for path in stay}
    passwords = (folder / "server/passwords").read_bytes()
    assert passwords.startswith(before[folder / "server/passwords"])
    assert hall_file(folder, "west")["role"] == "follower"


def test_another_address_and_encryption_stand_in_the_files_that_still_lie_here(folder: Path) -> None:
    set_up(folder, "--halls=main,east")
    before = hall_file(folder, "east")
    assert (before["port"], before["ca"]) == (1883, "")
    set_up(folder, "--tls", address="halls.example")
    after = hall_file(folder, "east")
    assert (after["broker"], after["port"]) == ("halls.example", 8883)
    assert str(after["ca"]).startswith("-----BEGIN CERTIFICATE-----")
    assert after["password"] == before["password"]


def test_what_somebody_has_edited_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(folder, "--halls=main,east")
    configuration, rights = folder / "server/mosquitto.conf", folder / "server/acl"
    written = configuration.read_text()
    configuration.write_text("listener 1\n")
    rights.write_text(rights.read_text() + "user zigbee2mqtt\n")
    capsys.readouterr()
    set_up(folder, "--halls=west")
    assert configuration.read_text() == written
    assert (folder / "server/mosquitto.conf.before").read_text() == "listener 1\n"
    assert f"{configuration} had been edited" in capsys.readouterr().out
    assert rights.read_text().endswith("\nuser zigbee2mqtt\n")


def test_who_is_forgotten_gets_another_password(folder: Path, run: Run) -> None:
    set_up(folder, "--halls=main,east")
    before = hall_file(folder, "east")["password"]
    run("broker", "forget", "east", "--folder", folder)
    assert "east" not in (folder / "server/passwords").read_text() + (folder / "server/acl").read_text()
    assert (
        run("broker", "forget", "east", "--folder", folder, status=2).err
        == 'There is no hall or program "east" here.\n'
    )
    set_up(folder, "--halls=east")
    assert hall_file(folder, "east")["password"] != before


def test_a_hall_takes_its_file_over(folder: Path, tmp_path: Path, run: Run) -> None:
    set_up(folder, "--halls=main,east", "--tls")
    settings, state = tmp_path / "settings.toml", tmp_path / "state"
    settings.write_text('[hall]\nname = "Sala"\n')
    file = folder / "halls/east.toml"
    given = ["broker", "join", str(file), f"--settings={settings}", f"--state-dir={state}"]
    assert 'This controller is the hall "east" from its next start' in run(*given).out
    joined = load(settings)
    assert joined.hall.name == "Sala"
    links = joined.links
    assert (links.role, links.hall, links.user, links.broker, links.port) == (
        "follower", "east", "east", ADDRESS, 8883,
    )  # fmt: skip
    assert Path(links.password_file).read_text() == f"{hall_file(folder, 'east')['password']}\n"
    assert Path(links.password_file).stat().st_mode & 0o777 == 0o600
    assert Path(links.ca_file).read_bytes() == (folder / "server/ca.pem").read_bytes()
    assert f"{settings} is already like this" in run(*given).out


def test_who_may_lead_stays_until_others_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(folder, "--halls=main,east,west")
    assert [hall_file(folder, one)["may_lead"] for one in ("main", "east", "west")] == [True, False, False]
    set_up(folder, "--leaders=main,east")
    (folder / "halls/west.toml").unlink()
    set_up(folder, "--halls=north")
    assert [hall_file(folder, one)["may_lead"] for one in ("main", "east", "north")] == [True, True, False]
    capsys.readouterr()
    set_up(folder, "--leaders=west")
    said = capsys.readouterr().out
    assert '"west" may lead now, but its file is no longer here: set `links.may_lead = true`' in said
    assert "Halls: west leads; following: main, east and north.\nMay lead: west.\n" in said
    assert hall_file(folder, "main")["role"] == "follower"


def test_a_list_of_rights_of_an_earlier_release_becomes_one_of_now(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(folder, "--halls=main,east")
    rights, files = folder / "server/acl", folder / "halls"
    rights.write_text(
        "# Written by `pi-controller broker setup`.\n\n"
        "user main\ntopic write controller/main/#\ntopic write controller/+/answer\ntopic read controller/#\n\n"
        "user east\ntopic write controller/east/#\ntopic write controller/+/answer\ntopic read controller/#\n\n"
        "user listener\ntopic read controller/+/picture\n\n"
        "# Lines of your own below this one stay.\nuser lights\ntopic write lights/#\n"
    )
    (folder / "own_password").unlink()
    passwords = folder / "server/passwords"
    before = [line for line in passwords.read_text().splitlines() if not line.startswith("_broker")]
    passwords.write_text("".join(f"{line}\n" for line in before))
    for file in files.iterdir():
        file.unlink()
    assert main(["broker", "check", "--folder", str(folder)]) == 3
    assert "no account of its own: `sudo pi-controller broker setup` creates one." in capsys.readouterr().err
    assert set_up(folder) == 0
    everybody = Users(("main", "east"), ("listener",), ("main", "east"))
    assert rights.read_text() == rights_text(everybody, "user lights\ntopic write lights/#\n")
    assert passwords.read_text().splitlines()[:-1] == before
    assert not [*files.iterdir()]
    assert "May lead: main and east.\n" in capsys.readouterr().out


def test_all_halls_get_one_pairing_key(folder: Path, tmp_path: Path) -> None:
    set_up(folder, "--halls=main,east")
    key = hall_file(folder, "main")["pairing_key"]
    assert key == hall_file(folder, "east")["pairing_key"] == (folder / "pairing.key").read_text().strip()
    assert "pairing_key" not in hall_file(folder, "listener")
    assert join(folder, "east") == 0
    assert (tmp_path / "east/pairing.key").read_text().strip() == key
    assert main(["pair", "new", f"--state-dir={tmp_path / 'broker-state'}"]) == 0
    set_up(folder)
    own = (tmp_path / "broker-state/pairing.key").read_text().strip()
    assert hall_file(folder, "east")["pairing_key"] == own != key


def test_another_pairing_key_is_replaced_only_when_somebody_says_so(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(folder, "--halls=main,east")
    assert main(["pair", "new", f"--state-dir={tmp_path / 'east'}"]) == 0
    before = (tmp_path / "east/pairing.key").read_text()
    assert join(folder, "east") == 3
    said = capsys.readouterr().err
    assert said.startswith("Nothing was changed: this controller's pairing key (mark ")
    assert "Add --replace-pairing-key to take theirs" in said
    assert (tmp_path / "east/pairing.key").read_text() == before
    assert not (tmp_path / "east/settings.toml").exists()
    assert join(folder, "east", "--replace-pairing-key") == 0
    assert (tmp_path / "east/pairing.key").read_text().strip() == hall_file(folder, "east")["pairing_key"]


def test_a_damaged_pairing_key_makes_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broker-state").mkdir()
    (tmp_path / "broker-state/pairing.key").write_text("nonsense\n")
    (tmp_path / "broker-state/pairing.key").chmod(0o600)
    assert set_up(folder, "--halls=main") == 2
    assert "pairing.key" in capsys.readouterr().err
    assert not folder.exists()


def test_who_may_not_lead_or_has_no_key_is_not_promoted(folder: Path, tmp_path: Path, run: Run) -> None:
    set_up(folder, "--halls=main,east,west", "--leaders=main,west")
    for hall in ("east", "west"):
        assert join(folder, hall) == 0
    (tmp_path / "west/pairing.key").unlink()
    assert [load(tmp_path / hall / "settings.toml").links.may_lead for hall in ("east", "west")] == [
        False,
        True,
    ]
    for hall, sentence in (
        (
            "east",
            'The hall "east" may not lead (`links.may_lead`). To allow it, run `sudo pi-controller broker',
        ),
        ("west", 'The hall "west" has no pairing key and cannot open the game without it: `broker join`'),
    ):
        given = (f"--state-dir={tmp_path / hall}", f"--settings={tmp_path / hall / 'settings.toml'}")
        assert run("links", "promote", *given, status=3).err.startswith(sentence)


def test_a_hall_is_forgotten_where_the_broker_does_not_run(folder: Path, run: Run) -> None:
    set_up(folder, "--halls=main,east")
    configuration = folder / "server/mosquitto.conf"
    configuration.write_text(f"listener {free_port()} {HOST}\n")
    assert ", so it keeps nothing of that hall.\n" in run("broker", "forget", "main", "--folder", folder).out
    assert users_in((folder / "server/acl").read_text()) == Users(("east",), ("listener",))
    assert "Halls: - leads; following: east.\nMay lead: -.\n" in run("broker", "show", "--folder", folder).out
    configuration.write_text("# none\n")
    assert (
        f"The broker's configuration {configuration} was edited"
        in run("broker", "forget", "east", "--folder", folder).out
    )


def test_show_tells_how_it_is_reached_and_by_whom(folder: Path, run: Run) -> None:
    assert run("broker", "show", "--folder", folder, status=3).err.startswith("No broker is set up here: ")
    set_up(folder, "--halls=main,east,west", "--listeners=lights")
    assert run("broker", "show", "--folder", folder).out == (
        "The broker listens on port 1883, not encrypted: its network must be for the halls only.\n"
        "Halls: main leads; following: east and west.\n"
        "May lead: main.\n"
        "Only read: lights.\n"
        f"Still to be taken to the other machines, from {folder}/halls: main, east, west and lights. Delete each file here once it"
        " has been used: it holds a password.\n"
    )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "Name the halls, the one that leads first:"),
        (["--halls=main,Süd"], "'Süd' cannot be a name here:"),
        (["--halls=main,main"], "main is named twice"),
        (["--halls=main", "--leaders=annex"], '"annex" cannot lead because it is not a hall here:'),
        (["--halls=main,_broker"], "'_broker' cannot be a name here:"),
        (["--halls=main,listener"], '"listener" cannot be a hall and a program that only reads:'),
    ],
)
def test_wrong_names_make_nothing(
    given: list[str], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_up(folder, *given) == 2
    assert sentence in capsys.readouterr().err
    assert not folder.exists()


def test_without_a_network_the_address_must_be_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr(broker, "outward_address", lambda: None)
    assert (
        "is not on a network" in run("broker", "setup", "--folder", folder, "--halls=main,east", status=2).err
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "No such file or directory"),
        ("not TOML", "is not a file made by `pi-controller broker setup`"),
        ('role = "leader"\n', "is not a file made by `pi-controller broker setup`"),
        (
            'role = "listener"\nuser = "x"\npassword = "y"\nbroker = "z"\nport = 1\n',
            "is for a program that only reads",
        ),
    ],
)
def test_another_file_joins_nothing(
    text: str | None, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, settings = tmp_path / "x.toml", tmp_path / "settings.toml"
    if text is not None:
        file.write_text(text)
    given = ["broker", "join", str(file), f"--settings={settings}", f"--state-dir={tmp_path / 's'}"]
    assert main(given) in {1, 3}
    assert sentence in capsys.readouterr().err
    assert not settings.exists()
