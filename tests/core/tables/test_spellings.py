"""However somebody spells a board, it is the same one: at every place that takes its name from outside."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import inspect

from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.messages import REQUESTS, AskFirmware, AskSeatClaim
from pi_controller.protocol.picture import BETWEEN
from pi_controller.roster import model
from pi_controller.roster.model import RosterFault
from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.sentence import Sentence
from tests.core.hand import MS, S
from tests.core.hand_bus import TableHall, node, roster_of, uid
from tests.core.hardware_test.hand_testing import HandClient, HandContacts, hand_firmware, hand_testing

SPELLINGS = ("A2", "a2", "A02", "A 2", " a0002 ")
NAMES = ("board", "boards", "row", "revoke", "code")
"""Of the fields that name a board or a row, or a seat code, which does."""


class Asked:
    """A hall with boards A1 to A3 and codes, ten seconds into Sun's round or before a game."""

    def __init__(self, folder: Path, *, plays: bool = True) -> None:
        folder.mkdir()
        self.tables = TableHall(folder, roster=roster_of(1, 2, 3))
        self.tables.bus.have(node(1), node(2), node(3), node(4))
        self.codes = SeatCodes(folder)
        self.codes.prepare()
        self.seats = self.tables.seats(self.codes)
        self.hall = self.tables.hall
        if plays:
            self.tables.play()
            self.hall.move(10 * S)

    def command(self, name: str, body: object) -> object:
        answers = self.hall.ask(name, body)
        self.hall.move(0)
        claims = [(claim.board, claim.side, claim.count) for claim in self.hall.picture.claims]
        return answers[0].accepted, [reason.key for reason in answers[0].reasons], claims

    def act(self, **action: object) -> object:
        found = self.tables.do(**action)
        self.tables.saving.work()
        return found, self.tables.keeper.roster, self.tables.bus.identified, self.tables.snapshot.enrolment

    def seat_claim(self, spelled: str, key: str) -> bool:
        code = self.codes.code(SeatAt("A2", "sun"))
        pressed_us = (self.hall.timers.boot_ns() - 700 * MS) // 1000
        asked = AskSeatClaim(code=spelled + code[2:], key=key, pressed_us=pressed_us, error_us=0)
        found: list[bool] = []

        async def answer() -> None:
            found.append((await self.seats.claim(asked)).accepted)

        self.hall.tasks.start(answer())
        self.hall.move(0)
        return found[0]


def claims_twice(asked: Asked, spelled: str) -> object:
    asked.command("claim", {"board": "A2", "side": "sun"})
    return asked.command("claim", {"board": spelled, "side": "sun"})


def names_a_claim(asked: Asked, spelled: str) -> object:
    """That the big button made."""
    asked.command("claim", {})
    body = {"claim": asked.hall.picture.claims[0].id, "confirmed": False, "board": spelled, "side": "sun"}
    return asked.command("verdict", body)


def shows_its_name(asked: Asked, spelled: str) -> object:
    asked.tables.tables.actions.identify_board(spelled)
    return asked.tables.bus.identified


def revokes(asked: Asked, spelled: str) -> object:
    found = asked.seats.printed(spelled)
    return found if isinstance(found, Sentence) else [one.code.split("-")[2] for one in found]


def claims_by_code(asked: Asked, spelled: str) -> object:
    first, again = asked.seat_claim("A2", "claim-0001"), asked.seat_claim(spelled, "claim-0002")
    return first, again, [(claim.board, claim.count) for claim in asked.hall.picture.claims]


def takes_by_code(asked: Asked, spelled: str) -> object:
    """The second time the desk is told for longer, and not of a second seat."""
    for each in ("A2", spelled):
        asked.seats.taken(each + asked.codes.code(SeatAt("A2", "sun"))[2:])
        asked.hall.move(70 * S)
    return [item.params for item in asked.hall.picture.health.items]


