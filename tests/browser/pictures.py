"""Room pictures for the stage: one true round as the base, and a change for each situation."""

import time
from typing import Any

from tests.protocol.pictures import link
from tests.protocol.pictures import picture as running

Json = dict[str, Any]

COMMITMENT = "c1f390ab77de2b10a95d3c4e8f017766c1f390ab77de2b10a95d3c4e8f017766"


def roll(round_no: int, side: str, dice: tuple[int, int]) -> Json:
    """One line of the history: a round."""
    return {
        "kind": "round", "round": round_no, "side": side, "dice": list(dice), "sum": sum(dice),
        "robber_target": None,
    }  # fmt: skip


def robber_roll(round_no: int, target: int | str) -> Json:
    """One line of the history: a robber phase."""
    return {
        "kind": "robber",
        "round": round_no,
        "side": None,
        "dice": [3, 4],
        "sum": 7,
        "robber_target": target,
    }


HISTORY = [
    roll(14, "moon", (5, 3)),
    roll(13, "sun", (6, 6)),
    robber_roll(12, 9),
    roll(12, "moon", (1, 2)),
    roll(11, "sun", (5, 5)),
    robber_roll(10, "desert"),
    roll(10, "moon", (4, 2)),
    roll(9, "sun", (1, 1)),
    roll(8, "moon", (2, 3)),
    roll(7, "sun", (6, 5)),
    roll(6, "moon", (4, 4)),
    roll(5, "sun", (3, 1)),
]


HEAD: Json = {"journal_head": "3fa9c1d2", "journal_head_full": "3fa9c1d27be0" + "45" * 26}


def picture(**changes: Any) -> Json:
    """Round 14, the Moon's, an 8, 31.4 s of 45 left, running; with these fields changed."""
    fields: Json = {
        "seq": 41, "saved_seq": 41, "round": 14, "side": "moon", "next_side": "sun", "dice": [5, 3],
        "duration_ms": 45_000, "remaining_ms": 31_400, "as_of_ms": 1_000_000, "history": HISTORY,
        "commitment": COMMITMENT, "public_word": "lighthouse",
    }  # fmt: skip
    return running(**fields | changes)


def claim(number: int, board: str | None, side: str | None, **changes: Any) -> Json:
    """An open claim."""
    return {
        "id": f"c{number}", "board": board, "side": side, "round": 14,
        "pressed_ms_before_end": 17_284 - 310 * number,
        "on_active_side": True, "status": "open", "points": None, "source": "button", "press_error_ms": None,
    } | changes  # fmt: skip


def sun_round(**changes: Any) -> Json:
    fields: Json = {
        "round": 9,
        "side": "sun",
        "next_side": "moon",
        "dice": [6, 5],
        "sum": 11,
        "duration_ms": 35_000,
    }
    return picture(
        **fields | {"remaining_ms": 23_000, "history": [roll(9, "sun", (6, 5)), *HISTORY[8:]]} | changes
    )


def robber_phase(target: int | str = 9, **changes: Any) -> Json:
    fields: Json = {
        "phase": "robber", "side": None, "next_side": "sun", "dice": [3, 4], "sum": 7,
        "robber_target": target, "robber_dice": [4, 5] if target == 9 else [6, 1],
        "duration_ms": 12_000, "remaining_ms": 9_300,
    }  # fmt: skip
    return picture(**fields | {"history": [robber_roll(14, target), *HISTORY[:11]]} | changes)


def paused(*reasons: str, **changes: Any) -> Json:
    fields: Json = {"paused": True, "running": False, "pause_reasons": list(reasons), "remaining_ms": 17_284}
    return picture(**fields | HEAD | changes)


def claims_pause(**changes: Any) -> Json:
    claims = [
        claim(0, None, None, status="withdrawn"),
        claim(1, "A7", "moon"),
        claim(2, "C12", "moon"),
        claim(3, "B3", "moon", status="rejected", points=16),
    ]
    return paused("button", "claim", **{"claims": claims} | changes)


def asked(count: int) -> list[Json]:
    """So many open claims, among them the pause button's and one whose board has a long name."""
    boards = ["A7", "C12", "HALL-6", None, "B3", "A14"]
    sides = ["moon", "sun", "moon", None, "sun", "sun"]
    return [claim(place + 1, boards[place], sides[place]) for place in range(count)]


def count_in(**changes: Any) -> Json:
    return paused(**{"resume_in_ms": 2_600, "journal_head": None, "journal_head_full": None} | changes)


