"""New firmware for one emulated Pico over its cable: what the master says, and every operation on the flash."""

import ast
import hashlib
import subprocess
import sys
from pathlib import Path

from pi_controller.bus.frame import EVERYBODY, UNASSIGNED, decode
from pi_controller.bus.messages import (
    Assign,
    BlockMessage,
    Info,
    Message,
    OfferMessage,
    Poll,
    ProgressMessage,
    StepMessage,
    from_frame,
)
from pi_controller.bus.values import UpdateState, UpdateStep
from pi_controller.flashing.build import FirmwarePart
from pi_controller.flashing.image import pack
from tests.chip.master import ADDRESS, EPOCH, Master
from tests.chip.pico import ROOT, UID, Pico
from tests.firmware.updating import KEY, OFFER, blocks

GAP_US = 1_500
"""Of silence behind a block: a node hears one each 3 ms."""
DEAF_S = 0.12
"""While a node writes a part to its flash."""
REFRESH_US = 200_000
NEW = (1, 99)
START_S = 1.0
TRIES = 40


def built(folder: Path, firmware: tuple[int, int]) -> list[FirmwarePart]:
    """The firmware's own sources, but for the version that they tell; compiled."""
    folder.mkdir()
    made = folder / "sources"
    subprocess.run(["cp", "-r", str(ROOT / "firmware"), str(made)], check=True)
    node = made / "table_node" / "node.py"
    text = node.read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("FIRMWARE = ")]
    node.write_text(text.replace(line, f"FIRMWARE = {firmware}"), encoding="utf-8")
    script = (
        "import sys\nfrom pathlib import Path\nfrom pi_controller.flashing import build\n"
        f"build._package = lambda: Path({str(made / 'table_node')!r})\n"
        f"print([(part.path, part.data.hex()) for part in build.build(Path({str(folder / 'made')!r}))])"
    )
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return [FirmwarePart(path=path, data=bytes.fromhex(data)) for path, data in ast.literal_eval(said.stdout)]


def image_of(parts: list[FirmwarePart]) -> bytes:
    return pack(parts, firmware=NEW, key=KEY)


class Renewing(Master):
    """A master in maintenance, with one node."""

    def __init__(self, pico: Pico) -> None:
        super().__init__(pico)
        self.picture.update(phase="ready", running=False, maintenance=True)
        self.parts_us: list[float] = []
        """How long each part took, until the next one was wanted."""
        self._state_due_us = 0.0

    def joined(self) -> Info:
        """Who answers, once it does."""
        for _ in range(TRIES):
            self.keep_alive()
            answer = self.heard(Assign(uid=UID, address=ADDRESS, board="12", brightness=128), UNASSIGNED)
            if isinstance(answer, Info):
                return answer
            self.pico.run(0.04)
        raise AssertionError("the node does not answer")

    def keep_alive(self) -> None:
        if self.pico.now_us >= self._state_due_us:
            self._state_due_us = self.pico.now_us + REFRESH_US
            self.pico.free_us = self.state() + 3000

    def heard(self, message: Message, dst: int = ADDRESS) -> Message | None:
        self.keep_alive()
        answer = self.ask(message, dst)
        frame = None if answer is None else decode(answer.data[1:-1])
        return None if frame is None else from_frame(frame)

    def offer(self, data: bytes) -> ProgressMessage:
        mark = hashlib.sha256(KEY).digest()[:4]
        return self._told(OfferMessage(offer=OFFER, size=len(data), firmware=NEW, key=mark))

    def step(self, what: UpdateStep = "ask") -> ProgressMessage:
        return self._told(StepMessage(offer=OFFER, what=what))

    def _told(self, message: Message) -> ProgressMessage:
        for _ in range(TRIES):
            answer = self.heard(message)
            if isinstance(answer, ProgressMessage):
                return answer
            self.pico.run(0.05)
        raise AssertionError(f"no answer to {message}")

    def fetch(self, data: bytes) -> ProgressMessage:
        """Until the node has done with the image."""
        pico = self.pico
        for _ in range(3):  # it takes the first STATE for nothing, and keeps an address that is polled
            self.pico.run(0.2)
            self.heard(Poll(epoch=EPOCH))
        progress = self.offer(data)
        began_us, part = pico.now_us, 0
        while progress.state == "fetching":
            for number, piece in blocks(data, progress.part).items():
                if number in progress.missing:
                    self.keep_alive()
                    block = BlockMessage(offer=OFFER, part=progress.part, block=number, data=piece)
                    pico.send(self.frame(block, EVERYBODY))
                    pico.free_us += GAP_US
                    pico.run_to(pico.free_us)
            progress = self.step()
            if progress.state == "fetching" and not progress.missing:
                pico.run(DEAF_S)
                progress = self.step()
            if progress.part != part or progress.state != "fetching":
                self.parts_us.append(pico.now_us - began_us)
                began_us, part = pico.now_us, progress.part
        while progress.state == "unpacking":
            pico.run(0.05)
            progress = self.step()
        return progress

    def until(self, what: UpdateStep, state: UpdateState) -> None:
        for _ in range(TRIES):
            answer = self.heard(StepMessage(offer=OFFER, what=what))
            if isinstance(answer, ProgressMessage) and answer.state == state:
                return
            self.pico.run(0.05)
        raise AssertionError(f"never {state}")

    def tried(self) -> None:
        """The new one runs on trial, and answers."""
        self.step("try")
        self.pico.run_to(self.pico.now_us + 1e6, stop="reset")
        self.pico.run(START_S)
        assert self.joined().firmware == NEW
