"""Games that a program of version 1 wrote: they open, go on with their own dice, and verify to the end."""

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.journal.exports import export_lines
from tests.core.disk import DiskHall
from tests.core.hall import accepted
from tests.core.hand import S
from tests.journal.test_verify import verified

VECTORS = Path(__file__).parents[2] / "vectors"
AS_TYPED = "Ju\u0308rgen\u2019s  Hat \u3164!"


def opened(name: str, folder: Path) -> tuple[DiskHall, dict[str, Any]]:
    """The hall on a copy of this state, and what the old program's picture said."""
    state = folder / "state"
    shutil.copytree(VECTORS / name / "games", state / "games")
    hall = DiskHall(state)
    hall.log.prompt = True
    return hall, json.loads((VECTORS / name / "picture.json").read_text())


def as_json(hall: DiskHall) -> dict[str, Any]:
    """The picture as its readers get it."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(hall.picture))
    return found


def verified_after_the_end(hall: DiskHall, before: dict[str, Any], word: str) -> None:
    assert accepted(hall.ask("end", {"confirm": True}))
    assert accepted(hall.ask("close", {"confirm": True}))
    head = hall.picture.journal_head
    lines = list(export_lines(hall.state_dir, before["game_id"]))
    opening = json.loads(lines[0])["data"]
    assert (opening["format"], opening.get("derivation")) == (1, None)
    report = verified(lines, commitment=before["commitment"], head=head, word=word)
    assert report.ok, report.told
    assert (report.uncovered, report.late) == (0, 0)
    if before["journal_head"] is not None:
        assert verified(lines, head=before["journal_head"]).verdict in ("partly", "proved")


def test_a_game_under_way_goes_on_with_the_rolls_it_was_committed_to(tmp_path: Path) -> None:
    hall, before = opened("state-v1-playing", tmp_path)
    for name in ("game_id", "phase", "round", "side", "dice", "robber_target", "commitment", "public_word"):
        assert as_json(hall)[name] == before[name], name
    assert accepted(hall.ask("resume"))
    for _ in range(8):
        assert accepted(hall.ask("skip"))
    assert accepted(hall.ask("undo"))
    hall.move(5 * S)
    verified_after_the_end(hall, before, AS_TYPED)


def test_a_game_armed_before_takes_its_word_as_it_is_typed(tmp_path: Path) -> None:
    hall, before = opened("state-v1-ready", tmp_path)
    assert hall.picture.commitment == before["commitment"]
    assert accepted(hall.ask("contribute", {"text": AS_TYPED}))
    assert hall.picture.public_word == AS_TYPED
    assert accepted(hall.ask("start"))
    for _ in range(12):
        hall.move(20 * S)
    verified_after_the_end(hall, before, AS_TYPED.replace("u\u0308", "\u00fc"))


def test_the_next_game_after_an_old_one_has_the_new_dice(tmp_path: Path) -> None:
    hall, before = opened("state-v1-ready", tmp_path)
    assert not hall.loop.game.rules.winners_have_boards
    assert accepted(hall.ask("arm"))
    assert hall.loop.game.rules.winners_have_boards
    game_id = hall.picture.game_id
    assert game_id != before["game_id"]
    (line,) = list(export_lines(hall.state_dir, game_id))
    assert json.loads(line)["data"]["derivation"] == 2


SHOWN = (
    *("game_id", "rule_set", "phase", "round", "side", "next_side", "dice", "robber_target", "robber_dice"),
    *(
        "duration_ms",
        "target_points",
        "last_round",
        "schedule",
        "claims_mode",
        "claims",
        "winners",
        "decided_by",
    ),
    *("history", "message", "commitment", "public_word", "seed"),
)
"""What of a picture depends on the journal alone."""


def as_known_then(found: Any, then: Any) -> Any:
    """Without the fields of claims that have come since."""
    if not isinstance(found, list) or len(found) != len(then):
        return found
    return [
        {name: one[name] for name in other} if isinstance(other, dict) else one
        for one, other in zip(found, then, strict=True)
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in (VECTORS / "journals").iterdir()))
def test_a_game_of_the_release_before_opens_goes_on_and_verifies(tmp_path: Path, name: str) -> None:
    """`tests/vectors/games.py` says what happened in each."""
    hall, before = opened(f"journals/{name}", tmp_path)
    if before["message"] is not None:
        before["message"] |= {"line": None, "tables": True}  # that program knew neither
    for field in SHOWN:
        assert as_known_then(as_json(hall)[field], before[field]) == before[field], field
    if before["phase"] == "ready":
        assert accepted(hall.ask("start"))
    elif before["phase"] == "collecting":
        assert as_json(hall)["ranking"] == before["ranking"]
        assert accepted(hall.ask("end", {"confirm": True}))
        assert accepted(hall.ask("close", {"confirm": True}))
    elif before["phase"] != "ended":
        assert hall.picture.pause_reasons[-1] == "recovery"
        assert accepted(hall.ask("resume", {"override": True}))
    if before["phase"] not in ("collecting", "ended"):
        hall.move(5 * S)
        assert accepted(hall.ask("skip"))
        assert accepted(hall.ask("end", {"confirm": True}))
        assert accepted(hall.ask("close", {"confirm": True}))
    assert hall.picture.closed
    lines = list(export_lines(hall.state_dir, before["game_id"]))
    report = verified(
        lines,
        commitment=before["commitment"],
        head=hall.picture.journal_head_full,
        word=before["public_word"],
    )
    assert report.ok, report.told
    if before["journal_head_full"] is not None:
        assert verified(lines, head=before["journal_head_full"]).verdict in ("partly", "proved")


def test_an_old_export_is_verified_as_it_was() -> None:
    seen = json.loads((VECTORS / "export-v1-played.json").read_text())
    with (VECTORS / "export-v1-played.jsonl").open("rb") as file:
        lines = list(file)
    report = verified(
        lines, commitment=seen["commitment"], head=seen["journal_head"], word=seen["public_word"]
    )
    assert report.ok
    assert (len(report.chain), report.rolls, report.robber_phases, report.late) == (62, 21, 3, 5)


def test_an_export_of_today_stays_verifiable() -> None:
    seen = json.loads((VECTORS / "export-v2.json").read_text())
    with (VECTORS / "export-v2.jsonl").open("rb") as file:
        lines = list(file)
    report = verified(
        lines, commitment=seen["commitment"], head=seen["journal_head_full"], word="JU\u0308RGEN\u2018S  hat!"
    )
    assert report.ok
    assert (report.word, seen["public_word"]) == ("jürgen's hat!", "jürgen's hat!")
    assert (len(report.chain), report.rolls, report.robber_phases, report.late) == (61, 22, 5, 5)
    (changes,) = [one for one in report.told if one.startswith("Changed after the commitment")]
    assert [word for word in changes.split() if word.isdigit()] == ["6", "28", "37"]
