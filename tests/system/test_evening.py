"""One whole game through the real processes: what the screens see, what the director does, what is proved after."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp

from tests.patience import DEADLINE_S
from tests.system.audience import Audience
from tests.system.programs import ROOT, cli, program

SPEED = 60
LOSING = {"settlements": 4, "cities": 3, "victory_cards": 1, "resources": {"grain": 2}}
"""11 points."""
GOOD = {"settlements": 5, "cities": 4, "largest_army": True}
"""15 points: enough for the ranking after the last round."""


class Director:
    """Logged in by the printed link; every command must be accepted."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self._address, self._session = address, session
        self._number = 0

    async def do(self, name: str, body: Any = None, *, status: int = 200) -> dict[str, Any]:
        self._number += 1
        headers = {"Idempotency-Key": f"evening-{self._number}", "Origin": self._address}
        path = f"{self._address}/api/commands/{name}"
        async with self._session.post(path, json=body or {}, headers=headers) as answer:
            said: dict[str, Any] = await answer.json()
            assert (answer.status, said["accepted"]) == (status, status == 200), (name, said)
        return said

    async def hand(self, action: str) -> None:
        async with self._session.post(f"{self._address}/api/sim/{action}", json={}) as answer:
            assert answer.status == 200, await answer.text()


def test_an_evening_through_the_real_processes(tmp_path: Path) -> None:
    state = tmp_path / "s"
    options = ["--hardware", "sim", "--speed", str(SPEED), "--seed-hex", "5e" * 32, "--state-dir", state]
    with program("run", *options, "--port", "0") as running:
        hall = running.said.wait_for("hall http").split()[1]
        link = running.said.wait_for("director http").split()[1]
        assert running.said.wait_for("virtual hall http").endswith("/sim")
        asyncio.run(play(hall.rstrip("/"), link))
        assert running.end() == 0
        assert running.faults() == []
    check_journal(state, tmp_path)


async def play(address: str, link: str) -> None:
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session,
        Audience(f"{address}/api/feed") as audience,
    ):
        director = Director(address, session)
        await director.do("contribute", {"text": "too early"}, status=401)
        await log_in(session, link)
        malformed = await director.do("add_time", {"ms": "5"}, status=422)
        assert "`ms`" in malformed["error"]
        await first_half(director, audience)
        await second_half(director, audience)
        rules = audience.rules
        assert rules.pauses == {"button", "director"}
        assert rules.phases == {"ready", "round", "robber", "collecting", "ended"}
        assert set(rules.rounds) == set(range(1, max(rules.rounds) + 1))
        assert audience.pictures > 30
        async with asyncio.timeout(DEADLINE_S):
            game = await listed(session, address)
            while not game["ended"]:  # the copy comes a moment after the journal
                game = await listed(session, address)
        assert game["rounds"] == max(rules.rounds)


async def listed(session: aiohttp.ClientSession, address: str) -> dict[str, Any]:
    """The one game of the list."""
    async with session.get(f"{address}/api/games") as answer:
        (game,) = (await answer.json())["games"]
        return dict(game)


async def log_in(session: aiohttp.ClientSession, link: str) -> None:
    """The printed link leads to the director's page once, and never again."""
    async with session.post(link) as page:
        assert (page.status, page.url.path) == (200, "/director")
    async with aiohttp.ClientSession() as stranger, stranger.post(link) as page:
        assert page.status == 403


