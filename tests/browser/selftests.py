"""Self-tests and hardware tests as the web side tells them, for the stage."""

from typing import Any

import msgspec

from pi_controller.web.api.selftest import SelftestSnapshot, checks_in
from tests.hall_of_tables import uid

Json = dict[str, Any]

IDLE: Json = msgspec.to_builtins(SelftestSnapshot(checks=checks_in("en")))
FITTED = {
    "simulated": False, "contacts": "nc_no", "buzzer": True, "longest_tone_ms": 3000, "display": "ssd1306",
    "sound": None, "segments": ["A", "B"], "baud": 250_000, "second_copy": True,
}  # fmt: skip
PROGRESS = {"code": "LMP", "title": "lamps", "done": 11, "of": 24, "text": "LMP lamps", "left_s": 128.0}
LAMP = "Is the Sun lamp lit, in its own colour, and no other lamp?"
PATTERN = "Do the displays of the panel and all tables show all white? If not, name those that do not."


def running(**fields: Any) -> Json:
    """A field test under way."""
    return IDLE | {"session": 1, "standing": "running", "operator": "Ann", "progress": PROGRESS} | fields


def question(name: str = "LMP-1", text: str = LAMP, **fields: Any) -> Json:
    """A question to be answered with a look."""
    return {
        "id": name, "code": name.split("-", maxsplit=1)[0], "text": text, "picture": "sun_lamp", "answers": ["saw", "not"],
        "may_skip": True, "live": "", "names": [],
    } | fields  # fmt: skip


def value(name: str, found: float | str | None, unit: str = "", limit: str = "", *, ok: bool = True) -> Json:
    return {"name": name, "value": found, "unit": unit, "limit": limit, "ok": ok}


def finding(part: str, where: str, sentence: str, **fields: Any) -> Json:
    plain = {"part": part, "where": where, "sentence": sentence, "severity": "failed", "mend": None}
    return plain | {"mended": False} | fields


def mend(do: str, board: str, label: str, other: str = "") -> Json:
    return {"do": do, "board": board, "label": label, "other": other, "uid": ""}


def result(code: str, title: str, verdict: str, sentence: str, **fields: Any) -> Json:
    plain: Json = {"code": code, "title": title, "verdict": verdict, "sentence": sentence, "seconds": 0.4}
    return plain | {"values": [], "findings": [], "plots": []} | fields


BOUNCE = {
    "title": "Bounce of 40 movements",
    "unit": "ms",
    "bars": [
        {"label": label, "count": count}
        for label, count in zip(
            ("<0.1", "0.5", "1", "2", "5", "10", "15"), (3, 14, 11, 8, 3, 1, 0), strict=True
        )
    ],
}
EXCHANGED = "Boards A3 and A4 were pressed in each other's place: their nodes are swapped."
TURNED = "At board B2 Moon's button was pressed before Sun's: the node is turned the other way round."
RESULTS = [
    result(
        "PWR", "supply of the controller", "passed", "The supply holds.",
        values=[value("under-voltage since the start", 0, "times", "0")],
    ),
    result(
        "SDC", "storage", "warning", "The card is slow: put in another one before the next event.",
        values=[
            value("write with sync, 99 of 100", 231.4, "ms", "below 200", ok=False),
            value("free", 11.8, "GB", "above 1"),
        ],
        findings=[
            finding("the memory card", "", "The card is slow: put in another one before the next event.", severity="warning")
        ],
    ),
    result("RTC", "clock with a battery", "not_fitted", "No clock with a battery is fitted."),
    result("SND", "sound", "skipped", "Skipped by the operator: no time."),
    result(
        "BNC", "bounce of the pause button", "passed", "The contacts settle quickly.",
        values=[
            value("movements", 40),
            value("bounce, 95 of 100", 4.2, "ms", "below 5"),
            value("bounce, longest", 7.9, "ms", "below 15"),
        ],
        plots=[BOUNCE],
    ),
    result("BER", "error rate of the table bus", "passed", "No frame was lost."),
    result(
        "CLM", "claim buttons, walked", "failed", EXCHANGED + " 1 more of this check's findings follow.",
        values=[
            value("buttons registered", 80, "", "80"),
            value("press to acknowledgement, slowest", 212, "ms", "below 500"),
            value("tables with Sun and Moon swapped", 1, "", "0", ok=False),
        ],
        findings=[
            finding(
                "the nodes of boards A3 and A4", "A3", EXCHANGED,
                mend=mend("exchange_boards", "A3", "Swap boards A3 and A4", "A4"),
            ),
            finding(
                "the node of board B2", "B2", TURNED,
                mend=mend("swap_sides", "B2", "Swap Sun and Moon at board B2"),
            ),
        ],
    ),
]  # fmt: skip
CHANGES = [
    {"uid": uid(11), "board": "A11", "figure": "temperature", "before": 29, "now": 33, "unit": "°C", "worse": False},
    {"uid": uid(7), "board": "A7", "figure": "supply", "before": 23.1, "now": 21.4, "unit": "V", "worse": True},
    {"uid": uid(9), "board": "A9", "figure": "lost frames", "before": 0, "now": 3, "unit": "", "worse": True},
]  # fmt: skip


