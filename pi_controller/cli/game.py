"""Every command of the game, from words on the command line to a body on the control socket.

Its arguments are made from the fields of its body (`protocol/commands.py`), by their names and
types; what is not given is left out. Where the body is another one, a function makes it.
"""

import codecs
from argparse import Namespace
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from pi_controller.cli.ask import given, status_of
from pi_controller.cli.usage import (
    BAD_USAGE,
    Argument,
    Container,
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
from pi_controller.protocol.commands import BODIES, parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.question import AskCommand, ask
from pi_controller.sentence import Sentence

Body = dict[str, object]


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


STEPS = Sentence("metavar.steps")
SHOWN: dict[str, Sentence | str | tuple[Sentence, ...]] = {
    "rule_set": "R",
    "first_side": "S",
    "schedule": STEPS,
    "seats": Sentence("metavar.seats"),
    "turn_seconds": "S",
    "text": Sentence("metavar.text"),
    "reason": Sentence("metavar.text"),
    "seat": Sentence("metavar.side"),
    "replace": (Sentence("metavar.name"), Sentence("metavar.body")),
    "ms": Sentence("metavar.milliseconds"),
    "mode": Sentence("metavar.mode"),
    "board": Sentence("metavar.board"),
    "side": Sentence("metavar.side"),
    "press": Sentence("metavar.press"),
    "claim": Sentence("metavar.claim"),
    "count": Sentence("metavar.count"),
    "kind": Sentence("metavar.kind"),
    "label": Sentence("metavar.label"),
    "seconds": Sentence("metavar.seconds"),
    "screen": Sentence("metavar.name"),
}
"""What stands in the help for the value of a field."""
MEANINGS: dict[str, dict[str, Sentence | None]] = {
    "arm": {
        "rule_set": Sentence("help.one_of", names=", ".join(RULE_SETS)),
        "first_side": Sentence("help.first_side"),
        "schedule": Sentence("help.schedule"),
        "rehearsal": Sentence("help.rehearsal"),
        "seats": Sentence("help.seats"),
        "turn_seconds": Sentence("setting.classic_turn_seconds"),
    },
    "contribute": {"text": Sentence("help.public_word")},
    "start": {"override": Sentence("help.start_override"), "reason": Sentence("help.start_reason")},
    "resume": {"override": Sentence("help.resume_override")},
    "turn": {"seat": Sentence("help.turn_seat")},
    "undo": {"replace": Sentence("help.undo_replace")},
    "add_time": {"ms": Sentence("help.add_time")},
    "set_claims": {"mode": Sentence("help.claims_mode")},
    "claim": {
        "board": Sentence("help.claim_board"),
        "side": Sentence("help.claim_side"),
        "press": Sentence("help.claim_press"),
    },
    "withdraw": {"claim": Sentence("help.claim_id")},
    "verdict": {
        "claim": Sentence("help.claim_id"),
        "board": Sentence("help.verdict_board"),
        "side": Sentence("help.verdict_side"),
    },
    "last_rounds": {"count": Sentence("help.last_rounds")},
    "end": {"confirm": Sentence("help.end_confirm")},
    "close": {"confirm": Sentence("help.close_confirm")},
    "say": {
        "text": Sentence("help.say_text"),
        "seconds": Sentence("help.say_seconds"),
        "tables": Sentence("help.say_not_on_tables"),
    },
    "cover": {"kind": Sentence("help.cover_kind")},
    "timer": {"label": None, "seconds": None, "stop": Sentence("help.timer_stop")},
    "identify": {"screen": None, "board": None},
}
"""By command the fields of its body that the command line offers, and what they mean."""
MAYBE = {"nargs": "?"}
OTHERWISE: Mapping[str, Mapping[str, Any]] = {
    "arm.schedule": {"type": schedule},
    "arm.seats": {"type": seats},
    "turn.seat": MAYBE,
    "undo.replace": {"nargs": "+"},
    "claim.board": MAYBE,
    "claim.side": MAYBE,
    "say.text": {"name": "text"},
    "say.tables": {"name": "--not-on-tables", "const": False},
    "timer.label": MAYBE,
    "timer.seconds": MAYBE,
}
"""Fields that are typed in another way than their type says."""
BESIDES = {
    "set_schedule": argument("steps", type=schedule, shown=STEPS, meaning=Sentence("help.steps")),
    "verdict": argument("verdict", shown=Sentence("metavar.verdict"), meaning=Sentence("help.verdict")),
}
"""Arguments of which a function below makes the body."""


READERS = {int: whole_number, float: number}


def argument_for(field: FieldInfo, meaning: Sentence | None, how: Mapping[str, Any]) -> Argument:
    """One of the field's name: what must be given, or has `nargs="?"`, stands by itself, a yes or no is a
    flag, the rest are options. `how`: what argparse takes besides what the type says, and `name`, where it is
    called otherwise."""
    kinds = {getattr(one, "__origin__", one) for one in (field.type, *get_args(field.type))}
    name = how.get("name", f"--{field.name.replace('_', '-')}")
    rest = {key: value for key, value in how.items() if key != "name"}
    if bool in kinds:  # not in the body when it is not given
        flag = {"action": "store_const", "const": True, "dest": field.name, **rest}
        return argument(name, meaning=meaning, **flag)
    read = next((reader for kind, reader in READERS.items() if kind in kinds), str)
    by_itself = field.required or how.get("nargs") == "?"
    return argument(
        field.name if by_itself else name, shown=SHOWN[field.name], meaning=meaning, **{"type": read, **rest}
    )


def add_arguments(name: str, parser: Container) -> None:
    """Those of a command, when it is given."""
    offered, body = MEANINGS.get(name, {}), cast(type[Struct], BODIES[name])
    known = {field.name: field for field in fields(body)} if offered else {}
    made = [
        argument_for(known[field], meaning, OTHERWISE.get(f"{name}.{field}", {}))
        for field, meaning in offered.items()
    ]
    for add in (one_of(*made, required=True),) if name == "identify" else made:
        add(parser)
    if name in BESIDES:
        BESIDES[name](parser)


MADE: dict[str, Callable[[Namespace, Body], object]] = {
    "undo": _undo,
    "set_schedule": lambda arguments, _: arguments.steps,
    "claim": _claim,
    "verdict": _verdict,
    "end": partial(_confirmed, Sentence("command.end_takes_two_steps")),
    "close": partial(_confirmed, Sentence("command.close_takes_two_steps")),
    "timer": _timer,
}
"""Bodies that are not simply what was given."""


def send(name: str, arguments: Namespace) -> int:
    """0: accepted, 3: refused, 5: done but not saved, with the reasons on stderr."""
    body = given(arguments)
    asked = MADE[name](arguments, body) if name in MADE else body
    parse_command(name, asked)  # a mistake is told even when no core runs
    return status_of(ask(socket_path(state_dir(arguments)), AskCommand(name=name, body=asked)))


for _name in BODIES:
    command(_name.replace("_", "-"), partial(add_arguments, _name))(partial(send, _name))