def claims_in_another_hall(asked: Asked, spelled: str) -> object:
    asked.hall.loop.boards.take_halls({"east": ("A1", "A2")})
    asked.command("claim", {"board": f"east{BETWEEN}A2", "side": "sun"})
    return asked.command("claim", {"board": f"east{BETWEEN}{spelled.strip()}", "side": "sun"})


def on_tables(**action: object) -> Callable[[Asked, str], object]:
    return lambda asked, spelled: asked.act(**{**action, "board": spelled})


def rows(asked: Asked, spelled: str) -> object:
    return asked.act(do="enrol", row=spelled.replace("2", "").replace("0", ""))


PLAYED = {
    "claim.board": claims_twice,
    "verdict.board": names_a_claim,
    "identify.board": shows_its_name,
    "AskSeatCodes.revoke": revokes,
    "AskSeatClaim.code": claims_by_code,
    "AskSeatTaken.code": takes_by_code,
    "Hall.boards": claims_in_another_hall,
    "swap": on_tables(do="swap"),
    "clear": on_tables(do="clear"),
    "replace": on_tables(do="replace", uid=uid(4)),
    "identify": on_tables(do="identify"),
}


def gives_firmware(asked: Asked, spelled: str) -> object:
    """To nodes that are too old for it, which is told of each by its board."""
    hall, tables, client = asked.hall, asked.tables, HandClient()
    testing = hand_testing(hall, tables, Path(), button=HandContacts())
    update = hand_firmware(hall, tables, testing)
    update.answer(client, AskFirmware(do="begin", boards=[spelled]))  # type: ignore[arg-type]
    return client.lines


BEFORE_PLAY = {
    "AskFirmware.boards": gives_firmware,
    "enrol": on_tables(do="enrol", row="A"),
    "TableAction.row": rows,
}
COVERED = {"TableAction.board": ("swap", "clear", "replace", "identify", "enrol")}
NOT_TYPED = {
    *("ClaimUplink.board", "LinkBoard", "HallView.boards", "NamesShown.board"),
    *("ClaimView.board", "RankedView.board", "WinnerView.board"),
}
"""What another controller's core fills in, from its own roster."""


@pytest.mark.parametrize("place", [*PLAYED, *BEFORE_PLAY])
def test_every_spelling_does_the_same(tmp_path: Path, place: str) -> None:
    deed = PLAYED.get(place) or BEFORE_PLAY[place]
    found = [
        repr(deed(Asked(tmp_path / str(number), plays=place in PLAYED), spelled))
        for number, spelled in enumerate(SPELLINGS)
    ]
    assert found == found[:1] * len(SPELLINGS)
    unknown = repr(deed(Asked(tmp_path / "unknown", plays=place in PLAYED), "B7"))
    assert unknown != found[0], "this place looks at no name"


def test_there_is_no_other_place_that_takes_a_boards_name() -> None:
    """A new field that names a board stands above with what it does, or the suite says so."""
    found = {
        f"{owner}.{field}"
        for kind in REQUESTS.values()
        for owner, field in fields_of(inspect.type_info(kind))
        if field in NAMES
    }
    for name, body in BODIES.items():
        found |= {f"{name}.{field}" for _, field in fields_of(inspect.type_info(body)) if field in NAMES}
    assert found - NOT_TYPED == {*PLAYED, *BEFORE_PLAY, *COVERED} - {*COVERED["TableAction.board"]}


def test_two_boards_whose_names_cannot_be_told_apart_are_refused() -> None:
    boards = [{"name": name} for name in ("A1", "A2", "a02")]
    with pytest.raises(RosterFault) as refused:
        model.read({"rows": [{"name": "A", "boards": boards}, {"name": "a"}]})
    assert [problem.key for problem in refused.value.problems] == [
        "roster.row_is_there_twice",
        "roster.board_is_there_twice",
    ]


def fields_of(kind: inspect.Type) -> Iterator[tuple[str, str]]:
    """Of this type and of those inside it, with the name of what has it."""
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield kind.cls.__name__, field.name
            yield from fields_of(field.type)
    elif isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from fields_of(each)
    elif isinstance(kind, inspect.CollectionType):
        yield from fields_of(kind.item_type)
