"""firmware/PROTOCOL.md says what the code does: types, lengths, fields, flags, addresses, timers, example frames."""

import json
import re

import pytest

from pi_controller.bus import broadcast, conversation, discovery, frame, master, messages, register, requests
from pi_controller.bus.messages import MESSAGES, PHASES, RANGES, HealthMessage, Layout, StateMessage
from table_node import claim, claim_button, said, update
from table_node import line as node_line
from table_node import link as node_link
from tests.architecture.sources import ROOT
from tests.bus import behaviour, vectors

PAGE = (ROOT / "firmware" / "PROTOCOL.md").read_text(encoding="utf-8")
LAYOUTS = [kind.layout for kind in MESSAGES.values()]


def section(title: str) -> str:
    return re.split(r"\n#+ ", PAGE.split(f"# {title}\n", 1)[1], maxsplit=1)[0]


def listed(text: str) -> list[list[str]]:
    """Cells of the lines in the fenced blocks of this text: two spaces or more are between them."""
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [re.split(r" {2,}", line.strip()) for block in blocks for line in block.splitlines()]


def laid_out(text: str) -> tuple[list[tuple[int, str, str]], list[str], list[str]]:
    """Of fenced lines: offset, name and letter; the ranges, "": any value; the meanings."""
    lines = [[*line, ""] for line in listed(text)]
    kinds = [line[2].partition(" ") for line in lines]
    fields = [(int(line[0]), line[1], kind[0]) for line, kind in zip(lines, kinds, strict=True)]
    return fields, [kind[2] for kind in kinds], [line[3] for line in lines]


