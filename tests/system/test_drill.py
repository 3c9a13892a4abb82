"""The drill of docs/spare_pi.md, word for word: the commands are read out of the document, in its order, and each
has to be known here. The stick is in when the spare boots."""

import json
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from pi_controller.journal.copies import controller_id, read_mark
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import beat_of
from pi_controller.protocol.client import Client
from pi_controller.protocol.picture import Picture
from tests.browser.screen import CHROMIUM, launch
from tests.journal.chains import tree
from tests.needs import program as installed
from tests.patience import DEADLINE_MS
from tests.system.programs import (
    ONE_ROUND,
    ROOT,
    Program,
    cli,
    client_of,
    program,
    simulated,
    wait_for_picture,
    wait_until,
)

DOCUMENT = ROOT / "docs" / "spare_pi.md"


class Controller:
    """One of the two, with its card and its settings; the stick shows at the same place in both."""

    def __init__(self, folder: Path, hall: str, stick: Path) -> None:
        self.state = folder / "s"
        folder.mkdir()
        copy = json.dumps(str(stick / "games-copy"))
        more = f'[hall]\nname = "{hall}"\n[journal]\nsecond_copy = {copy}\n'
        self.options = simulated(folder, ONE_ROUND + more)
        self.core: Program | None = None


class Drill:
    """Does what the document says, and notes what the command line said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stick = folder / "media" / "STICK"
        (self.stick / "games-copy").mkdir(parents=True)
        self.first = Controller(folder / "first", "Hall 1", self.stick)
        self.spare = Controller(folder / "spare", "Hall 2", self.stick)
        self.said = ""
        self.closing = ExitStack()

    def switch_on(self, controller: Controller) -> None:
        controller.core = self.closing.enter_context(program("core", *controller.options))
        client_of(controller.state, controller.core)

    def do(self, command: str, controller: Controller) -> None:
        """One command of the document. KeyError for one that this drill does not know."""
        done = command.removeprefix("sudo ")
        if done == "systemctl stop pi-controller-core":
            assert controller.core is not None
            assert controller.core.end() == 0
        elif done == "systemctl start pi-controller-core":
            self.switch_on(controller)
        elif done == "pi-controller setup":
            if controller is self.first:
                self._run(["pair", "new"], controller)  # what it does when the key is chosen
        elif done.startswith("pi-controller "):
            named = {"pairing-key": self.folder / "key", "FILE": self.folder / "key"}
            named["/media/pi/STICK"] = self.stick
            arguments = [named.get(word, word) for word in done.split()[1:]]
            self._run(arguments, controller)
        else:
            raise KeyError(f"the drill has a command that nobody has tried: {command}")

    def _run(self, arguments: list[str | Path], controller: Controller) -> None:
        done = cli(*arguments, "--state-dir", controller.state)
        assert done.returncode == 0, done
        self.said = done.stdout


@pytest.fixture
def drill(tmp_path: Path) -> Iterator[Drill]:
    made = Drill(tmp_path)
    with made.closing:
        yield made


def section(title: str) -> str:
    text = DOCUMENT.read_text()
    return text[text.index(f"## {title}") :].split("\n## ")[0]


def commands(text: str) -> list[str]:
    """In the order of the text; what is only a hint on another way has no `sudo`."""
    return re.findall(r"`(sudo [^`]+)`", text)


def before_the_event(drill: Drill) -> None:
    of_first, of_spare = section("Beforehand, at home").split("On the spare:")
    exported = commands(of_first)
    assert [each.split()[2] for each in exported] == ["setup", "pair", "pair"]
    for each in exported[:2]:  # the third reads the same key aloud
        drill.do(each, drill.first)
    for each in commands(of_spare):
        drill.do(each, drill.spare)


def play(drill: Drill) -> Picture:
    """A game in round 3 at the first controller, until its power goes."""
    drill.switch_on(drill.first)
    assert drill.first.core is not None
    client = client_of(drill.first.state, drill.first.core)
    for command in ("start", "skip", "skip"):
        assert client.command(command).accepted
    seen = wait_for_picture(client, lambda picture: picture.running)
    copy = Store(drill.stick / "games-copy")

    def copied() -> bool:
        beat = beat_of(copy, str(seen.game_id))
        return (
            beat is not None
            and beat.sight is not None
            and beat.sight.round == seen.round
            and beat.sight.clock == "running"
        )

    wait_until(copied)
    drill.first.core.process.kill()
    drill.first.core.left()
    return seen


def asked_about(drill: Drill) -> Picture:
    """The picture of the spare that has found the stick."""
    client = client_of(drill.spare.state, drill.spare.core)
    return wait_for_picture(
        client, lambda picture: any(item.key == "journal.copy_of_another" for item in picture.health.items)
    )


def test_the_drill_as_it_is_written(drill: Drill) -> None:
    before_the_event(drill)
    before = play(drill)
    stick = tree(drill.stick)
    last = beat_of(Store(drill.stick / "games-copy"), str(before.game_id))
    assert last is not None
    assert last.sight is not None
    seed = (drill.first.state / "games" / before.game_id / "seed").read_text().strip()
    on_stick = b"".join(path.read_bytes() for path in drill.stick.rglob("*") if path.is_file())
    assert seed.encode() not in on_stick
    assert bytes.fromhex(seed) not in on_stick

    rows = [row for row in section("The drill").splitlines() if re.match(r"\| \d", row)]
    assert [row.split("|")[1].strip() for row in rows] == [str(number) for number in range(1, 9)]
    for number, row in enumerate(rows, start=1):
        if "Switch the spare on" in row:
            drill.switch_on(drill.spare)
            found = asked_about(drill)
            (told,) = (item for item in found.health.items if item.key == "journal.copy_of_another")
            assert told.params["hall"] == "Hall 1"
            assert told.params["game"] == before.game_id
        for command in commands(row):
            began = time.monotonic()
            drill.do(command, drill.spare)
            print(f"{time.monotonic() - began:.1f} s  {command}")
        if number < 6:
            assert tree(drill.stick) == stick, "the spare has written to the stick, and nobody has decided so"
        if "restore" in row:
            assert f"Game {before.game_id} comes back in round 3 with " in drill.said

    client = client_of(drill.spare.state, drill.spare.core)
    after = client.picture()
    assert (after.paused, after.pause_reasons) == (True, ["recovery"])
    for name in ("game_id", "round", "side", "dice", "commitment", "public_word"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.remaining_us == -(-last.sight.remaining_ns // 1000), (
        "the time of the last sign of life on the stick"
    )
    assert client.command("resume").accepted
    own = controller_id(drill.spare.state)

    def adopted() -> bool:
        mark = read_mark(drill.stick / "games-copy")
        return mark is not None and mark.controller == own

    wait_until(adopted)
    assert not [item for item in client.picture().health.items if item.key == "journal.copy_of_another"]
    shutil.copytree(drill.first.state, drill.folder / "s", ignore=shutil.ignore_patterns("*.sock"))
    with program("core", *simulated(drill.folder)) as own_card:
        dice = client_of(drill.folder / "s", own_card)
        assert dice.command("resume").accepted
        assert rolls(client) == rolls(dice), "those that the first controller would have rolled"
    prove(drill, client, before, seed)


def rolls(client: Client) -> list[object]:
    """The next ones."""
    found = []
    for _ in range(12):
        assert client.command("skip").accepted
        picture = client.picture()
        found.append((picture.phase, picture.round, picture.dice, picture.robber_target))
    return found


def prove(drill: Drill, client: Client, before: Picture, seed: str) -> None:
    """The game is ended at the spare, and everybody can check it."""
    for command in ("end", "close"):
        assert client.command(command, {"confirm": True}).accepted
    ended = client.picture()
    assert ended.seed == seed
    assert drill.spare.core is not None
    assert drill.spare.core.end() == 0
    game = drill.folder / "game.jsonl"
    assert (
        cli("journal", "export", before.game_id, "-o", game, f"--state-dir={drill.spare.state}").returncode
        == 0
    )
    verdict = cli("verify", game, "--commitment", before.commitment, "--head", ended.journal_head)
    assert verdict.returncode == 0, verdict.stdout
    found = recover(drill.spare.state)
    assert found is not None
    assert (found.lost, found.cut) == (0, ())


def test_the_director_takes_the_game_over_with_a_click(drill: Drill) -> None:
    before_the_event(drill)
    before = play(drill)
    last = beat_of(Store(drill.stick / "games-copy"), str(before.game_id))
    with program("run", *drill.spare.options, "--port=0") as running, sync_playwright() as playwright:
        link = running.said.wait_for("director http").split()[1]
        page = launch(playwright, installed(CHROMIUM)).new_page()
        page.goto(link)
        page.get_by_role("button", name="Log in").click()
        page.locator("[data-is=copy]").wait_for(timeout=DEADLINE_MS)
        expect(page.locator("[data-is=copy] h2")).to_have_text(
            "The stick holds the game of Hall 1: take it over?"
        )
        page.locator("[data-is=copy-take-over]").click()
        client = client_of(drill.spare.state)
        after = wait_for_picture(client, lambda picture: picture.game_id == before.game_id)
        assert (after.round, after.pause_reasons, after.dice) == (before.round, ["recovery"], before.dice)
        assert last is not None
        assert last.sight is not None
        assert after.remaining_us == -(-last.sight.remaining_ns // 1000)
        expect(page.locator("[data-is=copy]")).to_be_hidden(timeout=DEADLINE_MS)
        assert running.end() == 0
