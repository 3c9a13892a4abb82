"""Claims from virtual tables with the real firmware, through the real bus, core and journal."""

from pathlib import Path
from typing import Any

from pi_controller.protocol.client import Client
from tests.system.programs import (
    AT_ONCE,
    cli,
    client_of,
    kill_child,
    program,
    simulated,
    told,
    wait_for_picture,
    wait_until,
)
from tests.system.table_hands import FULL, HOLD_S, boards, hold_until, lamp, wait_for_tables
from tests.system.virtual_tables import VirtualTables, virtual_tables


def claims(picture: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(claim.board, claim.side, claim.status) for claim in picture.claims]


def test_a_claim_goes_to_the_director_and_back_outlives_a_kill_of_core_and_counts_once(
    tmp_path: Path,
) -> None:
    """The boards were walked along before, with the real firmware."""
    with program("run", *simulated(tmp_path, AT_ONCE), "--nodes=6", "--port=0") as running:
        client = client_of(tmp_path / "s")
        nodes = boards(client, 6)
        assert sorted(nodes) == [f"A{place}" for place in range(1, 7)]
        with virtual_tables(tmp_path / "s") as tables:
            walk_along(client, tables, nodes, tmp_path / "s")
            nodes = boards(client, 5)
            assert client.command("start").accepted
            wait_for_picture(client, lambda picture: picture.running)
            before = hold_until(client, tables, nodes["A3"], boards_waiting=["A3"])
            assert 0 < before.claims[0].pressed_ms_before_end < 3_600_000
            lamp(tables, nodes["A3"], FULL)
            shown = cli("tables", "--state-dir", tmp_path / "s")
            assert (shown.returncode, shown.stderr) == (0, "")
            assert nodes["A3"] in shown.stdout
            kill_child(running, "core")
            after = wait_for_picture(client, lambda picture: picture.session != before.session)
            assert claims(after) == [("A3", "sun", "open")]
            assert after.claims[0].pressed_ms_before_end == before.claims[0].pressed_ms_before_end
            assert boards(client, 5) == nodes, "the roster was kept"
            assert client.command("resume", {"override": True}).accepted
            wait_for_picture(client, lambda picture: picture.running)
            both = hold_until(client, tables, nodes["A5"], boards_waiting=["A5"])
            assert claims(both) == [("A3", "sun", "open"), ("A5", "sun", "open")]
            lamp(
                tables, nodes["A3"], 0
            )  # play went on over its claim: it may claim anew, with a moment of its own
            anew = hold_until(client, tables, nodes["A3"], boards_waiting=["A5", "A3"])
            assert claims(anew) == [("A5", "sun", "open"), ("A3", "sun", "open")], "one line for each seat"
            assert [claim.count for claim in anew.claims] == [1, 2]
            lamp(tables, nodes["A3"], FULL)
            tables.do("release", nodes["A3"], side="sun")
            taken_back = hold_until(client, tables, nodes["A3"], boards_waiting=["A5"])
            assert [claim.status for claim in taken_back.claims] == ["open", "withdrawn"]
            lamp(tables, nodes["A3"], 0)
            lamp(tables, nodes["A5"], FULL)
            assert client.command("verdict", {"claim": both.claims[1].id, "confirmed": False}).accepted
            lamp(tables, nodes["A5"], 0)
        assert running.end() == 0


def walk_along(client: Client, tables: VirtualTables, nodes: dict[str, str], state: Path) -> None:
    """Of the row two boards: the last table comes to the first one, and the second one is turned round."""
    assert cli("table", "enrol", "A", "--state-dir", state).returncode == 0
    tables.do("hold", nodes["A6"], side="sun", value=HOLD_S)
    wait_for_tables(client, lambda seen: seen.enrolment.done == ["A1"])
    tables.do("hold", nodes["A2"], side="moon", value=HOLD_S)
    wait_for_tables(client, lambda seen: seen.enrolment.done == ["A1", "A2"])
    assert cli("table", "stop-enrolment", "--state-dir", state).returncode == 0
    found = {board.name: (board.node, board.swapped) for board in client.roster().boards}
    assert found["A1"] == (nodes["A6"], False)
    assert found["A2"] == (nodes["A2"], True)
    assert found["A6"] == (None, False)


def test_a_port_that_is_not_there_is_told_everywhere_and_the_game_goes_on(tmp_path: Path) -> None:
    port, state = tmp_path / "row-A", tmp_path / "s"
    settings = f'{AT_ONCE}[tables]\nsegments = [{{ name = "A", port = "{port}" }}]\n'
    with program("core", *simulated(tmp_path, settings)) as core:
        client = client_of(state, core)
        assert client.command("start").accepted
        picture = wait_for_picture(client, lambda picture: picture.running and told(picture) != [])
        (sentence,) = told(picture)
        assert str(port) in sentence
        shown = cli("tables", "--state-dir", state)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert f"! {sentence}" in shown.stdout
        game = picture.game_id
        wait_until(lambda: sentence in cli("journal", "show", game, "--state-dir", state).stdout)
        assert client.command("pause").accepted
        assert core.end() == 0
        assert any(sentence in line for line in core.complained.all())
