"""The real process: addresses on stdout, exit status, a port in use, a clean end."""

import asyncio
import os
import resource
import signal
import socket
import stat
import sys
import urllib.request
from pathlib import Path
from typing import Any, TextIO

import aiohttp
import pytest

from pi_controller.protocol.options import WebOptions
from pi_controller.web.api.links import qr_blocks
from pi_controller.web.http.access import PinFile
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.connections import PortFault, listen_on
from pi_controller.web.main import main
from tests.protocol.fake_core import FakeCore

START = (
    "import sys, pathlib; from pi_controller.protocol.options import WebOptions; "
    "from pi_controller.web.main import main; "
    "sys.exit(main(WebOptions(state_dir=pathlib.Path(sys.argv[1]), host='127.0.0.1', port=0)))"
)


async def start(
    state_dir: Path,
    stdout: Any = asyncio.subprocess.PIPE,
    *,
    before: str = "",
    host: str = "127.0.0.1",
    **environment: str,
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", before + START.replace("127.0.0.1", host), str(state_dir)),
        stdout=stdout,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )


async def test_addresses_pages_and_a_clean_end(tmp_path: Path) -> None:
    core = FakeCore(tmp_path / "control.sock")
    await core.start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(tmp_path / "notices"))
        notices.setblocking(False)
        process = await start(tmp_path, NOTIFY_SOCKET=str(tmp_path / "notices"))
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [(await process.stdout.readline()).decode().split() for _ in range(4)]
        assert [line[:-1] for line in lines] == [["hall"], ["director"], ["technician"], ["virtual", "hall"]]
        hall, director, technician, sim = (line[-1] for line in lines)
        assert director.startswith(hall + "login?token=")
        assert (technician, sim) == (hall + "technician", hall + "sim")
        status = await asyncio.to_thread(lambda: urllib.request.urlopen(hall + "api/state").status)  # noqa: S310
        assert status == 200
        assert (await asyncio.get_running_loop().sock_recv(notices, 100)).startswith(b"READY=1")
        async with aiohttp.ClientSession() as http, http.ws_connect(hall + "api/feed") as feed:
            await feed.receive_json()
            process.send_signal(signal.SIGTERM)
            assert (await feed.receive()).type is aiohttp.WSMsgType.CLOSE
            assert feed.close_code == 1001
        assert await process.wait() == 0
        assert b"Traceback" not in await process.stderr.read()
    await core.stop()


async def test_a_terminal_in_a_network_gets_the_addresses_of_others_and_a_code(tmp_path: Path) -> None:
    network = (
        "from pi_controller.web.http import addresses; addresses.outward_address = lambda: '192.0.2.50'; "
    )
    master, terminal = os.openpty()
    process = await start(tmp_path, terminal, before=network, host="0.0.0.0")
    os.close(terminal)
    with os.fdopen(master, encoding="utf-8") as read:
        lines = [line.strip() for line in await asyncio.to_thread(lambda: _until(read, "technician "))]
    process.terminate()
    await process.wait()
    hall, director, *code, technician = lines
    assert hall.startswith("hall http://192.0.2.50:")
    base = hall.removeprefix("hall ")
    assert director.startswith(f"director {base}login?token=")
    assert technician == f"technician {base}technician"
    assert code == [line.strip() for line in qr_blocks(director.removeprefix("director ")).splitlines()]


@pytest.mark.parametrize(
    ("host", "outward", "says"),
    [
        ("127.0.0.1", "192.0.2.50", "--host 0.0.0.0"),
        ("0.0.0.0", None, "is not on a network"),
        ("0.0.0.0", "192.0.2.50", f"http://{socket.gethostname().lower()}.local:"),
    ],
)
async def test_it_says_how_others_open_the_pages(
    tmp_path: Path, host: str, outward: str | None, says: str
) -> None:
    machine = (
        f"from pi_controller.web.http import addresses; addresses.outward_address = lambda: {outward!r}; "
        f"from pathlib import Path; addresses.MULTICAST_NAMES = Path({str(tmp_path)!r}); "
    )
    process = await start(tmp_path, before=machine, host=host, LC_ALL="C")
    assert process.stderr is not None
    while says.encode() not in (line := await process.stderr.readline()):
        assert line, "it ended without saying so"
    process.terminate()
    await process.wait()