def ready(**changes: Any) -> Json:
    fields: Json = {
        "phase": "ready", "running": False, "round": 0, "side": None, "next_side": "sun", "dice": None,
        "sum": None, "duration_ms": 0, "remaining_ms": 0, "history": [], "public_word": "lighthouse",
    }  # fmt: skip
    return picture(**fields | changes)


def ended(**changes: Any) -> Json:
    fields: Json = {
        "phase": "ended", "running": False, "side": None, "next_side": None, "remaining_ms": 0, "round": 27,
        "winners": [{"claim": "c1", "board": "A7", "side": "moon", "points": 19}], "decided_by": "points",
        "closed": True, "seed": COMMITMENT[::-1], **HEAD,
    }  # fmt: skip
    return picture(**fields | changes)


def ranked(*sheets: tuple[int, str, str, int, str]) -> list[Json]:
    """A ranking of these: place, board, side, points, and the step that decides."""
    return [
        {"claim": f"c{n}", "place": place, "board": board, "side": side, "points": points, "decided_by": step}
        for n, (place, board, side, points, step) in enumerate(sheets, 1)
    ]


def collecting(**changes: Any) -> Json:
    """After round 27, the last one; three sheets are checked, and a fourth is entered."""
    sheets = ranked(
        (1, "A7", "moon", 17, "ore"), (2, "C12", "sun", 17, "points"), (3, "B3", "sun", 15, "points")
    )
    claims = [
        claim(n, one["board"], one["side"], status="confirmed", points=one["points"], round=27)
        for n, one in enumerate(sheets, 1)
    ]
    fields: Json = {
        "phase": "collecting", "running": False, "side": None, "next_side": None, "dice": None, "sum": None,
        "duration_ms": 0, "remaining_ms": 0, "round": 27, "last_round": 27, "ranking": sheets,
        "claims": [*claims, claim(4, "HALL-6", "moon", round=27)], **HEAD,
    }  # fmt: skip
    return picture(**fields | changes)


def panel(**changes: Any) -> Json:
    """The virtual hall's panel: Sun lamp on, a dark display."""
    return {
        "sun": True, "moon": False, "pause_lamp": False, "buzzer": False,
        "display": {"width": 128, "height": 64, "bits": "", "on": True},
        "button": {"pressed": False, "wire": "ok"},
    } | changes  # fmt: skip


NOTED_MS = 1_700_000_000_000


def note(number: int, text: str = "Please thank the hosts before the last rounds.", **changes: Any) -> Json:
    """A note from the director to the moderator, not read yet."""
    return {
        "id": f"n{number}", "text": text, "written_ms": NOTED_MS, "written_by": "Bea",
        "read_ms": None, "read_by": "",
    } | changes  # fmt: skip


def now_ms() -> int:
    """A core clock for pictures that are played in real time."""
    return time.monotonic_ns() // 1_000_000


def directing(directs: int, *, how: str = "began") -> dict[str, Any]:
    """Which of two directors directs: one without a name, who looks, and Bea (1)."""
    directors = [{"number": number, "name": name, "here": True} for number, name in enumerate(("", "Bea"))]
    change = {"at": "2026-11-22T19:00:00+00:00", "how": how, "before": None, "number": directs}
    changes = [change | {"name": directors[directs]["name"]}]
    return {"directs": directs, "directors": directors, "changes": changes}


NO_LEADER = {"key": "link.no_leader_yet", "params": {}}
LEADS_ALREADY = {"key": "link.another_leads", "params": {"hall": "main", "term": 1}}
ELSEWHERE = {
    "reasons": ['The hall "main" directs this game: give this command there.'],
    "keys": [{"key": "link.directed_elsewhere", "params": {"hall": "main"}}],
    "override": False,
}


def following(base: Json | None = None, **changes: Any) -> Json:
    """A picture of the hall `east`, with these fields of its link changed."""
    shown = picture() if base is None else base
    handed_up = ("claim", "withdraw", "pause", "identify")
    allowed = {name: one if name in handed_up else ELSEWHERE for name, one in shown["allowed"].items()}
    return shown | {"allowed": allowed, "link": link(**changes)}


def link_lost(**changes: Any) -> Json:
    """For 12 s nothing was heard; `stopped`: and somebody pressed the big button here."""
    lost: Json = {"state": "lost", "heard_ms": 988_000, "lost_ms": 988_000, "frozen": True}
    why = ["button"] if changes.get("stopped") else ["fault"]
    fields: Json = {"paused": True, "running": False, "pause_reasons": why}
    said = {"key": "link.lost", "params": {"hall": "main"}, "level": "fault", "text": "No link"}
    health = {"level": "fault", "messages": ["No link"], "items": [said], "lost": False}
    return following(picture(**fields, health=health), **lost | changes)


