"""Every command of the game, from words on the command line to a body on the control socket."""

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    NOT_SAVED,
    REFUSED,
    Parser,
    Stop,
    add_state_dir,
    number,
    parser_for,
    whole_number,
)
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.protocol import strict_json
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed


def run(name: str, given: list[str]) -> int:
    """Send the command; 0: accepted, 3: refused, 5: done but not saved, with the reasons on stderr."""
    form = FORMS.get(name, _BARE)
    parser = parser_for(name)
    form.add_arguments(parser)
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    wire_name = name.replace("-", "_")
    with core_of(arguments) as core:
        body = form.body(arguments)
        parse_command(wire_name, body)  # a mistake is told even when no core runs
        answer = core.command(wire_name, body)
    for reason in answer.reasons:
        print(reason, file=sys.stderr)
    if answer.accepted:
        return ACCEPTED
    return NOT_SAVED if answer.done else REFUSED


@dataclass(frozen=True, slots=True)
class _Form:
    """A command's arguments and how they become its body."""

    add_arguments: Callable[[Parser], None]
    body: Callable[[Namespace], object]


def schedule(text: str) -> list[dict[str, object]]:
    """`1:35,11:45` as steps: from round 1 on 35 s, from round 11 on 45 s."""
    steps: list[dict[str, object]] = []
    for part in text.split(","):
        from_round, _, seconds = part.partition(":")
        try:
            steps.append({"from_round": int(from_round), "seconds": float(seconds)})
        except ValueError as error:
            wish = "ROUND:SECONDS, separated by commas, such as 1:35,11:45"
            raise Stop(
                BAD_USAGE, f"the schedule {text!r} is not understood at {part!r}: write {wish}"
            ) from error
    return steps


def _arm_arguments(parser: Parser) -> None:
    parser.add_argument("--rule-set", metavar="R", help=f"one of {', '.join(RULE_SETS)}")
    parser.add_argument("--first-side", metavar="S", help="sun, moon or drawn")
    parser.add_argument("--schedule", metavar="STEPS", help="round lengths such as 1:35,11:45")


def _arm(arguments: Namespace) -> object:
    body: dict[str, object] = {"rule_set": arguments.rule_set, "first_side": arguments.first_side}
    body["schedule"] = None if arguments.schedule is None else schedule(arguments.schedule)
    return {key: value for key, value in body.items() if value is not None}


def _undo_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--replace",
        nargs="+",
        metavar=("NAME", "BODY"),
        help="the command that should have been given, with its JSON body when it has one",
    )


def _undo(arguments: Namespace) -> object:
    if arguments.replace is None:
        return {}
    name, *body = arguments.replace
    if len(body) > 1:
        raise Stop(
            BAD_USAGE, "--replace takes a command's name and at most one JSON body: put the body in quotes"
        )
    replacement = {"name": name.replace("-", "_")}
    if not body:
        return {"replace": replacement}
    return {"replace": replacement | {"body": strict_json.decode(body[0].encode(errors="surrogateescape"))}}


def _claim_arguments(parser: Parser) -> None:
    parser.add_argument("board", nargs="?", metavar="BOARD", help="without: as if by the big button")
    parser.add_argument("side", nargs="?", metavar="SIDE", help="sun or moon")


def _claim(arguments: Namespace) -> object:
    if arguments.board is None:
        return {}
    if arguments.side is None:
        raise Stop(BAD_USAGE, "a claim at a board needs its side too: BOARD sun, or BOARD moon")
    return {"board": arguments.board, "side": arguments.side}


def _verdict_arguments(parser: Parser) -> None:
    parser.add_argument("claim", metavar="CLAIM", help="the claim's id, as `status` shows it")
    parser.add_argument(
        "verdict", metavar="VERDICT", help="confirmed, rejected, or a claim sheet's JSON file"
    )


def _verdict(arguments: Namespace) -> object:
    if arguments.verdict in ("confirmed", "rejected"):
        return {"claim": arguments.claim, "confirmed": arguments.verdict == "confirmed"}
    path = Path(arguments.verdict)
    try:
        return {"claim": arguments.claim, "sheet": strict_json.decode(path.read_bytes())}
    except OSError as error:
        hint = "the verdict is confirmed, rejected or the name of a claim sheet's file"
        raise Stop(BAD_USAGE, f"{path}: {error.strerror}; {hint}") from error
    except Malformed as error:
        raise Stop(BAD_USAGE, f"{path}: {error}") from error