def ended(results: list[Json] | None = None, **fields: Any) -> Json:
    """A field test that is over, with its report."""
    found = RESULTS if results is None else results
    report = {
        "version": 1, "when": "2026-11-21T18:40:00+00:00", "level": "field", "only": [], "operator": "Ann",
        "host": "hallbox", "software": "1.0.0", "simulated": False, "ended": True, "verdict": "failed",
        "seconds": 61.0, "operator_seconds": 312.0, "notes": ["Not fitted, so not tested: RTC. This does not count as a pass."],
        "results": found, "nodes": {}, "compared_with": "2026-10-02T17:12:00+00:00", "changes": CHANGES,
    } | fields  # fmt: skip
    return running(standing="ended", progress=None, results=found, report=report)


def refused(sentence: str) -> Json:
    """A self-test that core would not have."""
    return running(standing="failed", progress=None, sentence=sentence)


def walk(done: dict[str, tuple[int, int]] | None = None, *, notes: dict[str, str] | None = None) -> Json:
    """The walk of rows A, B and C; `done`: how many Sun and Moon buttons of a row were heard from its first board."""
    heard = done or {}
    boards = [
        {
            "board": f"{row}{number}",
            "row": row,
            "sun": number <= heard.get(row, (0, 0))[0],
            "moon": number <= heard.get(row, (0, 0))[1],
            "note": (notes or {}).get(f"{row}{number}", ""),
        }
        for row, boards in (("A", 14), ("B", 14), ("C", 12))
        for number in range(1, boards + 1)
    ]
    return walk_of(boards)


def walk_of(boards: list[Json]) -> Json:
    """The walk of these boards."""
    pressed = sum(board["sun"] + board["moon"] for board in boards)
    live = {
        "finished": False, "text": f"{pressed} of {2 * len(boards)} buttons", "done": pressed, "of": 2 * len(boards),
        "closed": None, "walk": boards,
    }  # fmt: skip
    asked = question("CLM-7", "Walk along the rows.", picture="walk", answers=["done"], live="walk")
    step = PROGRESS | {"code": "CLM", "title": "claim buttons, walked", "done": 21}
    return running(question=asked, live=live, progress=step)


def presses(done: int) -> Json:
    """The pause button is being pressed."""
    live = {
        "finished": False,
        "text": f"{done} of 10 presses",
        "done": done,
        "of": 10,
        "closed": [True, False],
        "walk": [],
    }
    text = "Press the pause button 10 times, firmly, about once a second."
    asked = question("PSB-6", text, picture="pause_button", answers=["done"], live="edges")
    return running(
        question=asked, live=live, progress=PROGRESS | {"code": "PSB", "title": "pause button", "done": 14}
    )


def kept(name: str, level: str, **fields: Any) -> Json:
    plain = {"name": name, "level": level, "when": None, "operator": None, "verdict": None, "sentence": None}
    return plain | fields


REPORTS = {
    "reports": [
        kept(
            "20261121-184500-field.json",
            "field",
            when="2026-11-21T18:40:00+00:00",
            operator="Ann",
            verdict="failed",
        ),
        kept(
            "20261121-181200-boot.json",
            "boot",
            when="2026-11-21T18:12:00+00:00",
            operator="the controller",
            verdict="passed",
        ),
        kept(
            "20261002-172400-field.json",
            "field",
            when="2026-10-02T17:12:00+00:00",
            operator="Jo",
            verdict="warning",
        ),
        kept("20260905-101500-bench.json", "bench"),
    ]
}


def edges(began_ns: int, *, presses: int = 4) -> list[Json]:
    """Raw edges of so many presses 2 s apart; the last one is still held. Every second one bounces more."""
    found: list[Json] = []
    for press in range(presses):
        base = began_ns + press * 2_000_000_000
        for contact, closed, start in (("nc", False, 0), ("no", True, 3_100_000)):
            found += [
                _edge(
                    contact,
                    base + start + step * (310_000 + step * 170_000),
                    closed=closed == (step % 2 == 0),
                )
                for step in range(5 if press % 2 else 3)
            ]
        if press < presses - 1:
            found += [
                _edge("no", base + 600_000_000, closed=False),
                _edge("nc", base + 604_000_000, closed=True),
            ]
    return sorted(found, key=lambda edge: edge["at_ns"])


def _edge(contact: str, at_ns: int, *, closed: bool) -> Json:
    return {"contact": contact, "closed": closed, "at_ns": at_ns, "trusted": True}


def inputs(now_ns: int, *, pressed: bool) -> Json:
    return {
        "no_closed": pressed,
        "nc_closed": not pressed,
        "now_ns": now_ns,
        "shutdown_pressed": False,
    }
