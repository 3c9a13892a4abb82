"""New games with their seals, and ended ones that are closed: the seed stays secret until then."""

import json
import shutil
import signal
from pathlib import Path

import msgspec
import pytest

from pi_controller.core.game_loop.opening import header, read_rules
from pi_controller.core.game_loop.picture import end_of
from pi_controller.game.commands import WrongValue
from pi_controller.game.game import new_game
from pi_controller.game.room import SealView
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.exports import export_lines
from pi_controller.journal.record import decode, seal
from pi_controller.journal.store import Store
from pi_controller.journal.verify import verify_evening, verify_export
from pi_controller.journal.witnesses import games as summaries
from pi_controller.protocol.client import Client
from pi_controller.protocol.question import CommandAnswer
from pi_controller.replay.changes import changes_of
from pi_controller.report.figures import report_of
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hall import SEED, accepted
from tests.core.hand import S
from tests.core.test_main import Start, client_of, left, wait_for
from tests.core.test_main import start as start_core
from tests.journal.test_verify import verified

# Seals of an evening are numbered and chained, a word serves for one of them, and a chosen seed makes a rehearsal: in real processes, and in what they have written.


__all__ = ["start_core"]


@pytest.fixture
def start(start_core: Start) -> Start:
    return start_core


def keys(answer: CommandAnswer) -> list[str]:
    assert not answer.accepted
    return [said.key for said in answer.reason_keys]


