"""Every command of the director's page is posted exactly as the contract says."""

import re
from typing import Any

import pytest

from tests.browser import pictures
from tests.browser.acts import (
    DEAF_MS,
    ENDED,
    JUDGE,
    ONE_CLAIM,
    PAUSED,
    PRESSED,
    READY,
    REPLACE,
    ROUND,
    USUAL,
    Act,
    button,
    choose,
    director,
    fill,
    instead,
    press,
)
from tests.browser.pictures import PAST
from tests.browser.screen import Screen
from tests.browser.seen import expect

pytestmark = pytest.mark.browser

HOT = "The controller is too hot (84 °C): switch it off, let it cool down, and improve its ventilation."
UNFIT = READY | {"allowed": READY["allowed"] | {"start": {"reasons": [HOT], "override": True}}}
AT_PRESS = "round 14, 9.1 s before the end"

COMMANDS: dict[str, tuple[dict[str, Any], list[Act], str, Any]] = {
    "freeze in the 3-2-1": (pictures.count_in(), [press("primary")], "pause", {}),
    "start": (READY, [press("primary")], "start", {}),
    "resume": (PAUSED, [press("primary")], "resume", {}),
    "skip": (ROUND, [press("skip")], "skip", {}),
    "add 5 s": (ROUND, [press("add5")], "add_time", {"ms": 5_000}),
    "take 15 s": (ROUND, [press("sub15")], "add_time", {"ms": -15_000}),
    "pause": (ROUND, [press("primary")], "pause", {}),
    "undo": (ROUND, [press("undo")], "undo", {}),
    "redo": (ROUND, [press("redo")], "redo", {}),
    "replace by a pause": (
        ROUND,
        [REPLACE, instead("Pause"), press("replace-go")],
        "undo",
        {"replace": {"name": "pause", "body": {}}},
    ),
    "replace by other time": (
        ROUND,
        [REPLACE, fill(replace_amount="-7"), press("replace-seconds"), press("replace-go")],
        "undo",
        {"replace": {"name": "add_time", "body": {"ms": -7_000}}},
    ),
    "replace by a verdict": (
        ONE_CLAIM,
        [REPLACE, instead("A7 rejected"), press("replace-go")],
        "undo",
        {"replace": {"name": "verdict", "body": {"claim": "c1", "confirmed": False}}},
    ),
    "replace by last rounds": (
        ROUND,
        [REPLACE, fill(replace_amount="2"), press("replace-rounds"), press("replace-go")],
        "undo",
        {"replace": {"name": "last_rounds", "body": {"count": 2}}},
    ),
    "schedule": (ROUND, [press("set-schedule")], "set_schedule", USUAL),
    "longer schedule": (
        ROUND,
        [press("add-step"), press("set-schedule")],
        "set_schedule",
        [*USUAL, {"from_round": 21, "seconds": 45}],
    ),
    "claims pause": (ROUND, [button("Pause at once")], "set_claims", {"mode": "pause"}),
    "claims are asked": (
        pictures.picture(claims_mode="pause"),
        [button("Let the clock run")],
        "set_claims",
        {"mode": "ask"},
    ),
    "last rounds": (ROUND, [fill(last_count="2"), press("last-go")], "last_rounds", {"count": 2}),
    "end": (ROUND, [press("end"), press("end-now")], "end", {"confirm": True}),
    "close": (
        pictures.ended(closed=False, seed=None),
        [press("primary"), press("close-now")],
        "close",
        {"confirm": True},
    ),
    "say": (ROUND, [fill(say_text="Hello hall"), press("say")], "say", {"text": "Hello hall"}),
    "prepared line": (ROUND, [button("Short break")], "say", {"line": "break"}),
    "say for a while": (
        ROUND,
        [fill(say_text="Hello"), choose(say_for="15"), press("say")],
        "say",
        {"text": "Hello", "seconds": 15},
    ),
    "say on the screens only": (
        ROUND,
        [fill(say_text="Hello"), choose(say_for=""), press("say_tables"), press("say")],
        "say",
        {"text": "Hello", "tables": False},
    ),
    "take the line away": (
        pictures.picture(message={"text": "Hello", "until_ms": None}),
        [press("unsay")],
        "say",
        {"text": ""},
    ),
    "black screens": (ROUND, [press("cover-black")], "cover", {"kind": "black"}),
    "test picture": (ROUND, [press("cover-test")], "cover", {"kind": "test"}),
    "screens again": (pictures.picture(cover="black"), [press("cover-none")], "cover", {"kind": "none"}),
    "timer": (
        READY,
        [fill(timer_label="Doors", timer_minutes="12.5"), press("timer-start")],
        "timer",
        {"label": "Doors", "seconds": 750},
    ),
    "prepared timer": (
        PAUSED,
        [fill(timer_minutes="12.5"), button("Break")],
        "timer",
        {"prepared": "break", "seconds": 750},
    ),
    "rehearsal": (READY, [press("arm-rehearsal"), press("arm")], "arm", {"rehearsal": True}),
    "start in spite of it": (
        UNFIT,
        [fill(start_reason="The fan is on its way"), press("override")],
        "start",
        {"override": True, "reason": "The fan is on its way"},
    ),
    "stop the timer": (
        pictures.ready(timer={"label": "Doors", "remaining_ms": 1_000, "running": True}),
        [press("timer-stop")],
        "timer",
        {"stop": True},
    ),
    "public word": (
        READY,
        [fill(word_text="lighthouse"), press("word-go")],
        "contribute",
        {"text": "lighthouse"},
    ),
    "claim": (
        ROUND,
        [press("enter-claim"), fill(claim_board="B3"), button("Moon"), press("claim-go")],
        "claim",
        {"board": "B3", "side": "moon"},
    ),
    "withdraw": (ONE_CLAIM, [JUDGE, press("withdraw")], "withdraw", {"claim": "c1"}),
    "claim with the moment of a press": (
        PRESSED,
        [press("enter-claim"), fill(claim_board="B3"), button(AT_PRESS), press("claim-go")],
        "claim",
        {"board": "B3", "side": "moon", "press": "p7"},
    ),
    "confirm": (
        ONE_CLAIM,
        [JUDGE, button("Checked at the table: board A7, Moon wins")],
        "verdict",
        {"claim": "c1", "confirmed": True},
    ),
    "confirm who pressed": (
        pictures.paused("button", claims=[pictures.claim(1, None, None)]),
        [
            JUDGE,
            lambda page: page.locator("#board-of-c1").fill("A5"),
            button("Sun"),
            button("Checked at the table: board A5, Sun wins"),
        ],
        "verdict",
        {"claim": "c1", "confirmed": True, "board": "A5", "side": "sun"},
    ),
    "reject": (ONE_CLAIM, [button("Reject")], "verdict", {"claim": "c1", "confirmed": False}),
    "resume without a verdict": (ONE_CLAIM, [press("instead")], "resume", {"override": True}),
    "arm after a game": (ENDED, [press("primary"), press("arm-now")], "arm", {}),
    "arm with all": (
        ENDED,
        [
            choose(rule_set="connect", first_side="drawn"),
            press("arm-schedule"),
            press("arm"),
            press("arm-now"),
        ],
        "arm",
        {"rule_set": "connect", "first_side": "drawn", "schedule": USUAL},
    ),
}


