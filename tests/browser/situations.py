"""Every situation that the hall screen must be able to show, for tests and for the documents."""

from typing import Any

from tests.browser import pictures

Json = dict[str, Any]

LONG_LINE = (
    "Please take your seats and leave the boards as they are. The game goes on when the judges are back. " * 2
)

HALL: dict[str, Json] = {
    "sun": pictures.sun_round(),
    "round": pictures.picture(notices=["robber_possible"]),
    "last-seconds": pictures.picture(
        remaining_ms=4_600,
        last_round=17,
        notices=["robber_possible"],
        health={"level": "fault", "messages": ["The disk does not answer"]},
    ),
    "last-round": pictures.sun_round(last_round=9),
    "robber": pictures.robber_phase(),
    "robber-desert": pictures.robber_phase("desert"),
    "pause": pictures.paused("button"),
    "pause-claims": pictures.claims_pause(),
    "pause-break": pictures.paused(
        "director", timer={"label": "Break", "remaining_ms": 299_000, "running": True}
    ),
    "pause-recovery": pictures.paused(
        "recovery", "director", phase="robber", side=None, sum=7, dice=[3, 4], robber_target="desert"
    ),
    "asked": pictures.picture(claims=pictures.asked(2), notices=["robber_possible"]),
    "asked-many": pictures.sun_round(claims=pictures.asked(6)),
    "asked-message": pictures.picture(
        claims=pictures.asked(2), message={"text": "Please take your seats", "until_ms": None}
    ),
    "pause-claims-message": pictures.claims_pause(
        message={"text": "A judge is on the way", "until_ms": None}
    ),
    "asked-count-in": pictures.count_in(claims=pictures.asked(1)),
    "count-in": pictures.count_in(),
    "start": pictures.ready(resume_in_ms=2_500),
    "ready": pictures.ready(),
    "ready-timer": pictures.ready(
        timer={"label": "Doors open", "remaining_ms": 754_000, "running": True}, public_word=None
    ),
    "collecting": pictures.collecting(),
    "collecting-many": pictures.collecting(
        timer={"label": "Sheets until", "remaining_ms": 299_000, "running": True},
        ranking=pictures.ranked(
            (1, "HALL-6", "moon", 17, "shared"),
            (1, "A14", "sun", 17, "shared"),
            *((place, f"B{place}", "sun", 18 - place, "resources") for place in range(3, 12)),
        ),
    ),
    "collecting-none": pictures.collecting(ranking=[], claims=[]),
    "ended": pictures.ended(),
    "ended-rival": pictures.ended(
        decided_by="ore",
        ranking=pictures.ranked(
            (1, "A7", "moon", 19, "ore"), (2, "HALL-6", "sun", 19, "points"), (3, "B3", "moon", 18, "points")
        ),
    ),
    "ended-shared": pictures.ended(
        decided_by="shared",
        winners=[
            {"claim": "c1", "board": "A7", "side": "moon", "points": 19},
            {"claim": "c2", "board": "C12", "side": "moon", "points": 19},
        ],
    ),
    "ended-ranking": pictures.ended(
        decided_by="ranking",
        last_round=27,
        winners=[
            {"claim": f"c{n}", "board": f"B{n}", "side": ["sun", "moon"][n % 2], "points": 16}
            for n in range(1, 6)
        ],
    ),
    "ended-nobody": pictures.ended(winners=[], decided_by=None),
    "link-lost": pictures.link_lost(),
    "link-stopped": pictures.link_lost(stopped=True, waiting=1),
    "link-none": pictures.no_leader(),
    "link-divided": pictures.leads_not(),
    "link-refused": pictures.leads_not(pictures.ready(), state="refused"),
    "following": pictures.following(),
    "message": pictures.sun_round(message={"text": "Please take your seats", "until_ms": None}),
    "long-message": pictures.sun_round(message={"text": LONG_LINE[:200], "until_ms": None}),
}