def no_leader(**changes: Any) -> Json:
    """A hall that has heard no leader since its start."""
    return following(
        ready(),
        **{"state": "looking", "leader": None, "term": 0, "error_ms": None, "heard_ms": None} | changes,
    )


def leading(**changes: Any) -> Json:
    """The hall that leads, with one further hall that is there and one that is away."""
    halls = [
        {
            "hall": "east",
            "online": True,
            "software": "0.9.0",
            "source": "0123456789ab",
            "boards": 16,
            "away_ms": None,
        },
        {
            "hall": "west",
            "online": False,
            "software": "0.9.0",
            "source": "0123456789ab",
            "boards": 0,
            "away_ms": 760_000,
        },
    ]
    of_leader: Json = {
        "role": "leader",
        "hall": "main",
        "state": "leading",
        "error_ms": None,
        "heard_ms": None,
    }
    claims = [claim(1, "east/A5", "moon"), claim(2, "B3", "moon"), claim(3, "east/A9", "moon")]
    shown = picture(claims=claims)
    shown["allowed"] = shown["allowed"] | {"redo": ELSEWHERE}
    return shown | {"link": link(**of_leader | {"halls": halls} | changes)}


def leads_not(base: Json | None = None, *, state: str = "divided") -> Json:
    """The hall `main`, which shall lead: `west` leads too (`divided`), or alone (`refused`)."""
    name = "link.divided" if state == "divided" else "link.another_leads"
    trouble = {"key": name, "params": {"hall": "west"} | ({} if state == "divided" else {"term": 2})}
    against = {"reasons": ["It does not lead."], "keys": [trouble], "override": True}
    item = trouble | {"level": "fault", "text": "It does not lead."}
    shown = paused("fault") if base is None else base
    health = {"level": "fault", "messages": ["It does not lead."], "items": [item], "lost": False}
    east, west = leading()["link"]["halls"]
    halls = [east, west | {"online": True, "boards": 12, "away_ms": None}]
    told = leading(state=state, leader="west", trouble=trouble, halls=halls)["link"]
    allowed = shown["allowed"] | {"start": against, "resume": against}
    return shown | {"link": told, "health": health, "allowed": allowed}


# The last actions of a game, for the stage.


def outcome(**changes: Any) -> Json:
    """Round 14, Moon's, 46.4 s left, running; with these fields changed."""
    usual: Json = {
        "phase": "round", "round": 14, "side": "moon", "paused": False, "remaining_ms": 46_400, "open_claims": 0,
        "reasons": [], "keys": [],
    }  # fmt: skip
    return usual | changes


def action(number: int, key: str, text: str, *, source: str = "web", **changes: Any) -> Json:
    """One action, so many seconds before the picture's moment as its number says."""
    usual: Json = {
        "id": 100 - number, "at_ms": 1_000_000 - 7_000 * number, "source": source, "text": text,
        "said": {"key": key, "params": {}}, "steps": None, "outcome": None,
    }  # fmt: skip
    return usual | changes


def told(actions: list[Json], **changes: Any) -> Json:
    usual: Json = {
        "game_id": "g1", "session": "s1", "seq": 41, "as_of_ms": 1_000_000, "actions": actions, "undone": [],
        "outcome": outcome(paused=True, remaining_ms=31_400),
    }  # fmt: skip
    return usual | changes


ADDED = {"key": "action.time_added", "params": {"seconds": 15}}
REJECTED = {"key": "action.board_rejected_points", "params": {"board": "B3", "count": 16}}
CLAIMED = {
    "key": "action.claimed",
    "params": {"board": "B3", "side": {"key": "side.moon", "params": {}}},
}
PAST = told(
    [
        action(1, "action.time_added", "15 s added", said=ADDED, steps=1, outcome=outcome(remaining_ms=16_400)),
        action(3, "action.resumed", "Resumed", steps=2, outcome=outcome(paused=True, remaining_ms=17_284)),
        action(5, "action.board_rejected_points", "-", said=REJECTED, steps=3,
               outcome=outcome(paused=True, remaining_ms=17_284, open_claims=1)),
        action(9, "action.claimed", "-", said=CLAIMED, source="table"),
        action(10, "action.pressed", "-", source="button", steps=4, outcome=outcome()),
        action(14, "action.skipped", "-", steps=5, outcome=outcome(reasons=["Too far back"])),
        action(30, "action.started", "-"),
    ]
)  # fmt: skip
"""A game of several hands."""
