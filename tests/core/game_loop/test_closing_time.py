"""An ended game is closed by a command, the next game or by itself, and its seed stays secret until then."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.core.game_loop.picture import end_of
from pi_controller.journal.exports import export_lines
from pi_controller.journal.record import seal
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hall import SEED, accepted
from tests.core.hand import S
from tests.journal.test_verify import both

MINUTE = 60 * S


@pytest.fixture
def halls() -> Iterator[list[DiskHall]]:
    open_halls: list[DiskHall] = []
    yield open_halls
    for hall in open_halls:
        hall.crash()


def exported(hall: DiskHall) -> list[bytes]:
    hall.settle()
    return list(export_lines(hall.state_dir, GAME_ID))


def is_secret(hall: DiskHall) -> bool:
    lines = exported(hall)
    report = both(lines, commitment=hall.picture.commitment)
    assert report.verdict in ("unproved", "proved")
    assert (SEED.hex().encode() in b"".join(lines)) == (report.verdict == "proved")
    return report.verdict == "unproved"


def test_no_export_holds_the_seed_before_the_game_is_closed(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    halls.append(hall)
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
    halls.append(later)
    later.log.prompt = True
    assert (later.picture.game_id, later.picture.phase, later.picture.closed) == (GAME_ID, "ended", False)
    assert is_secret(later)
    assert accepted(later.ask("close", {"confirm": True}))
    report = both(exported(later), commitment=later.picture.commitment)
    assert (report.verdict, report.late) == ("proved", 0)
    assert report.rolls > 1


def test_a_closed_game_stays_closed_over_a_restart(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.ask("end", {"confirm": True})
    hall.ask("close", {"confirm": True})
    later = hall.again()
    halls.append(later)
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
    later.crash()


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