async def first_half(director: Director, audience: Audience) -> None:
    """A word, the start, and a claim that is counted and does not suffice."""
    ready = await audience.until(lambda picture: picture.phase == "ready")
    await director.do("contribute", {"text": "rubber duck"})
    assert (await audience.until(lambda picture: picture.public_word is not None)).seed is None
    await director.do("start")
    await audience.until(lambda picture: picture.round >= 2 and picture.running)
    await director.hand("tap")
    paused = await audience.until(lambda picture: picture.paused)
    (pressed,) = paused.claims
    assert (pressed.board, pressed.status, pressed.on_active_side) == (None, "open", True)
    assert pressed.pressed_ms_before_end == paused.remaining_ms
    await director.do("resume", status=409)
    side = paused.side
    await director.do("claim", {"board": "B7", "side": side})
    named = await audience.until(lambda picture: picture.claims[0].board is not None)
    (claim,) = named.claims
    assert (claim.id, claim.board, claim.side) == (pressed.id, "B7", side)
    await director.do("verdict", {"claim": claim.id, "sheet": LOSING | {"cities": 9}}, status=409)
    await director.do("verdict", {"claim": claim.id, "sheet": LOSING})
    judged = await audience.until(lambda picture: picture.claims[0].status != "open")
    assert (judged.claims[0].status, judged.claims[0].points) == ("rejected", 11)
    assert (judged.remaining_ms, judged.paused) == (paused.remaining_ms, True)
    await director.do("resume")
    going_on = await audience.until(lambda picture: picture.running)
    assert going_on.commitment == ready.commitment
    assert going_on.round == paused.round


async def second_half(director: Director, audience: Audience) -> None:
    """Robber phases, a skipped round that comes back with its roll, closing time, a ranking."""
    await audience.until(lambda picture: picture.phase == "robber")
    after = await audience.until(lambda picture: picture.phase == "round")
    await director.do("pause")
    stopped = await audience.until(lambda picture: picture.paused)
    await director.do("skip")
    await director.do("undo")
    await director.do("resume")
    back = await audience.until(lambda picture: picture.running)
    assert back.round >= stopped.round >= after.round
    await director.do("last_rounds", {"count": 1})
    over = await audience.until(lambda picture: picture.phase == "collecting")
    assert over.round == over.last_round
    assert over.winners == []
    assert (over.closed, over.seed) == (False, None)
    await director.do("claim", {"board": "A1", "side": "moon"})
    claimed = await audience.until(lambda picture: len(picture.claims) == 2)
    await director.do("verdict", {"claim": claimed.claims[1].id, "sheet": GOOD})
    ranked = await audience.until(lambda picture: bool(picture.ranking))
    assert (ranked.phase, ranked.ranking[0].board, ranked.winners) == ("collecting", "A1", [])
    await director.do("end", {"confirm": True})
    won = await audience.until(lambda picture: bool(picture.winners))
    assert (won.winners[0].board, won.decided_by) == ("A1", "ranking")
    await director.do("close", {"confirm": True})
    closed = await audience.until(lambda picture: picture.closed)
    assert len(closed.seed) == 64


def check_journal(state: Path, folder: Path) -> None:
    """The command line shows and exports the game; both verifiers prove it and refuse it once it is changed."""
    listed = cli("journal", "list", "--state-dir", state)
    game = json.loads(listed.stdout)
    assert (listed.returncode, game["ended"]) == (0, True)
    shown = cli("journal", "show", game["game_id"], "--state-dir", state)
    lines = shown.stdout.splitlines()
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "rubber duck" in shown.stdout
    export = folder / "game.jsonl"
    assert cli("journal", "export", game["game_id"], "-o", export, "--state-dir", state).returncode == 0
    assert export.read_text().splitlines() == lines
    commitment = json.loads(lines[0])["data"]["commitment"]
    for verify in (own_verifier, lone_verifier):
        proved = verify(export, "--commitment", commitment)
        assert (proved.returncode, proved.stderr) == (0, ""), proved.stdout
    die = next(number for number, line in enumerate(lines) if '"kind":"turned"' in line)
    changed = folder / "changed.jsonl"
    for mutated in (
        [*lines[:die], *lines[die + 1 :]],
        [*lines[:-1], lines[-1].replace("1", "2", 1)],
        lines[1:],
    ):
        changed.write_text("\n".join(mutated) + "\n")
        for verify in (own_verifier, lone_verifier):
            refused = verify(changed)
            assert (refused.returncode, refused.stderr) == (1, ""), refused.stdout


def own_verifier(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return cli("verify", file, *options)


def lone_verifier(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Alone in an empty folder, without the package."""
    alone = file.parent / "verify_game.py"
    alone.write_bytes((ROOT / "pi_controller" / "journal" / "verify_game.py").read_bytes())
    return subprocess.run(
        [sys.executable, "-I", str(alone), str(file), *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
