"""What cannot start: one clear sentence (all mistakes of a settings file together), exit status 2, nothing changed."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from pi_controller.journal.record import FORMAT, encode, seal
from tests.matrix import further
from tests.system.programs import cli, client_of, program, told

SIM = ("--hardware", "sim")
WAITS = "waiting for it"
"""What `run` says on a machine on which core needs more than 10 s to come up."""


def journals(state: Path) -> dict[str, bytes]:
    """Every byte of the games."""
    return {str(path): path.read_bytes() for path in sorted(state.rglob("games/*/*"))}


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of a controller that was ended while its game was being set up."""
    state = tmp_path_factory.mktemp("left") / "s"
    with program("core", *SIM, "--state-dir", state) as core:
        client = client_of(state, core)
        assert client.command("contribute", {"text": "lantern"}).accepted
        assert core.end() == 0
    assert journals(state)
    return state


@pytest.fixture
def played(left_behind: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(left_behind, tmp_path / "s"))


def refused(*arguments: str | Path, sentences: int = 1) -> list[str]:
    """What it says on stderr before it ends with status 2."""
    ended = cli(*arguments)
    assert (ended.returncode, ended.stdout) == (2, ""), ended
    assert "Traceback" not in ended.stderr
    said = [line for line in ended.stderr.splitlines() if not line.endswith(WAITS)]
    assert len(said) == sentences, ended.stderr
    return said


@pytest.mark.parametrize("command", ["run", *further("core", "web")])
def test_all_mistakes_of_a_settings_file_together(tmp_path: Path, command: str) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(
        '[pins]\nsun_lamp = 16\nmoon_lamp = "13"\n[game]\nrounds = 3\nrobber_seconds = -1\n[hall]\nrows = 4\n'
    )
    state = tmp_path / "s"
    said = refused(command, "--settings", settings, "--state-dir", state, sentences=5)
    for part in (
        "[pins] moon_lamp",
        "[game] rounds",
        "[game] robber_seconds",
        "[hall]",
        "BCM 16 is used already",
    ):
        assert sum(part in sentence for sentence in said) == 1, (part, said)
    assert not (state / "games").exists()
    assert refused("settings", "check", settings, sentences=5) == said


@pytest.mark.skipif(
    Path("/dev/gpiochip0").exists(), reason="this machine has GPIO: there is no missing driver to be told of"
)
@pytest.mark.parametrize("command", ["run", *further("core")])
def test_a_missing_driver_is_named_with_its_remedy(played: Path, command: str) -> None:
    before = journals(played)
    (said,) = refused(command, "--hardware", "pi", "--state-dir", played)
    assert "lgpio" in said
    assert "--hardware sim" in said or "install" in said
    assert journals(played) == before


def test_a_port_in_use(played: Path) -> None:
    before = journals(played)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        for arguments in (["run", *SIM], ["web"]):
            (said,) = refused(*arguments, "--port", port, "--state-dir", played)
            assert said == (
                f"Port {port} on 127.0.0.1 is in use: end the other program, or choose another port with --port."
            )
    with program("core", *SIM, "--state-dir", played) as core:
        assert client_of(played, core).picture().public_word == "lantern"
    assert all(journals(played)[name].startswith(content) for name, content in before.items())


@pytest.mark.parametrize("command", ["run", *further("core")])
def test_a_second_instance(tmp_path: Path, command: str) -> None:
    state = tmp_path / "s"
    with program("core", *SIM, "--state-dir", state) as first:
        picture = client_of(state, first).picture()
        before = journals(state)
        (said,) = refused(command, *SIM, "--state-dir", state)
        assert said.startswith(f"Process {first.pid} already runs a controller on {state}: stop it first")
        assert journals(state) == before
        assert client_of(state, first).picture().session == picture.session


def test_a_state_folder_whose_socket_path_is_too_long(tmp_path: Path) -> None:
    state = tmp_path / ("x" * 110)
    for command in ("web", "status", "pause"):
        (said,) = refused(command, "--state-dir", state)
        assert "choose a shorter --state-dir" in said
    assert not state.exists()


def test_a_journal_of_a_newer_version_is_left_as_it_is_and_another_game_stands_in(played: Path) -> None:
    make_newer(played)
    before = journals(played)
    with program("core", *SIM, "--state-dir", played) as core:
        (said,) = told(client_of(played, core).picture())
        assert f"This journal has format {FORMAT + 1}, but this version reads only up to {FORMAT}" in said
        assert "install the version that wrote it" in said
    assert before.items() <= journals(played).items()


def make_newer(state: Path) -> None:
    """The game's first line as a later version would write it."""
    (journal,) = state.glob("games/*/journal.jsonl")
    first, *rest = journal.read_bytes().splitlines(keepends=True)
    line = json.loads(first)
    newer = seal(
        line["kind"],
        line["data"] | {"format": FORMAT + 1},
        **{name: line[name] for name in ("seq", "game_ns", "boot_ns", "boot_id", "wall", "prev")},
    )
    journal.write_bytes(b"".join([encode(newer), *rest]))


def test_a_state_folder_that_is_a_file(tmp_path: Path) -> None:
    state = tmp_path / "s"
    state.write_text("a letter")
    for arguments in (["run", *SIM], ["core", *SIM]):
        (said,) = refused(*arguments, "--state-dir", state)
        assert str(state) in said
        assert "cannot be used" in said
    assert state.read_text() == "a letter"
