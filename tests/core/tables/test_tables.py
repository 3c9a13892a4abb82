"""What goes to the tables, what is told of them, and who hears it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pi_controller.bus.values import LONGEST_SEAT, NodeChanged, SegmentChanged
from pi_controller.core.tables import tables
from pi_controller.core.tables.state import table_state
from pi_controller.core.wiring.devices import virtual_roster
from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, seated
from pi_controller.protocol.commands import LONGEST_SEAT as LONGEST_NAME
from pi_controller.protocol.paths import virtual_uid
from pi_controller.roster import model
from pi_controller.sentence import as_told
from tests.core.hall import SEED, Hall, accepted
from tests.core.hand import MS, S
from tests.core.hand_bus import SEGMENT, TableHall, node, roster_of, uid


@pytest.fixture
def hall(tmp_path: Path) -> TableHall:
    return TableHall(tmp_path, roster=roster_of(1, 2))


def test_the_tables_show_the_game_to_the_microsecond(hall: TableHall) -> None:
    hall.hall.begin()
    ready = hall.bus.shown[-1]
    assert (ready.phase, ready.running, ready.next_seat, ready.brightness) == ("ready", False, 0, 100)
    assert ready.seats == ()
    hall.hall.ask("start")
    assert (hall.bus.shown[-1].paused, hall.bus.shown[-1].resume_in_ms) == (True, 3000)
    hall.hall.move(3 * S)
    state = hall.bus.shown[-1]
    assert (state.phase, state.running, state.seat, state.next_seat, state.round) == ("round", True, 0, 1, 1)
    assert (state.left_us, state.duration_ms, state.rate, state.last_sum) == (35_000_000, 35_000, 1.0, None)
    assert state.as_of_us == hall.hall.timers.boot_ns() // 1000
    assert state.dice == hall.hall.picture.dice
    hall.hall.move(5 * S)
    hall.hall.press(late_ns=4_321_000)
    frozen = hall.bus.shown[-1]
    assert (frozen.paused, frozen.pause_reasons, frozen.left_us) == (True, ("button",), 30_004_321)
    hall.hall.ask("resume", {"override": True})
    hall.hall.move(3 * S)
    hall.hall.move(S)
    hall.hall.press(late_ns=1)
    assert hall.bus.shown[-1].left_us == 29_004_322  # rounded up from 29,004,321,001 ns
    hall.hall.ask("resume", {"override": True})
    hall.hall.move(3 * S)
    hall.hall.move(31 * S)
    later = hall.bus.shown[-1]
    assert (later.round, later.last_sum) == (2, hall.hall.picture.history[1].sum)


def test_without_segments_no_state_is_made(hall: TableHall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.bus.wired = False
    monkeypatch.setattr(tables, "table_state", None)
    hall.hall.play()
    hall.tables.expect(hall.hall.pictures[-1])
    hall.hall.press()
    assert hall.hall.picture.paused
    assert hall.bus.shown == []
    assert hall.hall.loop.metrics.numbers()["defects"] == 0


def test_the_tables_show_the_robber_and_the_last_round(hall: TableHall) -> None:
    hall.play()
    while hall.hall.picture.phase != "robber":
        hall.hall.ask("skip")
    robber = hall.bus.shown[-1]
    assert (robber.phase, robber.seat, robber.duration_ms) == ("robber", None, 12_000)
    assert robber.target == hall.hall.picture.robber_target
    assert sum(robber.dice or ()) == 7
    while hall.hall.picture.phase == "robber":
        hall.hall.ask("skip")
    assert hall.bus.shown[-1].target is None
    hall.hall.ask("last_rounds", {"count": 0})
    assert hall.bus.shown[-1].last_round
    hall.hall.ask("end", {"confirm": True})
    ended = hall.bus.shown[-1]
    assert (ended.phase, ended.dice, ended.next_seat) == ("ended", None, None)
    assert ended.last_sum == hall.hall.picture.history[0].sum


def test_while_sheets_are_collected_the_tables_show_that_the_game_is_over(hall: TableHall) -> None:
    hall.play()
    hall.hall.ask("last_rounds", {"count": 0})
    hall.hall.ask("skip")
    assert hall.hall.picture.phase == "collecting"
    assert hall.bus.shown[-1].phase == "ended"


def test_the_notice_of_the_robber_reaches_the_tables(hall: TableHall) -> None:
    hall.play()
    while hall.hall.picture.round < 11:
        hall.hall.ask("skip")
    assert hall.bus.shown[-1].robber_possible


def test_a_broken_segment_is_told_noted_and_mended(hall: TableHall, caplog: pytest.LogCaptureFixture) -> None:
    hall.play()
    sentence = "Segment A: there is no port /dev/row-A: plug the adapter in"
    hall.tables.heard(SegmentChanged(segment="A", sentence=as_told(sentence)))
    health = hall.hall.picture.health
    assert (health.level, health.messages) == ("warning", [sentence])
    assert hall.hall.picture.running
    assert sentence in caplog.text
    hall.hall.move(11 * S)
    hall.tables.heard(SegmentChanged(segment="A", sentence=None))
    hall.tables.heard(SegmentChanged(segment="A", sentence=as_told(sentence)))
    hall.tables.heard(SegmentChanged(segment="A", sentence=None))
    assert hall.hall.picture.health.level == "ok"
    notes = [data for _, kind, data in hall.hall.log.lines if kind == "note" and "segment" in data]
    assert notes == [{"segment": "A", "condition": sentence}, {"segment": "A", "condition": None}]


def test_silent_tables_are_named(hall: TableHall) -> None:
    hall.play()
    hall.tables.begin()
    hall.bus.have(node(1, state="lost"), node(2), node(3, state="lost"))
    hall.hall.move(1 * S)
    (message,) = hall.hall.picture.health.messages
    assert message == "Table A1 does not answer: see the technician's page for the likely cause."
    hall.bus.have(node(1, state="lost"), node(2, state="lost"))
    hall.hall.move(1 * S)
    assert hall.hall.picture.health.messages[0].startswith("Tables A1, A2 do not answer:")
    hall.bus.have(node(1), node(2))
    hall.hall.move(1 * S)
    assert hall.hall.picture.health.messages == []


def test_tables_of_another_protocol_are_named(hall: TableHall) -> None:
    hall.play()
    hall.tables.begin()
    hall.bus.have(node(1, state="outdated"), node(9, state="outdated"))
    hall.hall.move(1 * S)
    (message,) = hall.hall.picture.health.messages
    assert message.startswith(f"Tables A1, {uid(9)} use another protocol and cannot be asked:")


def test_tables_without_the_halls_words_are_named(hall: TableHall) -> None:
    hall.play()
    hall.tables.begin()
    hall.bus.have(node(1, wordless=True), node(9))
    hall.hall.move(1 * S)
    (message,) = hall.hall.picture.health.messages
    assert message.startswith("The tables A1 lack the words for the hall's languages: install")
    hall.bus.have(*(node(number, wordless=True) for number in range(1, 12)))
    hall.hall.move(1 * S)
    (message,) = hall.hall.picture.health.messages
    assert " and 3 more lack" in message


def test_tables_without_messages_are_counted_while_there_is_one(hall: TableHall) -> None:
    hall.play()
    hall.tables.begin()
    hall.bus.have(node(1, protocols=(1, 3)), node(2, protocols=(1, 4)), node(9, protocols=(1, 2)))
    hall.hall.move(1 * S)
    assert hall.hall.picture.health.messages == []
    assert accepted(hall.hall.ask("say", {"line": "break"}))
    assert hall.bus.shown[-1].message == "Short break"
    hall.hall.move(1 * S)
    (message,) = hall.hall.picture.health.messages
    assert message.startswith(f"2 tables (A1, {uid(9)}) cannot show the message because their firmware")
    hall.bus.have(*(node(number, protocols=(1, 3)) for number in range(1, 12)))
    hall.hall.move(1 * S)
    (message,) = hall.hall.picture.health.messages
    assert " and 3 more cannot show" in message
    assert accepted(hall.hall.ask("say", {"line": "break", "tables": False}))
    assert (hall.bus.shown[-1].message, hall.hall.picture.message.tables) == ("", False)
    hall.hall.move(1 * S)
    assert hall.hall.picture.health.messages == []


def test_the_tables_are_told_the_halls_languages_and_which_one_stands(hall: TableHall) -> None:
    hall.hall.begin()
    assert (hall.bus.shown[-1].languages, hall.bus.shown[-1].second_language) == (("en", "pl"), False)
    hall.hall.ask("start")
    hall.hall.move(3 * S)
    stands = {}
    while len(stands) < 4:
        if hall.hall.picture.phase == "round":
            stands[hall.hall.picture.round] = hall.bus.shown[-1].second_language
        hall.hall.ask("skip")
    assert stands == {1: False, 2: True, 3: True, 4: False}


def test_nodes_that_come_and_go_are_noted_but_a_loose_plug_does_not_fill_the_journal(hall: TableHall) -> None:
    hall.play()
    for _ in range(5):
        hall.tables.heard(NodeChanged(segment="A", uid=uid(1), state="lost"))
        hall.tables.heard(NodeChanged(segment="A", uid=uid(1), state="good"))
    hall.hall.move(11 * S)
    hall.tables.heard(NodeChanged(segment="A", uid=uid(1), state="lost"))
    notes = [data for _, kind, data in hall.hall.log.lines if kind == "note" and "node" in data]
    assert notes == [{"node": uid(1), "name": "A1", "on": "A", "state": "lost"}] * 2


def test_statistics_stand_in_the_journal_once_a_minute(hall: TableHall) -> None:
    hall.hall.begin()
    hall.bus.have(node(1), node(2))
    hall.tables.begin()
    hall.hall.move(60 * S)
    hall.bus.segments = [replace(SEGMENT, good=130, nodes=(node(1, missed=4), node(2, good=70)))]
    hall.hall.move(60 * S)
    notes = [data["tables"] for _, kind, data in hall.hall.log.lines if kind == "note" and "tables" in data]
    assert [note["A"]["counts"] for note in notes] == [[100, 1, 2, 3, 0, 0], [30, 0, 0, 0, 0, 0]]
    assert notes[1]["A"]["nodes"] == {uid(1): ["good", 0, 3, 0, 0], uid(2): ["good", 20, 0, 0, 0]}
    hall.tables.stop()
    hall.hall.move(120 * S)
    assert sum(kind == "note" and "tables" in data for _, kind, data in hall.hall.log.lines) == 2


def test_standing_claims_are_asked_for_again_and_again(hall: TableHall) -> None:
    hall.hall.begin()
    hall.tables.begin()
    hall.hall.move(31 * S)
    assert hall.bus.asked_again == 3


def test_without_segments_the_journal_hears_nothing(hall: TableHall) -> None:
    hall.hall.begin()
    hall.tables.begin()
    hall.hall.move(200 * S)
    assert not any("tables" in data for _, _, data in hall.hall.log.lines)
    assert hall.tables.figures() == {}


def test_figures_carry_segment_and_node(hall: TableHall) -> None:
    hall.bus.have(node(1, age_ms=1500))
    figures: Any = hall.tables.figures()
    assert figures["bus_good_total"] == {'segment="A"': 100}
    assert figures["bus_open"] == {'segment="A"': 1}
    assert figures["bus_round_trip_p99_seconds"] == {'segment="A"': 0.003}
    assert figures["table_age_seconds"] == {f'segment="A",node="{uid(1)}"': 1.5}


class Watcher:
    """As much of a client as a stream needs."""

    def __init__(self) -> None:
        self.on_close: list[Any] = []
        self.heard: list[dict[str, Any]] = []

    def stream(self, kind: str, line: bytes) -> None:
        assert kind == "tables"
        self.heard.append(json.loads(line)["tables"])


def test_watchers_hear_at_once_and_twice_a_second(hall: TableHall) -> None:
    hall.hall.begin()
    hall.bus.have(node(1, round_trip_ms=SEGMENT.round_trip), node(3))
    hall.tables.begin()
    watcher = Watcher()
    hall.tables.news.watch(watcher, hall.snapshot)  # type: ignore[arg-type]
    hall.hall.move(0)
    first = watcher.heard[0]
    assert [(found["uid"], found["board"]) for found in first["nodes"]] == [(uid(1), "A1"), (uid(3), None)]
    assert first["nodes"][0]["displays"] == {"sun": True, "moon": True}
    assert first["nodes"][0]["round_trip_ms"] == {"p50": 1.5, "p99": 3.0}
    assert first["segments"][0]["port"] == "/dev/row-A"
    assert (first["claims_mode"], first["enrolment"]) == ("ask", None)
    assert [cause[:40] for cause in first["doctor"]] == [
        "Segment A: table A2 has never answered: ",
        "Segment A: a table without a board (0000",
    ]
    for age_ms in range(20):
        hall.bus.have(node(1, age_ms=age_ms))
        hall.hall.move(500 * MS)
    assert 18 <= len(watcher.heard) <= 22
    heard = len(watcher.heard)
    hall.hall.move(2 * S)
    assert len(watcher.heard) == heard, "nothing has changed"
    for act in watcher.on_close:
        act()
    heard = len(watcher.heard)
    hall.hall.move(10 * S)
    assert len(watcher.heard) == heard


def test_virtual_tables_have_boards_in_the_order_of_their_segments() -> None:
    boards = virtual_roster(34).boards
    assert [(board.name, board.node) for board in boards[:2]] == [
        ("A1", virtual_uid(1)),
        ("A2", virtual_uid(2)),
    ]
    assert [board.name for board in boards[31:]] == ["A32", "B1", "B2"]
    assert model.read(msgspec.to_builtins(virtual_roster(256))).boards[-1].name == "H32"


# What the wire carries of a game's seats.


@pytest.mark.parametrize(
    ("name", "carried"),
    [
        ("", "Blue"),
        ("Ann", "Ann"),
        ("Zoë Šťastná", "Zoe Stastn"),
        ("Maximilian Carl", "Maximilian"),
        ("Grandmama Rosa", "Grandmama"),
        ("Σίσυφος", "Blue"),
        ("李小龙 Li", "Li"),
    ],
)
def test_a_name_is_cut_to_the_letters_that_a_display_has(name: str, carried: str) -> None:
    assert len(name) <= LONGEST_NAME
    rules = seated(CLASSIC, [("red", ""), ("blue", name), ("white", "")])
    hall = Hall(game=new_game("g1", rules, SEED))
    hall.begin()
    assert accepted(hall.ask("start"))
    hall.move(1)
    seats = table_state(hall.picture, offset_us=0, brightness=255).seats
    assert [seat.name for seat in seats] == ["", "", "Red", carried, "White"]
    assert len(carried) <= LONGEST_SEAT


# One table of the classic game: a node has two seats, and its button is the turn's.


SEATS = 5


@pytest.fixture
def table(tmp_path: Path) -> TableHall:
    """Five seats at three nodes, in the first turn, before its dice."""
    rules = seated(CLASSIC, [(seat, "") for seat, _ in CLASSIC_SEATS[:SEATS]])
    table = TableHall(tmp_path, Hall(game=new_game("g1", rules, SEED)), roster=roster_of(1, 2, 3))
    table.hall.begin()
    assert accepted(table.hall.ask("start"))
    table.hall.move(1)
    for _ in range(2 * SEATS):
        assert accepted(table.hall.ask("turn"))
        table.hall.move(S)
    return table


def press(table: TableHall, place: int, count: int) -> None:
    """The button of the seat at this place among all."""
    table.claim(place // 2 + 1, ("sun", "moon")[place % 2], ago_ms=0, count=count)


def test_each_seat_rolls_and_ends_its_turn_with_its_own_button(table: TableHall) -> None:
    acted = []
    for count in range(1, 1 + SEATS):
        seat = table.hall.picture.seat
        assert seat is not None
        press(table, seat, 2 * count)
        assert table.hall.picture.dice is not None
        acted.append(seat)
        table.hall.move(S)
        press(table, seat, 2 * count + 1)
        table.hall.move(S)
    assert sorted(acted) == list(range(SEATS))
    assert not table.hall.picture.claims


def test_the_button_of_another_seat_only_tells_its_node_to_wait(table: TableHall) -> None:
    seat = table.hall.picture.seat
    assert seat is not None
    press(table, (seat + 1) % SEATS, 1)
    assert table.hall.picture.dice is None
    assert [one.status for one in table.bus.outcomes_told[-1]] == ["wait"]


def test_a_side_where_nobody_sits_does_nothing(table: TableHall) -> None:
    press(table, SEATS, 1)
    assert table.hall.picture.dice is None


def test_a_press_that_was_taken_leaves_the_nodes_lamp_dark(table: TableHall) -> None:
    seat = table.hall.picture.seat
    assert seat is not None
    press(table, seat, 1)
    assert [one.status for one in table.bus.outcomes_told[-1]] == ["withdrawn"]


def test_the_big_button_rolls_and_ends_the_turn(table: TableHall) -> None:
    before = table.hall.picture
    table.hall.press()
    assert table.hall.picture.dice is not None
    assert not table.hall.picture.paused
    table.hall.move(S)
    table.hall.press()
    assert table.hall.picture.side == before.next_side


def test_no_node_takes_the_acting_seat_for_one_of_its_own_sides(table: TableHall) -> None:
    state = table.bus.shown[-1]
    assert [seat.name for seat in state.seats] == ["", "", "Red", "Blue", "White", "Orange", "Green"]
    assert state.seat == (table.hall.picture.seat or 0) + 2


def test_another_brightness_and_language_go_out_with_the_next_picture(hall: TableHall) -> None:
    hall.hall.begin()
    hall.tables.use(brightness=7, languages=("de", "pl"))
    hall.hall.loop.changed()
    assert (hall.bus.shown[-1].brightness, hall.bus.shown[-1].languages) == (7, ("de", "pl"))
