"""A sound card that is none but keeps time, and a listener at it.

The card is PipeWire's null sink in a runtime folder of its own. It needs the Debian packages pipewire,
pipewire-alsa, wireplumber and dbus (`tools/packages.txt`). ALSA's own `null` takes what it is given at once
and so measures nothing.

python -m benchmarks.null_sink DEVICE QUIET_MS

hears what it plays: one line for each sound after so much silence, its CLOCK_BOOTTIME in nanoseconds, until
the input ends.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from pi_controller.hal.sound.orders import RATE_HZ
from pi_controller.hal.sound.player import Pcm

DEVICE = "pipewire"
"""As ALSA calls it."""
STOCK = Path("/usr/share/pipewire")
QUANTUM = 256
"""Frames at 48 kHz: 5 ms, as a card with little latency has them."""
LIMIT_S = 10.0
LATENCY_US = 200_000
TURN_S = 0.004
HEARD = 150
"""A sample above this is no silence: the first of a faded tone are softer."""
NS_PER_S = 1_000_000_000
SINK = """
    { factory = adapter
       args = {
         factory.name = support.null-audio-sink
         node.name = hall
         media.class = Audio/Sink
         object.linger = true
         audio.position = [ FL FR ]
       } }
"""
CLOCK = f"""
    default.clock.quantum = {QUANTUM}
    default.clock.min-quantum = {QUANTUM}
    default.clock.max-quantum = {QUANTUM}
"""


class NullSink:
    """With `with` it is there; `pull` takes it away, `plug_in` brings it back. `folder` is empty and its
    own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def environment(self) -> Mapping[str, str]:
        """Of processes that shall play on it."""
        return {
            **os.environ,
            "XDG_RUNTIME_DIR": str(self._folder),
            "PIPEWIRE_RUNTIME_DIR": str(self._folder),
            "PIPEWIRE_CONFIG_DIR": str(self._folder / "conf"),
            "XDG_STATE_HOME": str(self._folder / "state"),
            "XDG_CONFIG_HOME": str(self._folder / "config"),
        }

    def __enter__(self) -> "NullSink":
        self._folder.chmod(0o700)
        shutil.copytree(STOCK, self._folder / "conf", dirs_exist_ok=True)
        stock = (STOCK / "pipewire.conf").read_text(encoding="utf-8")
        text = stock.replace("context.objects = [", f"context.objects = [{SINK}", 1)
        text = text.replace("context.properties = {", f"context.properties = {{{CLOCK}", 1)
        text = text.replace("default.clock.min-quantum = 1024", f"default.clock.min-quantum = {QUANTUM}")
        (self._folder / "conf" / "pipewire.conf").write_text(text, encoding="utf-8")
        self.plug_in()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pull()

    def plug_in(self) -> None:
        """Returns when the sink can be played on. What breaks it off leaves no process."""
        with ExitStack() as breaking_off:
            breaking_off.callback(self.pull)
            self._plug_in()
            breaking_off.pop_all()

    def _plug_in(self) -> None:
        self._start("pipewire")
        self._wait_for("hall", "pw-cli", "ls", "Node")
        self._start("dbus-run-session", "--", "wireplumber")
        self._wait_for("WirePlumber", "pw-cli", "ls", "Client")

    def pull(self) -> None:
        """All that it consists of ends, with what that has started."""
        while self._processes:
            process = self._processes.pop()
            _signal(process, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(LIMIT_S)
            _signal(process, signal.SIGKILL)
            process.wait()

    def _start(self, *command: str) -> None:
        with (self._folder / "log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    command,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _wait_for(self, name: str, *command: str) -> None:
        """Until this command tells of it."""
        until_s = time.monotonic() + LIMIT_S
        while time.monotonic() < until_s and all(one.poll() is None for one in self._processes):
            done = subprocess.run(
                command, env=self.environment, capture_output=True, check=False, timeout=LIMIT_S
            )
            if name.encode() in done.stdout:
                return
            time.sleep(0.05)
        raise TimeoutError(f"no {name}: {(self._folder / 'log').read_text(errors='replace')}")


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """To it and all that it has started: `dbus-run-session` passes no signal on."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


class Ear:
    """Finds beginnings in blocks of samples. Pure."""

    def __init__(self, quiet_ns: int) -> None:
        self._quiet_ns = quiet_ns
        self._last_ns: int | None = None

    def hear(self, frames: bytes, first_ns: int) -> list[int]:
        """When sounds begin in these frames, of which the first was played at `first_ns`."""
        begun = []
        for number, sample in enumerate(array("h", frames)[0::2]):
            if abs(sample) > HEARD:
                at_ns = first_ns + number * NS_PER_S // RATE_HZ
                if self._last_ns is None or at_ns - self._last_ns >= self._quiet_ns:
                    begun.append(at_ns)
                self._last_ns = at_ns
        return begun


def listen(pcm: Pcm, ear: Ear) -> None:
    """Until the input ends."""
    pcm.start()
    while True:
        readable, _, _ = select.select([sys.stdin], [], [], TURN_S)
        if readable:
            return
        try:
            old = pcm.delay()
            for at_ns in ear.hear(pcm.read(RATE_HZ // 10), old.at_ns - old.frames * NS_PER_S // RATE_HZ):
                print(at_ns, flush=True)
        except OSError as error:
            with suppress(OSError):
                pcm.recover(error)
                pcm.start()


def main() -> None:
    device, quiet_ms = sys.argv[1:3]
    with Pcm(device, rate_hz=RATE_HZ, latency_us=LATENCY_US, stream="capture") as pcm:
        print("ready", flush=True)
        listen(pcm, Ear(int(quiet_ms) * 1_000_000))


if __name__ == "__main__":
    main()
