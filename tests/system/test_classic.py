"""A game of the base game at one table, with two virtual nodes: each seat's own button rolls and ends its turn. What pages
show of such a game: `tests/browser/test_classic.py`."""

import time
from contextlib import closing
from pathlib import Path

from pi_controller.protocol.client import Client
from pi_controller.protocol.picture import Picture
from tests.patience import DEADLINE_S
from tests.system.programs import cli, client_of, program, wait_for_picture
from tests.system.table_hands import there, wait_for_tables
from tests.system.virtual_tables import VirtualTables, virtual_tables

SEATS = 4
TURNS = 4
"""One of each seat."""
PRESSED_AGAIN_S = 5
OPEN_S = 0.5
SHEET = {"settlements": 2, "cities": 4}
"""Ten points."""


def options(folder: Path) -> list[str | Path]:
    return [
        *("--hardware=sim", "--port=0", f"--nodes={SEATS // 2}", f"--state-dir={folder / 's'}"),
        *("--rule-set=classic", f"--players={SEATS}"),
    ]


def hold(client: Client, tables: VirtualTables, *, nodes: dict[str, str], before: Picture) -> Picture:
    """The seat whose turn it is keeps its button down until something has come of it, or tries once more."""
    assert before.seat is not None
    uid, side = nodes[f"A{before.seat // 2 + 1}"], ("sun", "moon")[before.seat % 2]
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        tables.do("press", uid, side=side)
        picture = changed(client, before)
        tables.do("release", uid, side=side)
        feel_it_open(client)
        if picture is not None:
            return picture
    raise AssertionError(f"the button did nothing: {tables.tables[uid]['lamps']}")


def feel_it_open(client: Client) -> None:
    """The table needs to see the button open for 30 ms (`firmware/table_node/claim_button.py`) before the next press:
    until the core has told something half a second later, for a busy machine's sake."""
    until = time.monotonic() + OPEN_S
    with closing(client.watch()) as news:
        for _ in news:
            if time.monotonic() > until:
                return


def changed(client: Client, before: Picture) -> Picture | None:
    """The first picture with another seat or other dice, if one comes soon."""
    soon = time.monotonic() + PRESSED_AGAIN_S
    with closing(client.watch()) as news:
        for each in news:
            picture = each.picture
            if picture is not None and (picture.seat, picture.dice) != (before.seat, before.dice):
                return picture
            if time.monotonic() > soon:
                return None
    return None


def test_a_game_is_played_with_the_buttons_of_two_nodes(tmp_path: Path) -> None:
    with program("run", *options(tmp_path)) as running:
        client = client_of(tmp_path / "s")
        nodes = there(wait_for_tables(client, lambda tables: len(there(tables)) == SEATS // 2))
        with virtual_tables(tmp_path / "s") as tables:
            assert client.command("start").accepted
            for _ in range(2 * SEATS):
                wait_for_picture(client, lambda picture: picture.phase == "founding")
                assert client.command("turn").accepted
            picture = wait_for_picture(client, lambda picture: picture.phase == "turn")
            acted = []
            for _ in range(TURNS):
                acted.append(picture.seat)
                rolled = hold(client, tables, nodes=nodes, before=picture)
                assert rolled.seat == picture.seat
                picture = hold(client, tables, nodes=nodes, before=rolled)
            first = acted[0]
            assert first is not None
            assert acted == [(first + turn) % SEATS for turn in range(TURNS)]
            assert client.command("claim", {"side": picture.side}).accepted
            (claim,) = client.picture().claims
            assert client.command("verdict", {"claim": claim.id, "sheet": SHEET}).accepted
            assert client.command("close", {"confirm": True}).accepted
            ended = client.picture()
            assert [(winner.side, winner.points) for winner in ended.winners] == [(picture.side, 10)]
        exported = tmp_path / "game.jsonl"
        cli("journal", "export", "--state-dir", tmp_path / "s", ended.game_id, "-o", exported)
        assert cli("verify", exported).returncode == 0
        assert running.end() == 0
