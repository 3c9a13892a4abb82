"""The claim button of a table in a hall that follows, with the real firmware, up to the leader and back."""

import json
import time
from pathlib import Path

from pi_controller.protocol.picture import Picture
from pi_controller.protocol.tables import TablesSnapshot
from tests.system.broker import Broker, cable, mosquitto
from tests.system.halls import Hall, hall
from tests.system.programs import AT_ONCE
from tests.system.table_hands import FULL, HOLD_S, boards, hold_until, lamp, wait_for_tables, waiting
from tests.system.virtual_tables import VirtualTables, virtual_tables

__all__ = ["mosquitto"]

POLLS = 20
"""The node counts as let go after so many: each takes some milliseconds."""
HELD_MS = 600
"""So long a button is held before its node claims."""
ROUNDED_MS = 1
"""A claim stands in the picture with whole milliseconds before the end of its time, rounded up."""
CRYSTALS_MS = 8
"""By so much a node's clock may run wrong over the half minute of its stamps (tests/firmware/test_estimator.py)."""


def boot_ms() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1_000


def pressed_ms(leader: Hall, picture: Picture) -> float:
    """The moment of the only claim that waits, on this computer's clock."""
    (claim,) = (one for one in picture.claims if one.status == "open" and not one.passed)
    before_end_us = picture.remaining_us - claim.pressed_ms_before_end * 1_000
    return leader.clock.right_us(picture.as_of_us + before_end_us) / 1_000


def error_ms(follower: Hall) -> float:
    """How far the leader's clock may be from what the follower takes it for: less once there are better round trips."""
    error = follower.link().error_ms
    assert error is not None
    return error


def behind_ms(follower: Hall, node: str) -> float:
    """How far a node's time may be behind: by the least late of the states that it has noticed, which come to it as
    polls do. Hardly any poll has taken longer with its answer than this."""
    (found,) = (one for one in wait_for_tables(follower.client, bool).nodes if one.uid == node)
    assert found.round_trip_ms is not None
    return found.round_trip_ms.p99 + CRYSTALS_MS


def taken(leader: Hall) -> int:
    """Claims that the leader's journal has as accepted, once all that the picture shows is on the disk."""
    leader.until(lambda picture: picture.saved_seq == picture.seq)
    journal = leader.state_dir / "games" / leader.picture().game_id / "journal.jsonl"
    answered = (json.loads(line)["data"] for line in journal.read_text().splitlines() if '"answered"' in line)
    return sum(data["accepted"] and data["key"].startswith("hall/east/table/") for data in answered)


def let_go(follower: Hall, tables: VirtualTables, node: str) -> None:
    """And wait until the node must have noticed."""

    def polls(snapshot: TablesSnapshot) -> int:
        return next(one.good for one in snapshot.nodes if one.uid == node)

    tables.do("release", node, side="sun")
    seen = polls(wait_for_tables(follower.client, bool))
    wait_for_tables(follower.client, lambda snapshot: polls(snapshot) > seen + POLLS)


def test_a_table_of_a_follower_claims_with_its_press_time_through_cuts_and_kills(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with (
        cable(mosquitto.port) as wire,
        hall(tmp_path, "main", "leader", mosquitto.port, AT_ONCE) as leader,
        hall(tmp_path, "east", "follower", wire.port, nodes=2) as follower,
    ):
        node = boards(follower.client, 2)["A2"]
        follower.until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        with virtual_tables(follower.state_dir) as tables:
            errors_ms, before_ms = [error_ms(follower)], boot_ms()
            hold_until(leader.client, tables, node, boards_waiting=["east/A2"])
            after_ms = boot_ms()
            errors_ms.append(error_ms(follower))
            picture = leader.picture()
            early_ms = max(errors_ms) + behind_ms(follower, node) + ROUNDED_MS
            assert before_ms - early_ms <= pressed_ms(leader, picture) <= after_ms - HELD_MS + max(errors_ms)
            lamp(tables, node, FULL)
            (claim,) = picture.claims
            assert leader.client.command("verdict", {"claim": claim.id, "confirmed": False}).accepted
            lamp(tables, node, 0)

            let_go(follower, tables, node)
            wire.cut()
            tables.do("hold", node, side="sun", value=HOLD_S)
            follower.until_on_its_way("claim")
            assert waiting(leader.picture()) == []
            wire.mend()
            leader.until(lambda picture: waiting(picture) == ["east/A2"])
            lamp(tables, node, FULL)
            let_go(follower, tables, node)
            hold_until(leader.client, tables, node, boards_waiting=[])  # held again: taken back
            lamp(tables, node, 0)

            let_go(follower, tables, node)
            follower.kill("links")
            tables.do("hold", node, side="sun", value=HOLD_S)
            follower.until_on_its_way("claim")
            follower.start("links")
            leader.until(lambda picture: waiting(picture) == ["east/A2"])
            lamp(tables, node, FULL)
            assert [claim.status for claim in leader.picture().claims] == ["rejected", "open"]
            assert taken(leader) == 4
