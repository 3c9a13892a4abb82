"""Every command of the game, from words on the command line to a body on the control socket.

The arguments of a command carry the names of its body's fields; what is not given is left out. Where the body
is another one, a function makes it.
"""

import codecs
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pi_controller.cli.ask import given, status_of
from pi_controller.cli.usage import (
    BAD_USAGE,
    STATE_DIR,
    Argument,
    Stop,
    argument,
    command,
    number,
    one_of,
    state_dir,
    whole_number,
)
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.language.system_errors import why
from pi_controller.protocol import strict_json
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.question import AskCommand, ask
from pi_controller.sentence import Sentence

Body = dict[str, object]


def send(name: str, body_of: Callable[[Namespace, Body], object], arguments: Namespace) -> int:
    """0: accepted, 3: refused, 5: done but not saved, with the reasons on stderr."""
    asked = body_of(arguments, given(arguments))
    parse_command(name, asked)  # a mistake is told even when no core runs
    return status_of(ask(socket_path(state_dir(arguments)), AskCommand(name=name, body=asked)))


def schedule(text: str) -> list[Body]:
    """`1:35,11:45` as steps: from round 1 on 35 s, from round 11 on 45 s."""
    steps: list[Body] = []
    for part in text.split(","):
        from_round, _, seconds = part.partition(":")
        try:
            steps.append({"from_round": int(from_round), "seconds": float(seconds)})
        except ValueError as error:
            told = Sentence("command.no_schedule", schedule=repr(text), part=repr(part))
            raise Stop(BAD_USAGE, told) from error
    return steps


def seats(text: str) -> list[Body]:
    """`red:Anna,blue:Ben,white` as seats with their names, in the order of the turns."""
    pairs = [part.partition(":") for part in text.split(",")]
    return [{"id": seat.strip(), "name": name.strip()} for seat, _, name in pairs]


def _undo(arguments: Namespace, _: Body) -> Body:
    if arguments.replace is None:
        return {}
    name, *body = arguments.replace
    if len(body) > 1:
        raise Stop(BAD_USAGE, Sentence("command.one_body"))
    read = {"body": strict_json.decode(body[0].encode(errors="surrogateescape"))} if body else {}
    return {"replace": {"name": name.replace("-", "_")} | read}


def _claim(arguments: Namespace, body: Body) -> Body:
    if arguments.board is None and arguments.press is None:
        return {}
    if arguments.side is None:
        raise Stop(BAD_USAGE, Sentence("command.claim_needs_side", board=Sentence("metavar.board")))
    return {"board": None} | body


def _verdict(arguments: Namespace, body: Body) -> Body:
    verdict = body.pop("verdict")
    if verdict in ("confirmed", "rejected"):
        return body | {"confirmed": verdict == "confirmed"}
    path = Path(arguments.verdict)
    try:
        return body | {"sheet": strict_json.decode(path.read_bytes().removeprefix(codecs.BOM_UTF8))}
    except OSError as error:
        raise Stop(BAD_USAGE, Sentence("command.no_verdict", path=str(path), why=why(error))) from error
    except Malformed as error:
        raise Stop(BAD_USAGE, Sentence("cli.about", name=str(path), told=error.sentence)) from error


def _confirmed(otherwise: Sentence, arguments: Namespace, body: Body) -> Body:
    if not arguments.confirm:
        raise Stop(BAD_USAGE, otherwise)
    return body


def _timer(arguments: Namespace, body: Body) -> Body:
    wrong = arguments.label is not None if arguments.stop else arguments.seconds is None
    if wrong:
        label, seconds = Sentence("metavar.label"), Sentence("metavar.seconds")
        raise Stop(BAD_USAGE, Sentence("command.timer_takes", label=label, seconds=seconds))
    return body


def _true(name: str, meaning: Sentence) -> Argument:
    """An option without a value; not in the body when it is not given."""
    return argument(name, action="store_const", const=True, meaning=meaning)


BOARD, SIDE, TEXT = Sentence("metavar.board"), Sentence("metavar.side"), Sentence("metavar.text")
STEPS, NAME = Sentence("metavar.steps"), Sentence("metavar.name")
CLAIM = argument("claim", shown=Sentence("metavar.claim"), meaning=Sentence("help.claim_id"))

