"""Every command of the game, from words on the command line to a body on the control socket."""

import codecs
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_controller.cli.ask import core_of, say_reasons
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
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol import strict_json
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence


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
    say_reasons(answer)
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
            raise Stop(
                BAD_USAGE, Sentence("command.no_schedule", schedule=repr(text), part=repr(part))
            ) from error
    return steps


def seats(text: str) -> list[dict[str, object]]:
    """`red:Anna,blue:Ben,white` as seats with their names, in the order of the turns."""
    pairs = [part.partition(":") for part in text.split(",")]
    return [{"id": seat.strip(), "name": name.strip()} for seat, _, name in pairs]


def _arm_arguments(parser: Parser) -> None:
    known = ", ".join(RULE_SETS)
    parser.add_argument("--rule-set", metavar="R", help=words(Sentence("help.one_of", names=known)))
    parser.add_argument("--first-side", metavar="S", help=words(Sentence("help.first_side")))
    _option(parser, "--schedule", Sentence("metavar.steps"), Sentence("help.schedule"))
    _flag(parser, "--rehearsal", Sentence("help.rehearsal"))
    _option(parser, "--seats", Sentence("metavar.seats"), Sentence("help.seats"))
    parser.add_argument(
        "--turn-seconds", type=number, metavar="S", help=words(Sentence("setting.classic_turn_seconds"))
    )


def _start_arguments(parser: Parser) -> None:
    _flag(parser, "--override", Sentence("help.start_override"))
    _option(parser, "--reason", Sentence("metavar.text"), Sentence("help.start_reason"))


def _start(arguments: Namespace) -> object:
    reason = {} if arguments.reason is None else {"reason": arguments.reason}
    return {"override": True} | reason if arguments.override else reason


def _arm(arguments: Namespace) -> object:
    body: dict[str, object] = {"rule_set": arguments.rule_set, "first_side": arguments.first_side}
    body["schedule"] = None if arguments.schedule is None else schedule(arguments.schedule)
    body["seats"] = None if arguments.seats is None else seats(arguments.seats)
    body["turn_seconds"] = arguments.turn_seconds
    body["rehearsal"] = True if arguments.rehearsal else None
    return {key: value for key, value in body.items() if value is not None}


def _undo_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--replace",
        nargs="+",
        metavar=(words(Sentence("metavar.name")), words(Sentence("metavar.body"))),
        help=words(Sentence("help.undo_replace")),
    )


def _undo(arguments: Namespace) -> object:
    if arguments.replace is None:
        return {}
    name, *body = arguments.replace
    if len(body) > 1:
        raise Stop(BAD_USAGE, Sentence("command.one_body"))
    replacement = {"name": name.replace("-", "_")}
    if not body:
        return {"replace": replacement}
    return {"replace": replacement | {"body": strict_json.decode(body[0].encode(errors="surrogateescape"))}}


def _claim_arguments(parser: Parser) -> None:
    _optional(parser, "board", Sentence("metavar.board"), Sentence("help.claim_board"))
    _optional(parser, "side", Sentence("metavar.side"), Sentence("help.claim_side"))
    _option(parser, "--press", Sentence("metavar.press"), Sentence("help.claim_press"))


def _claim(arguments: Namespace) -> object:
    if arguments.board is None and arguments.press is None:
        return {}
    if arguments.side is None:
        raise Stop(BAD_USAGE, Sentence("command.claim_needs_side", board=Sentence("metavar.board")))
    pressed = {} if arguments.press is None else {"press": arguments.press}
    return {"board": arguments.board, "side": arguments.side} | pressed


def _verdict_arguments(parser: Parser) -> None:
    _positional(parser, "claim", Sentence("metavar.claim"), Sentence("help.claim_id"))
    _positional(parser, "verdict", Sentence("metavar.verdict"), Sentence("help.verdict"))
    _option(parser, "--board", Sentence("metavar.board"), Sentence("help.verdict_board"))
    _option(parser, "--side", Sentence("metavar.side"), Sentence("help.verdict_side"))


def _verdict(arguments: Namespace) -> object:
    named = {"claim": arguments.claim, "board": arguments.board, "side": arguments.side}
    known = {name: value for name, value in named.items() if value is not None}
    if arguments.verdict in ("confirmed", "rejected"):
        return known | {"confirmed": arguments.verdict == "confirmed"}
    path = Path(arguments.verdict)
    try:
        return known | {"sheet": strict_json.decode(path.read_bytes().removeprefix(codecs.BOM_UTF8))}
    except OSError as error:
        raise Stop(BAD_USAGE, Sentence("command.no_verdict", path=str(path), why=why(error))) from error
    except Malformed as error:
        raise Stop(BAD_USAGE, Sentence("cli.about", name=str(path), told=error.sentence)) from error


def _end(arguments: Namespace) -> object:
    if not arguments.confirm:
        raise Stop(BAD_USAGE, Sentence("command.end_takes_two_steps"))
    return {"confirm": True}


def _close(arguments: Namespace) -> object:
    if not arguments.confirm:
        raise Stop(BAD_USAGE, Sentence("command.close_takes_two_steps"))
    return {"confirm": True}