def line_0(folder: Path, game_id: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(next(iter(export_lines(folder, game_id))))
    return found


def test_the_same_word_after_five_more_seals_is_told(tmp_path: Path, start: Start) -> None:
    core = start(state_dir=tmp_path)
    client = client_of(core, tmp_path)
    games = [client.picture().game_id]
    assert client.picture().seal == SealView(number=1, of_evening=games[0], rehearsal=False)
    assert client.command("contribute", {"text": "Lantern"}).accepted
    for number in range(2, 7):
        assert client.command("arm").accepted
        games.append(client.picture().game_id)
        assert client.picture().seal == SealView(number=number, of_evening=games[0], rehearsal=False)
    assert keys(client.command("contribute", {"text": " lantern! "})) == ["word.of_another_seal"]
    assert client.picture().public_word is None
    assert client.command("contribute", {"text": "red hat"}).accepted
    assert client.command("contribute", {"text": "Red hat"}).accepted, (
        "the word of this seal may be given again"
    )

    core.kill()
    core.wait()
    again = client_of(start(state_dir=tmp_path), tmp_path)
    assert again.picture().seal == SealView(number=6, of_evening=games[0], rehearsal=False), (
        "kept, so not counted"
    )
    assert again.command("arm").accepted
    assert again.picture().seal is not None
    assert again.picture().seal.number == 7
    games.append(again.picture().game_id)
    for word in ("lantern", "red hat"):
        assert keys(again.command("contribute", {"text": word})) == ["word.of_another_seal"]

    opened = [line_0(tmp_path, game) for game in games]
    places = [line["data"]["seal"] for line in opened]
    assert [place["before"] for place in places] == [None, *(line["hash"] for line in opened[:-1])]
    reports = [verify_export(export_lines(tmp_path, game)) for game in games]
    assert verify_evening(reports)[0]
    assert not verify_evening([*reports[:2], *reports[3:]])[0]
    others = summaries(tmp_path)
    assert [one.seal for one in others] == [7, 6, 5, 4, 3, 2, 1]
    report = report_of(changes_of([decode(line) for line in export_lines(tmp_path, games[1])]), others=others)
    assert (report.seal, report.rehearsal) == (2, False)
    assert {one.game_id: one.seal for one in report.games} == {
        game: number for number, game in enumerate(games, 1) if number != 2
    }


def ways(client: Client) -> None:
    """Every way to another seal that a command is."""
    assert client.command("arm", {"rule_set": "classic"}).accepted
    assert client.command("arm", {"rehearsal": True}).accepted
    assert client.command("start").accepted
    wait_for(client, lambda picture: picture.round == 1)
    assert client.command("end", {"confirm": True}).accepted
    assert client.command("close", {"confirm": True}).accepted
    assert client.command("arm").accepted


def test_every_way_to_another_seal_carries_the_next_number(tmp_path: Path, start: Start) -> None:
    """Other rules, a rehearsal, after `close`; then another rule set on the command line, a game that stands in for a
    damaged one, and games that somebody has removed."""
    settings = tmp_path / "settings.toml"
    settings.write_text("[game]\nstart_countdown_seconds = 0\n")
    folder = tmp_path / "state"
    core = start(state_dir=folder, settings_path=settings)
    client = client_of(core, folder)
    ways(client)
    assert client.picture().seal.number == 4
    first = client.picture().seal.of_evening
    numbers = []
    for options in ({"rule_set": "classic", "players": 3}, {}):
        core.send_signal(signal.SIGTERM)
        assert left(core)[0] == 0
        core = start(state_dir=folder, settings_path=settings, **options)
        numbers.append(client_of(core, folder).picture().seal.number)
    assert numbers == [5, 5]
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    newest = Store(folder).game_ids()[0]
    (folder / "games" / newest / "seed").write_text("11" * 32 + "\n")
    core = start(state_dir=folder, settings_path=settings)
    seal = client_of(core, folder).picture().seal
    assert (seal.number, seal.of_evening) == (6, first)
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    shutil.rmtree(folder / "games")
    core = start(state_dir=folder, settings_path=settings)
    client = client_of(core, folder)
    assert client.picture().seal.number == 7
    before = line_0(folder, client.picture().game_id)["data"]["seal"]["before"]
    assert before is not None


def test_a_chosen_seed_makes_rehearsals(tmp_path: Path, start: Start) -> None:
    core = start(state_dir=tmp_path, seed_hex="07" * 32)
    client = client_of(core, tmp_path)
    for _ in range(2):
        picture = client.picture()
        assert (picture.rehearsal, picture.seal.rehearsal) == (True, True)
        assert line_0(tmp_path, picture.game_id)["data"]["rehearsal"] is True
        assert client.command("arm").accepted
    game_id = client.picture().game_id
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    client = client_of(start(state_dir=tmp_path), tmp_path)
    assert (client.picture().game_id, client.picture().rehearsal) == (game_id, True), (
        "it was armed with that seed"
    )
    assert client.command("start").accepted
    wait_for(client, lambda picture: picture.round == 1)
    assert client.command("end", {"confirm": True}).accepted
    assert client.command("close", {"confirm": True}).accepted
    report = verified(export_lines(tmp_path, game_id))
    assert report.verdict == "proved"
    assert report.told[-1].startswith("PASSED, AS A REHEARSAL: ")


def test_rules_that_this_version_does_not_know_are_named() -> None:
    rules = header(new_game("g", CONNECT, bytes(32)))["rules"]
    assert isinstance(rules, dict)
    assert read_rules(json.loads(msgspec.json.encode(rules))) == CONNECT
    more = {**rules, "loaded": 1, "points": {**rules["points"], "wall": 2}}
    with pytest.raises(WrongValue) as found:
        read_rules(more)
    assert found.value.sentence.key == "start.unknown_fields"
    assert dict(found.value.sentence.params) == {"names": "loaded, points.wall"}


# An ended game is closed by a command, the next game or by itself, and its seed stays secret until then.


MINUTE = 60 * S


def exported(hall: DiskHall) -> list[bytes]:
    hall.settle()
    return list(export_lines(hall.state_dir, GAME_ID))


def is_secret(hall: DiskHall) -> bool:
    lines = exported(hall)
    report = verified(lines, commitment=hall.picture.commitment)
    assert report.verdict in ("unproved", "proved")
    assert (SEED.hex().encode() in b"".join(lines)) == (report.verdict == "proved")
    return report.verdict == "unproved"


def test_no_export_holds_the_seed_before_the_game_is_closed(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    assert is_secret(hall)
    hall.ask("end", {"confirm": True})
    assert is_secret(hall)
    assert accepted(hall.ask("undo"))
    assert accepted(hall.ask("resume"))
    hall.move(5 * S)
    assert accepted(hall.ask("skip"))
    assert is_secret(hall)
    hall.ask("end", {"confirm": True})
    later = hall.again(new_boot=True)
    later.log.prompt = True
    assert (later.picture.game_id, later.picture.phase, later.picture.closed) == (GAME_ID, "ended", False)
    assert is_secret(later)
    assert accepted(later.ask("close", {"confirm": True}))
    report = verified(exported(later), commitment=later.picture.commitment)
    assert (report.verdict, report.late) == ("proved", 0)
    assert report.rolls > 1


def test_a_closed_game_stays_closed_over_a_restart(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.ask("end", {"confirm": True})
    hall.ask("close", {"confirm": True})
    later = hall.again()
    later.log.prompt = True
    assert later.picture.closed
    assert later.picture.seed == SEED.hex()
    assert not accepted(later.ask("undo"))


@pytest.mark.parametrize(("away", "closed"), [(9 * MINUTE - 1, False), (9 * MINUTE, True)])
def test_the_wait_goes_on_while_the_controller_is_down(tmp_path: Path, *, away: int, closed: bool) -> None:
    hall = DiskHall(tmp_path, close_after_minutes=10).play()
    hall.ask("end", {"confirm": True})
    hall.move(MINUTE)
    assert not hall.picture.closed
    later = hall.again(after_ns=away, close_after_minutes=10)
    later.log.prompt = True
    later.move(0)
    assert later.picture.closed == closed


def test_the_end_is_found_by_the_clock_that_still_runs() -> None:
    wall, later = "2026-11-21T18:00:00Z", "2026-11-21T18:05:00Z"
    kinds = ("turned", "ended", "note")
    lines = [
        seal(kind, {}, seq=1, game_ns=1, boot_ns=7, boot_id="b", wall=wall, prev="0" * 64) for kind in kinds
    ]
    assert end_of(lines, boot_ns=99 * S, boot_id="b", wall=later) == 7
    assert end_of(lines, boot_ns=99 * S, boot_id="c", wall=later) == 99 * S - 5 * MINUTE
    assert end_of(lines, boot_ns=99 * S, boot_id="c", wall="2020-01-01T00:00:00Z") == 99 * S
    assert end_of(lines[:1], boot_ns=99 * S, boot_id="c", wall=later) is None