COMMANDS: dict[str, tuple[Argument, ...]] = {
    "arm": (
        argument("--rule-set", shown="R", meaning=Sentence("help.one_of", names=", ".join(RULE_SETS))),
        argument("--first-side", shown="S", meaning=Sentence("help.first_side")),
        argument("--schedule", type=schedule, shown=STEPS, meaning=Sentence("help.schedule")),
        _true("--rehearsal", Sentence("help.rehearsal")),
        argument("--seats", type=seats, shown=Sentence("metavar.seats"), meaning=Sentence("help.seats")),
        argument("--turn-seconds", type=number, shown="S", meaning=Sentence("setting.classic_turn_seconds")),
    ),
    "contribute": (argument("text", shown=TEXT, meaning=Sentence("help.public_word")),),
    "start": (
        _true("--override", Sentence("help.start_override")),
        argument("--reason", shown=TEXT, meaning=Sentence("help.start_reason")),
    ),
    "pause": (),
    "resume": (_true("--override", Sentence("help.resume_override")),),
    "turn": (argument("seat", nargs="?", shown=SIDE, meaning=Sentence("help.turn_seat")),),
    "skip": (),
    "undo": (
        argument(
            "--replace",
            nargs="+",
            shown=(NAME, Sentence("metavar.body")),
            meaning=Sentence("help.undo_replace"),
        ),
    ),
    "redo": (),
    "add-time": (
        argument(
            "ms", type=whole_number, shown=Sentence("metavar.milliseconds"), meaning=Sentence("help.add_time")
        ),
    ),
    "set-schedule": (argument("steps", type=schedule, shown=STEPS, meaning=Sentence("help.steps")),),
    "set-claims": (argument("mode", shown=Sentence("metavar.mode"), meaning=Sentence("help.claims_mode")),),
    "claim": (
        argument("board", nargs="?", shown=BOARD, meaning=Sentence("help.claim_board")),
        argument("side", nargs="?", shown=SIDE, meaning=Sentence("help.claim_side")),
        argument("--press", shown=Sentence("metavar.press"), meaning=Sentence("help.claim_press")),
    ),
    "withdraw": (CLAIM,),
    "verdict": (
        CLAIM,
        argument("verdict", shown=Sentence("metavar.verdict"), meaning=Sentence("help.verdict")),
        argument("--board", shown=BOARD, meaning=Sentence("help.verdict_board")),
        argument("--side", shown=SIDE, meaning=Sentence("help.verdict_side")),
    ),
    "last-rounds": (
        argument(
            "count", type=whole_number, shown=Sentence("metavar.count"), meaning=Sentence("help.last_rounds")
        ),
    ),
    "end": (_true("--confirm", Sentence("help.end_confirm")),),
    "close": (_true("--confirm", Sentence("help.close_confirm")),),
    "say": (
        argument("text", shown=TEXT, meaning=Sentence("help.say_text")),
        argument("--seconds", type=number, shown="S", meaning=Sentence("help.say_seconds")),
        argument(
            "--not-on-tables",
            dest="tables",
            action="store_const",
            const=False,
            meaning=Sentence("help.say_not_on_tables"),
        ),
    ),
    "cover": (argument("kind", shown=Sentence("metavar.kind"), meaning=Sentence("help.cover_kind")),),
    "timer": (
        argument("label", nargs="?", shown=Sentence("metavar.label")),
        argument("seconds", nargs="?", type=number, shown=Sentence("metavar.seconds")),
        _true("--stop", Sentence("help.timer_stop")),
    ),
    "identify": (one_of(argument("--screen", shown=NAME), argument("--board", shown=BOARD), required=True),),
}
BODIES: dict[str, Callable[[Namespace, Body], object]] = {
    "undo": _undo,
    "set-schedule": lambda arguments, _: arguments.steps,
    "claim": _claim,
    "verdict": _verdict,
    "end": partial(_confirmed, Sentence("command.end_takes_two_steps")),
    "close": partial(_confirmed, Sentence("command.close_takes_two_steps")),
    "timer": _timer,
}
for _name, _arguments in COMMANDS.items():
    _of = BODIES.get(_name, lambda _, body: body)
    command(_name, *_arguments, STATE_DIR)(partial(send, _name.replace("-", "_"), _of))
