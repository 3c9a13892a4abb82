"""A follower takes the place of a leader that is gone, with the game that came over the network."""

from pathlib import Path

import pytest

from tests.system.broker import Broker, mosquitto
from tests.system.halls import Hall, hall, paired
from tests.system.programs import cli, wait_until

__all__ = ["mosquitto"]


def promote(one: Hall, *more: str) -> tuple[int, str]:
    given = (f"--state-dir={one.state_dir}", f"--settings={one.settings}", *more)
    done = cli("links", "promote", *given, environment=one.clock.environment)
    return done.returncode, done.stderr.strip().split("\n")[-1] if done.returncode else done.stdout


@pytest.fixture
def halls(tmp_path: Path, mosquitto: Broker):  # type: ignore[no-untyped-def]
    """In play, and the follower has the leader's game."""
    paired(tmp_path, "main", "east")
    with (
        hall(tmp_path, "main", "leader", mosquitto.port) as leader,
        hall(tmp_path, "east", "follower", mosquitto.port) as follower,
    ):
        follower.until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        side = leader.picture().side
        assert follower.client.command("claim", {"board": "A1", "side": side}).accepted
        game = leader.picture().game_id
        own, kept = (one / "games" / game / "journal.jsonl" for one in _folders(leader, follower))
        wait_until(lambda: kept.exists() and b'"claim"' in kept.read_bytes())
        copied = kept.read_bytes()
        wait_until(lambda: own.read_bytes().startswith(copied))
        yield leader, follower


def _folders(leader: Hall, follower: Hall) -> tuple[Path, Path]:
    return leader.state_dir / "copy", follower.state_dir / "copy"


def test_it_leads_with_the_same_game_paused(halls: tuple[Hall, Hall], mosquitto: Broker) -> None:
    leader, follower = halls
    before = leader.picture()
    follower.end("core", "links")
    refused = promote(follower)
    assert refused == (
        3,
        'The hall "main" leads and is heard: two halls must never lead. Switch its controller off first.',
    )
    leader.kill("core", "links")
    mosquitto.kill()
    status, sentence = promote(follower)
    assert (status, sentence.startswith("Nothing was changed")) == (3, True)
    mosquitto.start()
    status, said = promote(follower, "--leader-is-off", "?")
    assert status == 0, said
    assert 'The hall "east" leads from term 2 on.' in said
    follower.start("core", "links")
    led = follower.until_link("leading")
    assert (led.game_id, led.round, led.side, led.dice) == (
        before.game_id,
        before.round,
        before.side,
        before.dice,
    )
    assert (led.paused, led.commitment) == (True, before.commitment)
    assert [claim.board for claim in led.claims] == ["east/A1"]
    leader.start("core", "links")
    told = leader.until_link("refused")
    assert any('the hall "east" does (term 2)' in text for text in told.health.messages)