def _end_arguments(parser: Parser) -> None:
    parser.add_argument("--confirm", action="store_true", help="the second step: without it nothing ends")


def _end(arguments: Namespace) -> object:
    if not arguments.confirm:
        raise Stop(BAD_USAGE, "ending the game takes two steps: say `pi-controller end --confirm`")
    return {"confirm": True}


def _say_arguments(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", help="an empty text dismisses the line")
    parser.add_argument("--seconds", type=number, metavar="S", help="for so long; without: until dismissed")


def _say(arguments: Namespace) -> object:
    timed = {} if arguments.seconds is None else {"seconds": arguments.seconds}
    return {"text": arguments.text} | timed


def _timer_arguments(parser: Parser) -> None:
    parser.add_argument("label", nargs="?", metavar="LABEL")
    parser.add_argument("seconds", nargs="?", type=number, metavar="SECONDS")
    parser.add_argument("--stop", action="store_true", help="take the countdown away")


def _timer(arguments: Namespace) -> object:
    if arguments.stop and arguments.label is None:
        return {"stop": True}
    if arguments.stop or arguments.seconds is None:
        raise Stop(BAD_USAGE, "a timer takes LABEL and SECONDS, or --stop alone")
    return {"label": arguments.label, "seconds": arguments.seconds}


def _identify_arguments(parser: Parser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--screen", metavar="NAME")
    which.add_argument("--board", metavar="BOARD")


def _identify(arguments: Namespace) -> object:
    return {"board": arguments.board} if arguments.screen is None else {"screen": arguments.screen}


_BARE = _Form(lambda _: None, lambda _: {})

FORMS = {
    "arm": _Form(_arm_arguments, _arm),
    "contribute": _Form(
        lambda parser: _positional(parser, "text", help_text="a word from the hall"),
        lambda given: {"text": given.text},
    ),
    "start": _Form(
        lambda parser: _flag(parser, "--override", "although the computer is not in order"),
        lambda given: {"override": True} if given.override else {},
    ),
    "resume": _Form(
        lambda parser: _flag(parser, "--override", "although a claim is open"),
        lambda given: {"override": True} if given.override else {},
    ),
    "undo": _Form(_undo_arguments, _undo),
    "add-time": _Form(
        lambda parser: _whole(parser, "ms", "milliseconds, negative to take time away"),
        lambda given: {"ms": given.ms},
    ),
    "set-schedule": _Form(
        lambda parser: _positional(parser, "steps", help_text="such as 1:35,11:45"),
        lambda given: schedule(given.steps),
    ),
    "set-claims": _Form(
        lambda parser: _positional(parser, "mode", help_text="ask or pause"),
        lambda given: {"mode": given.mode},
    ),
    "claim": _Form(_claim_arguments, _claim),
    "withdraw": _Form(
        lambda parser: _positional(parser, "claim", help_text="the claim's id, as `status` shows it"),
        lambda given: {"claim": given.claim},
    ),
    "verdict": _Form(_verdict_arguments, _verdict),
    "last-rounds": _Form(
        lambda parser: _whole(parser, "count", "so many rounds come after the present one"),
        lambda given: {"count": given.count},
    ),
    "end": _Form(_end_arguments, _end),
    "say": _Form(_say_arguments, _say),
    "timer": _Form(_timer_arguments, _timer),
    "identify": _Form(_identify_arguments, _identify),
}
"""What is not in here takes no arguments of its own."""


def _positional(parser: Parser, name: str, *, help_text: str) -> None:
    parser.add_argument(name, metavar=name.upper(), help=help_text)


def _whole(parser: Parser, name: str, help_text: str) -> None:
    parser.add_argument(name, type=whole_number, metavar=name.upper(), help=help_text)


def _flag(parser: Parser, name: str, help_text: str) -> None:
    parser.add_argument(name, action="store_true", help=help_text)