def _until(read: TextIO, begins: str) -> list[str]:
    """The lines up to the one that begins so."""
    lines = [read.readline()]
    while not lines[-1].startswith(begins):
        lines.append(read.readline())
    return lines


async def test_it_has_as_many_files_as_it_may_where_a_terminal_gives_few(tmp_path: Path) -> None:
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 3000)); "
    process = await start(tmp_path, before=few)
    assert process.stdout is not None
    assert (await process.stdout.readline()).startswith(b"hall ")
    assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (3000, 3000)
    process.terminate()
    await process.wait()


def test_a_port_in_use_is_one_sentence_and_status_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(WebOptions(state_dir=tmp_path, host="127.0.0.1", port=port)) == 2
    error = capfd.readouterr().err
    assert error == (
        f"Port {port} on 127.0.0.1 is in use: end the other program, or choose another port with --port.\n"
    )


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("192.0.2.1", "192.0.2.1 is not an address of this machine"),
        ("not a host", "The host 'not a host' is not known here"),
        ("x" * 300, "is not known here"),
    ],
)
def test_a_wrong_host_is_a_sentence(host: str, sentence: str) -> None:
    with pytest.raises(PortFault, match=sentence):
        listen_on(host, 0)


def test_other_reasons_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, sentence in ((13, "needs more rights"), (12, "cannot be used")):

        def fail(*_: object, error: int = number) -> None:
            raise OSError(error, "no")

        monkeypatch.setattr(socket.socket, "bind", fail)
        with pytest.raises(PortFault, match=sentence):
            listen_on("127.0.0.1", 80)


def test_open_keys_settings_and_socket_path_stop_the_start(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "settings.toml"
    wrong.write_text("[web]\nport = 'x'\n", encoding="utf-8")
    assert main(WebOptions(state_dir=tmp_path, settings_path=wrong)) == 2
    assert not (tmp_path / "web").exists(), "who started it has read why"
    long_path = tmp_path / ("x" * 100)
    long_path.mkdir()
    assert main(WebOptions(state_dir=long_path, unattended=True)) == 2
    assert (long_path / "web" / "refusal").exists(), "core tells why"
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "secret").write_text("x" * 43, encoding="ascii")
    (tmp_path / "web" / "secret").chmod(stat.S_IRUSR | stat.S_IROTH)
    assert main(WebOptions(state_dir=tmp_path, port=0)) == 2
    errors = capfd.readouterr().err.splitlines()
    assert [
        sentence in error for sentence, error in zip(("port", "socket", "secret"), errors, strict=True)
    ] == [True] * 3


@pytest.mark.parametrize(
    ("bound", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::1", "http://[::1]:80"),
        ("clock.local", "http://clock.local:80"),
    ],
)
def test_the_address_to_open_on_this_machine(bound: str, url: str) -> None:
    assert PageAddress(bound, 80).on_this_machine() == url


def test_the_kernel_keeps_little_of_what_anybody_sends() -> None:
    """Linux doubles what is asked for (socket(7)), and a connection may not grow beyond it."""
    with listen_on("127.0.0.1", 0) as listening:
        listening.listen()
        with socket.create_connection(listening.getsockname()):
            inside, _ = listening.accept()
            with inside:
                assert inside.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == 2 * 32 * 1024


@pytest.mark.parametrize("has_pin", [False, True])
async def test_no_link_stands_in_the_journal_when_there_is_a_pin(tmp_path: Path, *, has_pin: bool) -> None:
    if has_pin:
        (tmp_path / "web").mkdir(mode=0o700)
        PinFile(tmp_path / "web").keep("314159")
    journal = tmp_path / "journal"
    with journal.open("wb") as stream:
        status = os.fstat(stream.fileno())
        environment = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        core = FakeCore(tmp_path / "control.sock")
        await core.start()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            notices.bind(str(tmp_path / "notices"))
            notices.setblocking(False)
            environment["NOTIFY_SOCKET"] = str(tmp_path / "notices")
            process = await start(tmp_path, stream, **environment)
            await asyncio.get_running_loop().sock_recv(notices, 100)
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        await core.stop()
    said = journal.read_text()
    assert ("login?token=" in said, "pi-controller pin" in said) == (not has_pin, has_pin)
