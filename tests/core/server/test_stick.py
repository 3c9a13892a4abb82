"""Which sticks there are, and how saving to one goes. What writes is a script of the test, in a real process."""

import json
import sys
from pathlib import Path
from typing import Any

from pi_controller.core.server.stick import PATIENCE_NS, StickJob
from pi_controller.protocol.messages import AskStick, StickLine
from tests.core.hand import HandTimers
from tests.core.hand_threads import HandThreads
from tests.core.server.test_requests import Asker

STICK = "/media/pi/FIRST STICK"
MOUNTS = """\
/dev/root / ext4 rw,noatime 0 0
/dev/sda1 /media/pi/FIRST\\040STICK vfat rw,nosuid 0 0
/dev/sdb1 /mnt/second exfat ro,nosuid 0 0
"""


class Desk:
    """What works on a thread does so when the test says so."""

    def __init__(self, root: Path, script: str = "") -> None:
        (root / "proc").mkdir()
        self.mounts = root / "proc" / "mounts"
        self.mounts.write_text(MOUNTS)
        self.began = root / "began"
        self.timers, self.threads = HandTimers(), HandThreads(at_once=False)
        counted = f"import signal, sys; open({str(self.began)!r}, 'a').write(sys.argv[1] + '\\n'); {script}"
        self.job = StickJob(
            root, timers=self.timers, threads=self.threads, command=(sys.executable, "-c", counted), root=root
        )
        self.asker = Asker()

    def ask(self, **asked: Any) -> Any:
        """The answer, before the writing is through that it may begin."""
        self.job.answer(self.asker, AskStick(**asked))  # type: ignore[arg-type]
        self.threads.waiting.pop(0)()
        return self.asker.told[-1]["stick"]

    def begun(self) -> list[str]:
        return self.began.read_text().splitlines() if self.began.exists() else []


def says(*lines: dict[str, Any]) -> str:
    return f"print({chr(10).join(map(json.dumps, lines))!r})"


WRITTEN = {"folder": "pi-controller-1", "files": [{"name": "g.jsonl", "bytes": 5}]}


def test_sticks_are_those_that_are_mounted_where_sticks_are(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    told = desk.ask()
    assert [(one["place"], one["name"], one["read_only"]) for one in told["sticks"]] == [
        (STICK, "FIRST STICK", False),
        ("/mnt/second", "second", True),
    ]
    assert (told["number"], told["state"]) == (0, "none")
    desk.mounts.write_text("")
    assert desk.ask()["sticks"] == []


def test_saving_is_begun_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    desk = Desk(tmp_path, says({"step": "writing", "done": 1, "of": 2}, WRITTEN))
    first, second = desk.ask(save=STICK), desk.ask(save=STICK)
    assert (first["number"], first["state"], first["place"]) == (1, "working", STICK)
    assert second == first
    desk.threads.work()
    done = desk.ask(save=STICK, seen=0)
    assert (done["number"], done["state"], done["folder"]) == (1, "done", "pi-controller-1"), "a late repeat"
    assert (done["done"], done["of"], done["files"]) == (1, 2, WRITTEN["files"])
    assert desk.begun() == [STICK]
    assert desk.ask(save=STICK, seen=1)["number"] == 2
    desk.threads.work()
    assert desk.begun() == [STICK, STICK]


def test_a_stick_that_is_gone_by_now_or_was_never_one_is_refused(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    told = desk.ask(save="/home/pi", lang="de")
    assert told["state"] == "failed"
    assert told["reason"].startswith("Der Stick /home/pi ist nicht mehr da")
    assert told["reason_key"]["key"] == "stick.not_there"
    desk.threads.work()
    assert desk.begun() == []


def test_what_went_wrong_is_said_in_the_language_of_who_asks(tmp_path: Path) -> None:
    reason = {"key": "stick.gone", "params": {"folder": STICK}}
    desk = Desk(tmp_path, says({"reason": reason}))
    desk.ask(save=STICK)
    desk.threads.work()
    assert "wurde abgezogen" in desk.ask(lang="de")["reason"]
    assert "pulled out" in desk.ask()["reason"]


def test_a_process_that_dies_or_never_ends_fails(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "print('{\"step\": \"wri', end='')")
    desk.ask(save=STICK)
    desk.threads.work()
    assert desk.ask()["reason"].startswith("Saving to the stick was interrupted")


def test_it_is_ended_when_it_takes_too_long_and_when_core_ends(tmp_path: Path) -> None:
    for number, end in enumerate((lambda desk: desk.timers.move(PATIENCE_NS), lambda desk: desk.job.stop())):
        root = tmp_path / str(number)
        root.mkdir()
        desk = Desk(root, 'print(\'{"step": "writing"}\', flush=True); sys.stdin.close(); signal.pause()')
        heard = desk.job._heard

        def then_end(line: StickLine, desk: Desk = desk, heard: Any = heard, end: Any = end) -> None:
            heard(line)
            end(desk)

        desk.job._heard = then_end  # type: ignore[method-assign]
        desk.ask(save=STICK)
        desk.threads.work()
        assert desk.ask()["state"] == "failed"
