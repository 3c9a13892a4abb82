"""Virtual tables for the stage: displays as they look in round 14, and a few that are in trouble."""

import base64
from functools import cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tests.web.fake_tables import table

Json = dict[str, Any]
SIZE = (128, 64)


@cache
def bits(head: str, big: str, small: str) -> str:
    """A display's picture: a line on top, large figures, small ones beside them."""
    image = Image.new("1", SIZE)
    draw = ImageDraw.Draw(image)
    draw.text((2, 0), head, fill=1, font=ImageFont.load_default(13))
    draw.text((6, 14), big, fill=1, font=ImageFont.load_default(46))
    draw.text((92, 32), small, fill=1, font=ImageFont.load_default(26))
    return base64.b64encode(image.tobytes()).decode()


def display(side: str, head: str = "ROUND 14", *, on: bool = True, contrast: int = 200) -> Json:
    shown = bits(head if side == "moon" else f"{head} WAIT", "31", "8")
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
    lost = [display("sun", "NO LINK", contrast=90), display("moon", "NO LINK", contrast=90)]
    unlike: dict[int, Json] = {
        3: {"lamps": {"sun": 0, "moon": 255, "claim_sun": 0, "claim_moon": 170}},
        6: {
            "cut_before": True,
            "displays": lost,
            "lamps": dict.fromkeys(("sun", "moon", "claim_sun", "claim_moon"), 0),
        },
        7: {"alive": False, "displays": [display("sun", on=False), display("moon", on=False)]},
        10: {"babbling": True},
    }
    return [playing(number, **unlike.get(number, {})) for number in range(1, count + 1)]