def rows(text: str) -> list[list[str]]:
    """Cells of the tables in this text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines][1:]


def test_types_and_lengths() -> None:
    table = [(int(row[0]), row[1], int(row[3]), int(row[4])) for row in listed(section("4. Messages"))[1:]]
    assert table == [(layout.type, layout.name, layout.version, layout.size) for layout in LAYOUTS]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_fields(layout: Layout) -> None:
    at = 0
    expected = []
    for name, letter in layout.fields:
        expected.append((at, name, letter))
        at += Layout("", 0, (name, letter)).size
    fields, ranges, _ = laid_out(section(layout.name).split("**In version 2**")[0])
    assert fields == expected
    for (name, letter), given in zip(layout.fields, ranges, strict=True):
        if found := re.fullmatch(r"([-−]?\d+)–(-?\d+)", given):
            least, greatest = RANGES[letter]
            assert least <= int(found[1].replace("−", "-")) < int(found[2]) <= greatest, name


def test_the_byte_that_version_2_adds_to_a_state() -> None:
    text = section("STATE")
    (added,), *_ = laid_out(text.split("**In version 2**")[1])
    at = StateMessage.layout.size
    assert added == (at, *StateMessage.longer.fields[-1])
    assert StateMessage.longer.fields[:-1] == StateMessage.layout.fields
    assert StateMessage.longer.size == at + 1 == frame.LONGEST_PAYLOAD


def test_flags_and_names_are_counted_alike() -> None:
    assert counted(section("STATE"), "Flags:") == len(StateMessage.flags)
    assert counted(section("HEALTH"), "Flags:") == len(HealthMessage.flags)
    assert counted(section("POLL"), "Status:") == len(messages.STATUSES)
    assert counted(section("PROGRESS"), "State:") == len(messages.UPDATE_STATES)
    assert counted(section("PROGRESS"), "Why:") == len(messages.TROUBLES)
    fields, ranges, meanings = laid_out(section("STATE"))
    phase = [name for _, name, _ in fields].index("phase")
    assert ranges[phase] == f"0–{len(PHASES) - 1}"
    assert meanings[phase].startswith("0 ready, 1 round")


def counted(text: str, begin: str) -> int:
    """How many numbered things follow, which must be 0, 1, 2 …"""
    listing = text.split(begin, 1)[1].split("\n\n", 1)[0].replace("\n", " ")
    numbers = [int(number) for number in re.findall(r"(?:^|, )(\d+) ", listing.strip())]
    assert numbers == list(range(len(numbers)))
    return len(numbers)


def test_letters_of_a_message() -> None:
    last = messages.FIRST_FURTHER + len(messages.FURTHER) - 1
    assert f"`{messages.FURTHER}`: 0x80 is À, 0x{last:X} is ¡." in section("SAY")


def test_addresses_and_sizes() -> None:
    addresses = [cells[0] for cells in listed(section("2. Frame")) if cells[0].startswith("0x")]
    assert addresses == [
        f"0x{frame.MASTER:02X}",
        f"0x{frame.FIRST_NODE:02X} – 0x{frame.LAST_NODE:02X}",
        f"0x{frame.UNASSIGNED:02X}",
        f"0x{frame.EVERYBODY:02X}",
    ]
    assert (
        f"{frame.OVERHEAD} bytes longer than its payload, {frame.OVERHEAD + frame.LONGEST_PAYLOAD} at most"
        in PAGE
    )
    assert f"n < {frame.SHORTEST_ENCODED} || n > {frame.LONGEST_ENCODED}" in PAGE


def test_example_frames_are_the_golden_ones() -> None:
    golden = json.loads(vectors.FILE.read_text(encoding="ascii"))
    usual = {row["name"]: bytes.fromhex(row["frame"]) for row in golden["messages"]}
    frames = {row[0]: row[1] for row in listed(section("12. Golden vectors"))}
    names = [layout.name for layout in LAYOUTS] + ["STATE of protocol 2"]
    assert {name: bytes.fromhex(text) for name, text in frames.items()} == {
        name: usual[f"{name}, as usual"] for name in names
    }
    lists = [name.strip("`") for name, _ in rows(section("12. Golden vectors")) if name.startswith("`")]
    assert lists == [name for name in golden if name != "protocols"]
    spaced = usual["ORDER, as usual"].hex(" ").upper()
    assert f" frame      00  {spaced[3:-3]}  00\n" in section("Worked example")


def test_versions_and_lengths_decide_the_golden_frames() -> None:
    """A reader of the table alone takes what must be taken, and drops what is refused for version or length."""
    counts: dict[str, list[tuple[range, range]]] = {}
    first = [(row[1], row[3], row[4]) for row in listed(section("4. Messages"))[1:]]
    for name, versions, sizes in [*first, *(tuple(row) for row in listed(section("9. Versions")))]:
        counts.setdefault(name, []).append((spanned(versions), spanned(sizes)))
    names = {layout.type: layout.name for layout in LAYOUTS}
    assert set(counts) == set(names.values())

    def is_listed(name: str, frame_hex: str) -> bool:
        (found,) = frame.Receiver().feed(bytes.fromhex(frame_hex))
        return any(
            found.version in versions and len(found.payload) in sizes for versions, sizes in counts[name]
        )

    golden = json.loads(vectors.FILE.read_text(encoding="ascii"))
    for row in golden["messages"] + golden["newer"]:
        assert is_listed(names[row["type"]], row["frame"]), row["name"]
    for row in golden["refused"]:
        by_its_kind = re.search(r" of protocol \d$| a byte \w+$| without payload$", row["name"])
        if row["type"] in names:
            assert is_listed(names[row["type"]], row["frame"]) == (not by_its_kind), row["name"]


def spanned(cell: str) -> range:
    first, _, last = cell.partition("–")
    return range(int(first), int(last or first) + 1)


def test_the_steps_of_the_behaviour_vectors() -> None:
    golden = json.loads(behaviour.FILE.read_text(encoding="ascii"))
    used = {name for row in golden["timelines"] for step in row["steps"] for name in step} - {"at_us"}
    assert {cells[0].strip("`") for cells in rows(section("Behaviour vectors"))} == used
    shown = {name for row in golden["timelines"] for step in row["steps"] for name in step.get("shows", ())}
    assert all(f"`{name}`" in section("Behaviour vectors") for name in shown)


def test_an_empty_first_language_is_decided() -> None:
    golden = json.loads(vectors.FILE.read_text(encoding="ascii"))
    assert [row for row in golden["messages"] if row["type"] == 12 and not row["fields"]["first"]]
    fields, _, meanings = laid_out(section("LANGUAGES"))
    said = {name: meaning for (_, name, _), meaning in zip(fields, meanings, strict=True)}
    assert all("all NUL: none" in said[name] for name in ("first", "second"))


def test_the_worked_crc() -> None:
    assert vectors.crc32(b"123456789") == 0xCBF43926
    assert f"CRC-32 of it: 0x{vectors.crc32(bytes.fromhex('2805002A0100')):08X}" in PAGE


TIMERS = {
    "STATE refresh": broadcast.REFRESH_US,
    "after a frame to everybody nobody is asked for": conversation.GAP_US,
    "new LANGUAGES, SEAT and SAY, twice each, every": broadcast.NEW_BESIDE_US,
    "LANGUAGES, SEAT or SAY every": broadcast.BESIDE_US,
    "answer is dropped when later than": node_line.TOO_LATE_US,
    "answer to a PING or a MEASURE is dropped when later than": node_line.TEST_TOO_LATE_US,
    "answer is awaited": requests.ANSWER_US,
    "answer to a PING or a MEASURE is awaited": requests.TEST_ANSWER_US,
    "suspect is asked every": register.SUSPECT_US,
    "lost is asked every": register.LOST_US,
    "discovery: silence before a slot": node_line._QUIET_US,
    "discovery: round in play every": discovery.ROUND_US,
    "discovery: round as long as nobody is there every": discovery.FIRST_US,
    "silence after an answer": conversation.TURN_US,
    "outdated node is asked every": master.OUTDATED_US,
    "half frame is given up after": conversation.QUIET_US,
    "no link after": node_link.NO_LINK_US,
    "another epoch is taken when its own was silent for": node_link.OWN_SILENT_US,
    "without nodes: asks nobody for": discovery.LISTEN_US,
    "other baud rate after": node_line.SILENT_US,
    "address in doubt holds": node_link.ADDRESS_HOLDS_US,
    "hold for a claim": claim_button.HOLD_US,
    "contact counts after": claim_button._STEADY_US,
    "opening that is a bounce": claim_button._OPEN_US,
    "button bit stays": claim_button.RECENT_US,
    "news of its side is awaited": claim_button.NEWS_US,
    "outcome of a claim is shown": claim.SAID_US,
    "button is stuck after": claim_button.STUCK_US,
    "at the other rate by order: silence that ends it": node_line.VISIT_SILENT_US,
    "a page of a message is shown for": said.PAGE_SECONDS * 1_000_000,
    "new firmware: gives it up, or goes back, after": update.PATIENCE_SECONDS * 1_000_000,
}
OTHERS = {
    "STATE repeated after a change": ", ".join(f"{us // 1000} ms" for us in broadcast.REPEATS_US),
    "PAUSE that interrupted a request repeated after": ", ".join(
        f"{us // 1000} ms" for us in broadcast.PAUSE_BEHIND_US
    ),
    "STATE refresh beside another master": (
        f"{(broadcast.REFRESH_US - broadcast.EARLIER_US) // 1000} ms to {broadcast.REFRESH_US // 1000} ms"
    ),
    "with nodes: asks nobody after another master's frame for": (
        f"0 ms to {discovery.BACK_OFF_US // 1000} ms"
    ),
    "from poll to poll": (
        f"{register.PERIOD_US / 1000} ms, below {discovery.SLOW_BAUD:,} Bd {register.SLOW_PERIOD_US / 1000} ms"
    ),
    "answer to a poll below 200,000 Bd begins": (
        f"{node_line.SLOW_POLL_TURNAROUND_US // 1000} ms to {node_line.TOO_LATE_US // 1000} ms"
    ),
    "answer begins": f"{node_line.TURNAROUND_US / 1e6 * 1000:g} ms to {node_line.TOO_LATE_US // 1000} ms",
    "answer to a PING or a MEASURE begins": (
        f"{node_line.TURNAROUND_US / 1e6 * 1000:g} ms to {node_line.TEST_TOO_LATE_US // 1000} ms"
    ),
    "without nodes: silent after another master's frame for": (
        f"{discovery.GONE_US / 1e6:g} s to {(discovery.GONE_US + discovery.SPREAD_US) / 1e6:.1f} s"
    ),
    "suspect after": f"{register.SUSPECT_MISSES} failures",
    "lost after": f"{register.LOST_MISSES} failures",
    "discovery: slots": f"{discovery.SLOTS}",
    "discovery: slots in play, until a node answers": f"{discovery.FEW_SLOTS}",
    "discovery: slot": f"{discovery.SLOT_MS} ms, below {discovery.SLOW_BAUD:,} Bd {discovery.SLOW_SLOT_MS} ms",
}


def test_timers() -> None:
    lines = listed(section("Of the master")) + listed(section("Of a node"))
    table = {line[0]: line[1].removeprefix("below ") for line in lines}
    assert {name: table[name] for name in OTHERS} == OTHERS
    assert {name: microseconds(value) for name, value in table.items() if name not in OTHERS} == TIMERS


def microseconds(value: str) -> float:
    number, unit = value.split()
    return round(float(number) * {"ms": 1_000, "s": 1_000_000}[unit])
