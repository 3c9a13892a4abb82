"""`pi-controller firmware update` and `firmware status`: new firmware for the tables over their cables."""

import re
import select
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator

import msgspec

from pi_controller.bus.values import NodeView
from pi_controller.cli.ask import all_told, core_of
from pi_controller.cli.typed import plain
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, argument, columns, command, flag
from pi_controller.language.words import spoken, words
from pi_controller.protocol.firmware import FirmwareDeed, FirmwareSegment, FirmwareView
from pi_controller.protocol.messages import AskFirmware, FirmwareAnswer
from pi_controller.protocol.sentences import told
from pi_controller.sentence import Sentence, separated

LOOK_S = 0.5
CLEAR = "\r\x1b[K"
WHO = "pi-controller"
FETCHED = 0.8
"""So much of a table's way is over when it has all of the firmware; the rest is its trial."""
Ask = Callable[[FirmwareDeed], FirmwareAnswer]
Wait = Callable[[], str]
"""Some time passes, or somebody types a line; empty: nobody did."""


@command(
    "firmware update",
    argument(
        "--boards", nargs="+", shown=Sentence("metavar.board"), meaning=Sentence("help.firmware_boards")
    ),
    flag("--yes", Sentence("help.firmware_yes")),
    flag("--again", Sentence("help.firmware_again")),
    flag("--json", Sentence("help.firmware_update_json")),
    meaning=Sentence("help.firmware_update"),
)
def update(arguments: Namespace) -> int:
    """0 when all have it, 1 when one has not, 2 when nothing could be done."""
    core = core_of(arguments)
    language = spoken()

    def ask(do: FirmwareDeed) -> FirmwareAnswer:
        who, boards, again = WHO, arguments.boards, arguments.again
        return core.ask(AskFirmware(do=do, who=who, boards=boards, again=again, lang=language))

    return followed(ask, _waiter(), yes=arguments.yes, as_json=arguments.json)


def followed(ask: Ask, wait: Wait, *, yes: bool, as_json: bool) -> int:
    """Begins it and says how it goes on, until it is over; Ctrl-C stops it."""
    begun = ask("begin")
    if not begun.accepted:
        raise Stop(
            BAD_USAGE, Sentence("list.sentences", sentences=tuple(all_told(begun.reasons, begun.reason_keys)))
        )
    try:
        view = _over(ask, wait, begun.firmware, yes=yes, quiet=as_json)
    except KeyboardInterrupt:
        ask("stop")
        raise
    if as_json:
        print(msgspec.json.encode(view).decode())
    else:
        print("\n".join(_result(view)))
    ends = {outcome.end for outcome in view.outcomes}
    if view.reason_key is not None and view.reason_key.key == "firmware.all_current":
        return ACCEPTED
    if not ends or ends == {"not_begun"}:
        return BAD_USAGE
    return ACCEPTED if ends == {"updated"} else FAILED


def _over(ask: Ask, wait: Wait, view: FirmwareView, *, yes: bool, quiet: bool) -> FirmwareView:
    asked = False
    while view.state != "done":
        if view.state == "asking" and yes:
            view = ask("consent").firmware
            continue
        if view.state == "asking" and not asked:
            asked = True
            question = Sentence("firmware.press_or_yes", board=view.board or "", seconds=view.left_s)
            print(words(question), file=sys.stderr, flush=True)
        elif not quiet and sys.stdout.isatty():
            print(CLEAR + words(_progress(view)), end="", flush=True)
        typed = plain(wait())
        if typed and view.state == "asking":
            if typed in (plain(words(Sentence("firmware.typed_yes"))), "yes"):
                view = ask("consent").firmware
                continue
            print(words(Sentence("firmware.type_yes")), file=sys.stderr, flush=True)
        view = ask("look").firmware
    return view


def _progress(view: FirmwareView) -> Sentence:
    """All segments in one line."""
    if view.state == "building":
        return Sentence("firmware.making")
    return separated(map(_of_segment, view.segments))


def _of_segment(one: FirmwareSegment) -> Sentence:
    part, done, nodes = _part(one), one.done, one.nodes
    return Sentence("firmware.segment_progress", segment=one.name, part=part, done=done, nodes=nodes)


def _part(one: FirmwareSegment) -> float:
    """Of its whole way, 0 to 1."""
    fetched = FETCHED * one.part / one.parts if one.parts else 0.0
    return (one.done + (one.nodes - one.done) * fetched) / one.nodes


def _result(view: FirmwareView) -> Iterator[str]:
    clear = CLEAR if sys.stdout.isatty() else ""
    if view.reason is not None:
        yield clear + words(told(view.reason, view.reason_key))
    for outcome in view.outcomes:
        yield f"{clear}{' '.join(outcome.boards)}: {outcome.text}"


def _waiter() -> Wait:
    """A line at the console ends a wait; where nobody sits there, only time passes."""
    somebody = sys.stdin.isatty()

    def wait() -> str:
        nonlocal somebody
        if not somebody:
            time.sleep(LOOK_S)
            return ""
        if not select.select([sys.stdin], [], [], LOOK_S)[0]:
            return ""
        line = sys.stdin.readline()
        somebody = line != ""
        return line

    return wait


@command("firmware status", meaning=Sentence("help.firmware_status"))
def status(arguments: Namespace) -> None:
    """Which table runs what, and what this controller has."""
    core = core_of(arguments)
    view = core.ask(AskFirmware(lang=spoken())).firmware
    found: dict[str, list[NodeView]] = {}
    tables = core.tables()
    for node in tables.nodes:
        found.setdefault(node.firmware, []).append(node)
    print(words(Sentence("firmware.has", version=view.version)))
    rows = [(version, " ".join(sorted(map(_name, nodes), key=_natural))) for version, nodes in found.items()]
    if rows or not tables.segments:
        print("\n".join(columns(rows)) if rows else words(Sentence("tables.none")))


def _name(node: NodeView) -> str:
    return node.board or node.uid


def _natural(name: str) -> list[str | int]:
    """A2 before A12."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
