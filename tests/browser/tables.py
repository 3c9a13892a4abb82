"""Virtual tables for the stage: displays as the firmware draws them in round 14, and a few in trouble."""

import base64
from functools import cache
from typing import Any

from pi_controller.virtual_hall.table import VirtualDisplay
from table_node import view as views
from table_node.face import Face
from table_node.view import View
from tests.web.fake_tables import table

Json = dict[str, Any]
ALL_AT_ONCE_US = 1_000_000


@cache
def bits(side: str, kind: str, claim: int) -> str:
    """A display's picture; Moon plays, 31 seconds are left."""
    view = View()
    view.kind = kind
    view.own_side = views.MOON if side == "moon" else views.SUN
    view.active, view.next_side = views.MOON, views.SUN
    view.phase, view.round, view.seconds, view.tenths_left, view.duration = views.ROUND, 14, 31, 310, 450
    view.dice, view.sum, view.last = 0x53, 8, 6
    view.claim = claim
    display = VirtualDisplay()
    face = Face(display)
    while face.draw(view) is False:
        pass
    display.flush(ALL_AT_ONCE_US)
    return base64.b64encode(display.rows()).decode()


def display(
    side: str, kind: str = "round", *, claim: int = views.NO_CLAIM, on: bool = True, contrast: int = 200
) -> Json:
    shown = bits(side, kind, claim)
    return {"side": side, "width": 128, "height": 64, "on": on, "contrast": contrast, "bits": shown}


def playing(number: int, **changes: Any) -> Json:
    """Virtual table `number` in round 14: Moon plays."""
    fields: Json = {
        "displays": [display("sun", contrast=90), display("moon")],
        "lamps": {"sun": 0, "moon": 255, "claim_sun": 0, "claim_moon": 0},
    }
    return table(number, **fields | changes)


def hall_of(count: int) -> list[Json]:
    """So many tables; among the first are one that claims, one cut off, one halted and one that babbles."""
    lost = [display("sun", "no_link", contrast=90), display("moon", "no_link", contrast=90)]
    unlike: dict[int, Json] = {
        3: {
            "lamps": {"sun": 0, "moon": 255, "claim_sun": 0, "claim_moon": 170},
            "displays": [display("sun", contrast=90), display("moon", claim=views.OPEN)],
        },
        6: {
            "cut_before": True,
            "displays": lost,
            "lamps": dict.fromkeys(("sun", "moon", "claim_sun", "claim_moon"), 0),
        },
        7: {"alive": False, "displays": [display("sun", on=False), display("moon", on=False)]},
        10: {"babbling": True},
    }
    return [playing(number, **unlike.get(number, {})) for number in range(1, count + 1)]