NAMES = list(COMMANDS)
DESKS = [NAMES[first : first + 10] for first in range(0, len(NAMES), 10)]
"""Opening a page takes longer than to give a command there."""


@pytest.mark.parametrize("names", DESKS, ids=lambda names: f"from {names[0]} on")
def test_each_command_posts_what_the_contract_says(screen: Screen, names: list[str]) -> None:
    screen.stage.actions = PAST | {"undone": [PAST["actions"][0]]}
    page = director(screen, COMMANDS[names[0]][0])
    passed_ms = 0
    for done, case in enumerate(names, 1):
        shown, acts, name, body = COMMANDS[case]
        at_ms = shown["as_of_ms"] + passed_ms
        picture = shown | {
            "seq": shown["seq"] + 100 * (done - 1),
            "as_of_ms": at_ms,
            "as_of_us": at_ms * 1_000,
        }
        if done > 1:
            page.locator('[data-is="mode-show"]').click()
            screen.play(picture)
            screen.pass_ms(DEAF_MS)
            passed_ms += DEAF_MS
        for act in acts:
            act(page)
            passed_ms += DEAF_MS * (act is JUDGE)
        [post] = screen.stage.wait_for_posts(done)[done - 1 :]
        assert (post["kind"], post["name"], post["body"]) == ("commands", name, body), case
        assert re.fullmatch(r"[0-9a-f-]{32,36}", post["key"])
        seen = (None, None) if name == "pause" else (picture["session"], str(picture["seq"]))
        assert post["seen"] == seen, case
        expect(page.locator(".entry.accepted")).to_have_count(done)
    assert len(screen.stage.posts) == len(names)
