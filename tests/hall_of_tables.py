"""A hall for the pages and the web side: rows, boards and nodes as core publishes them."""

from typing import Any

Json = dict[str, Any]


def uid(number: int) -> str:
    """The unique id of node `number`: 16 hex digits."""
    return f"e66{number:013x}"


LATELY = dict.fromkeys(
    ("answered", "unanswered", "garbled", "damaged", "late", "reassigned", "restarts", "claims"), 0
)


def node(number: int, board: str | None, **changes: Any) -> Json:
    """Node `number`, well, on segment A (1 to 32), B (33 to 64) …"""
    return {
        "uid": uid(number), "segment": "ABCDEFGH"[(number - 1) // 32], "address": (number - 1) % 32 + 1,
        "state": "good", "board": board, "swapped": False, "hardware": 1, "firmware": "1.0",
        "protocols": [1, 1], "boots": 3, "age_ms": 12 + number % 7, "uptime_min": 95, "supply_v": 4.8,
        "reported": True, "temperature_c": 31, "reset": "power", "safe_mode": False, "wordless": False,
        "displays": {"sun": True, "moon": True}, "stuck": {"sun": False, "moon": False},
        "good": 8412 + number, "missed": 0, "crc_errors": 0, "states_missed": 1,
        "round_trip_ms": {"p50": 3.1, "p99": 4.6}, "gain": None, "lately": LATELY | {"answered": 48},
    } | changes  # fmt: skip


def segment(name: str, **changes: Any) -> Json:
    return {
        "name": name, "port": f"/dev/serial/by-id/table-bus-{name.lower()}", "link": "open", "sentence": None,
        "sentence_key": None,
        "baud": 250_000, "good": 268_411, "crc_errors": 0, "missed": 3, "echoes": 0, "collisions": 0,
        "reopened": 0, "busy": 0.41, "round_trip_ms": {"p50": 3.2, "p99": 5.9},
    } | changes  # fmt: skip


def snapshot(nodes: list[Json], **changes: Any) -> Json:
    names = sorted({each["segment"] for each in nodes})
    return {
        "version": 1, "segments": [segment(name) for name in names], "nodes": nodes, "doctor": [],
        "doctor_keys": [], "enrolment": None, "claims_mode": "ask",
    } | changes  # fmt: skip


def row(name: str, nodes: list[int | None], *, shape: str = "straight", angle: int = 0) -> Json:
    """A row whose boards are called A1, A2 …; None: no node there."""
    boards = [
        {"name": f"{name}{place}", "node": None if number is None else uid(number), "swapped": False}
        for place, number in enumerate(nodes, 1)
    ]
    return {"name": name, "shape": shape, "angle": angle, "boards": boards}


def roster(*rows: Json) -> Json:
    return {"version": 1, "rows": list(rows)}


def troubled_hall() -> tuple[Json, Json]:
    """Roster and snapshot of 40 boards in three rows with one board in every standing, and two spare nodes."""
    rows = roster(
        row("A", [*range(1, 15)]),
        row("B", [*range(15, 27), None, None], shape="angled", angle=30),
        row("C", [*range(27, 39)], shape="ring"),
    )
    places = {each["node"]: each["name"] for line in rows["rows"] for each in line["boards"]}
    unlike: dict[int, Json] = {
        7: {"state": "lost", "age_ms": 74_000, "missed": 61},
        8: {"state": "lost", "age_ms": 74_100, "missed": 61},
        11: {"state": "suspect", "age_ms": 2_400, "missed": 9, "crc_errors": 17, "gain": 1.01742},
        18: {"state": "outdated", "firmware": "0.7", "protocols": [0, 0]},
        30: {"state": "duplicate"},
    }
    nodes = [
        node(number, places.get(uid(number)), **unlike.get(number, {}))
        for number in range(1, 41)
        if number != 36
    ]
    nodes[33]["swapped"] = True
    doctor = [
        "Segment A: nothing answers from board A7 on to A8: look at the cable between A6 and A7.",
        "Board A11 misses every tenth poll and counts CRC errors: look at its plug.",
    ]
    segments = [segment("A", crc_errors=17, missed=131, busy=0.44), segment("B", busy=0.12)]
    return rows, snapshot(nodes, doctor=doctor, segments=segments)


def well_hall(boards: int, *, per_row: int = 32) -> tuple[Json, Json]:
    """Roster and snapshot of so many boards in rows, all well."""
    starts = range(0, boards, per_row)
    rows = roster(
        *(
            row("ABCDEFGHIJ"[at], list(range(start + 1, min(start + per_row, boards) + 1)))
            for at, start in enumerate(starts)
        )
    )
    names = [each["name"] for line in rows["rows"] for each in line["boards"]]
    return rows, snapshot([node(number, names[number - 1]) for number in range(1, boards + 1)])