def _say_arguments(parser: Parser) -> None:
    _positional(parser, "text", Sentence("metavar.text"), Sentence("help.say_text"))
    parser.add_argument("--seconds", type=number, metavar="S", help=words(Sentence("help.say_seconds")))
    _flag(parser, "--not-on-tables", Sentence("help.say_not_on_tables"))


def _say(arguments: Namespace) -> object:
    timed = {} if arguments.seconds is None else {"seconds": arguments.seconds}
    placed = {"tables": False} if arguments.not_on_tables else {}
    return {"text": arguments.text} | timed | placed


def _timer_arguments(parser: Parser) -> None:
    parser.add_argument("label", nargs="?", metavar=words(Sentence("metavar.label")))
    parser.add_argument("seconds", nargs="?", type=number, metavar=words(Sentence("metavar.seconds")))
    parser.add_argument("--stop", action="store_true", help=words(Sentence("help.timer_stop")))


def _timer(arguments: Namespace) -> object:
    if arguments.stop and arguments.label is None:
        return {"stop": True}
    if arguments.stop or arguments.seconds is None:
        label, seconds = Sentence("metavar.label"), Sentence("metavar.seconds")
        raise Stop(BAD_USAGE, Sentence("command.timer_takes", label=label, seconds=seconds))
    return {"label": arguments.label, "seconds": arguments.seconds}


def _identify_arguments(parser: Parser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--screen", metavar=words(Sentence("metavar.name")))
    which.add_argument("--board", metavar=words(Sentence("metavar.board")))


def _identify(arguments: Namespace) -> object:
    return {"board": arguments.board} if arguments.screen is None else {"screen": arguments.screen}


_BARE = _Form(lambda _: None, lambda _: {})

FORMS = {
    "arm": _Form(_arm_arguments, _arm),
    "contribute": _Form(
        lambda parser: _positional(parser, "text", Sentence("metavar.text"), Sentence("help.public_word")),
        lambda given: {"text": given.text},
    ),
    "start": _Form(_start_arguments, _start),
    "turn": _Form(
        lambda parser: _optional(parser, "seat", Sentence("metavar.side"), Sentence("help.turn_seat")),
        lambda given: {} if given.seat is None else {"seat": given.seat},
    ),
    "resume": _Form(
        lambda parser: _flag(parser, "--override", Sentence("help.resume_override")),
        lambda given: {"override": True} if given.override else {},
    ),
    "undo": _Form(_undo_arguments, _undo),
    "add-time": _Form(
        lambda parser: _whole(parser, "ms", Sentence("metavar.milliseconds"), Sentence("help.add_time")),
        lambda given: {"ms": given.ms},
    ),
    "set-schedule": _Form(
        lambda parser: _positional(parser, "steps", Sentence("metavar.steps"), Sentence("help.steps")),
        lambda given: schedule(given.steps),
    ),
    "set-claims": _Form(
        lambda parser: _positional(parser, "mode", Sentence("metavar.mode"), Sentence("help.claims_mode")),
        lambda given: {"mode": given.mode},
    ),
    "claim": _Form(_claim_arguments, _claim),
    "withdraw": _Form(
        lambda parser: _positional(parser, "claim", Sentence("metavar.claim"), Sentence("help.claim_id")),
        lambda given: {"claim": given.claim},
    ),
    "verdict": _Form(_verdict_arguments, _verdict),
    "last-rounds": _Form(
        lambda parser: _whole(parser, "count", Sentence("metavar.count"), Sentence("help.last_rounds")),
        lambda given: {"count": given.count},
    ),
    "end": _Form(lambda parser: _flag(parser, "--confirm", Sentence("help.end_confirm")), _end),
    "close": _Form(lambda parser: _flag(parser, "--confirm", Sentence("help.close_confirm")), _close),
    "say": _Form(_say_arguments, _say),
    "cover": _Form(
        lambda parser: _positional(parser, "kind", Sentence("metavar.kind"), Sentence("help.cover_kind")),
        lambda given: {"kind": given.kind},
    ),
    "timer": _Form(_timer_arguments, _timer),
    "identify": _Form(_identify_arguments, _identify),
}
"""What is not in here takes no arguments of its own."""


def _positional(parser: Parser, name: str, shown: Sentence, meaning: Sentence) -> None:
    parser.add_argument(name, metavar=words(shown), help=words(meaning))


def _optional(parser: Parser, name: str, shown: Sentence, meaning: Sentence) -> None:
    parser.add_argument(name, nargs="?", metavar=words(shown), help=words(meaning))


def _option(parser: Parser, flag: str, shown: Sentence, meaning: Sentence) -> None:
    parser.add_argument(flag, metavar=words(shown), help=words(meaning))


def _whole(parser: Parser, name: str, shown: Sentence, meaning: Sentence) -> None:
    parser.add_argument(name, type=whole_number, metavar=words(shown), help=words(meaning))


def _flag(parser: Parser, name: str, meaning: Sentence) -> None:
    parser.add_argument(name, action="store_true", help=words(meaning))
