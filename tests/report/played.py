"""A short game with something of everything that a report tells."""

from pathlib import Path

from pi_controller.journal.exports import export_lines
from pi_controller.journal.record import Record, decode
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hand import MS, S

LESS = {"settlements": 4, "cities": 1}


def records_of(hall: DiskHall) -> list[Record]:
    """The lines of its journal, which is closed with this."""
    hall.crash()
    return [decode(line) for line in export_lines(hall.state_dir, GAME_ID)]


def recorded(state_dir: Path) -> list[Record]:
    """Round 1: pressed 10 s after its beginning, 4 ms before that was seen; on again 7 s later. Round 2: a claim of B2
    from Ann's page, rejected 5 s later; 30 s more, taken back; end."""
    hall = DiskHall(state_dir).play()
    hall.move(10 * S)
    hall.press(late_ns=4 * MS)
    hall.move(4 * S)
    hall.ask(
        "verdict", {"claim": hall.picture.claims[0].id, "confirmed": False, "board": "A1", "side": "sun"}
    )
    hall.ask("resume", {"override": True}, source="web")
    hall.move(3 * S)
    hall.move(26 * S)
    hall.ask("claim", {"board": "B2", "side": "moon"}, source="web:director:1")
    hall.move(5 * S)
    hall.ask("verdict", {"claim": hall.picture.claims[-1].id, "sheet": LESS}, source="web:director:1")
    hall.ask("say", {"text": "Ann comes to the desk"}, source="web:director:1")
    hall.ask("add_time", {"ms": 30_000}, source="cli")
    hall.move(1 * S)
    hall.ask("undo", source="cli")
    hall.move(1 * S)
    hall.ask("end", {"confirm": True})
    return records_of(hall)
