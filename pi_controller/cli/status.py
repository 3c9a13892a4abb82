"""`pi-controller status`: the room picture for people, or as it is."""

import json
from collections.abc import Iterator
from typing import get_args

from msgspec import to_builtins

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import ACCEPTED, add_state_dir, parser_for
from pi_controller.game.room import ClaimView, WinnerView
from pi_controller.protocol.picture import Picture
from pi_controller.vocabulary import RolledPhase

DECISIONS = {
    "points": "by points",
    "shared": "an equal claim on every count: the victory is shared",
    "ranking": "by the ranking after the last round",
}
NOTICES = {"robber_possible": "robber possible", "seed_published": "seed published"}
PLAYERS_PHASES = {"founding": "Founding", "turn": "Turn"}
"""In which a single player acts."""


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument("--json", action="store_true", help="the room picture as the API has it")
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    with core_of(arguments) as core:
        picture = core.picture()
    print(json.dumps(to_builtins(picture), ensure_ascii=False) if arguments.json else describe(picture))
    return ACCEPTED


def describe(picture: Picture) -> str:
    """The picture in a few lines, the most urgent first."""
    lines = [_headline(picture), *_clock(picture), *_standing(picture), *_claims(picture), *_result(picture)]
    return "\n".join([*lines, *_upkeep(picture)])


def clock_face(milliseconds: int) -> str:
    """Minutes, seconds and tenths, cut and not rounded: 0:00.0 means that the time is up."""
    tenths = milliseconds // 100
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"


def _side(picture: Picture, seat: str | None) -> str:
    names = {one.id: one.name for one in picture.seats}
    return "nobody" if seat is None else names.get(seat, seat)


def _roll(picture: Picture) -> str:
    if picture.dice is None:
        return ""
    first, second = picture.dice
    return f", dice {first} + {second} = {picture.sum}"


def _headline(picture: Picture) -> str:
    phase, number = picture.phase, picture.round
    if phase == "round":
        return f"Round {number}: {_side(picture, picture.side)} is active{_roll(picture)}"
    if phase == "robber":
        return f"Robber after round {number}{_roll(picture)}: move to {picture.robber_target}"
    if phase == "ready":
        return f"Ready to start a {picture.rule_set} game; {_side(picture, picture.next_side)} begins"
    if phase == "ended":
        return f"The game has ended in round {number}"
    return f"{PLAYERS_PHASES[phase]} {number}: {_side(picture, picture.side)}{_roll(picture)}"


def _clock(picture: Picture) -> Iterator[str]:
    against = picture.allowed["start"] if picture.phase == "ready" else None
    if against is not None and not picture.paused:
        yield from (f"Start    not now: {reason}" for reason in against.reasons)
    if picture.phase not in ("ready", "ended"):
        state = "running" if picture.running else "standing still"
        face = f"{clock_face(picture.remaining_ms)} of {clock_face(picture.duration_ms)}"
        yield f"Time     {face} left, {state}"
    if picture.paused:
        yield f"Paused   {', '.join(picture.pause_reasons) or 'all reasons are cleared'}"
    if picture.resume_in_ms is not None:
        yield f"Begins   in {clock_face(picture.resume_in_ms)}"
    if picture.phase in get_args(RolledPhase) and picture.next_side is not None:
        yield f"Next     {_side(picture, picture.next_side)}"
    if picture.last_round is not None:
        yield f"Last     round {picture.last_round}"
    if picture.rate != 1:
        yield f"Speed    {picture.rate:g} times as fast (simulation)"


def _standing(picture: Picture) -> Iterator[str]:
    for notice in picture.notices:
        yield f"Notice   {NOTICES.get(notice, notice)}"
    if picture.message is not None:
        yield f"Message  {picture.message.text}"
    timer = picture.timer
    if timer is not None:
        stopped = "" if timer.running else ", stopped"
        yield f"Timer    {timer.label or 'without a name'}: {clock_face(timer.remaining_ms)}{stopped}"


def _place(picture: Picture, entry: ClaimView | WinnerView) -> str:
    if entry.board is None:
        return "the big button"
    return f"board {entry.board}" + ("" if entry.side is None else f", {_side(picture, entry.side)}")


def _claims(picture: Picture) -> Iterator[str]:
    for claim in picture.claims:
        turn = "own side active" if claim.on_active_side else "own side not active"
        pressed = f"round {claim.round}, {clock_face(claim.pressed_ms_before_end)} before its end"
        points = "" if claim.points is None else f", {claim.points} points"
        place = _place(picture, claim)
        yield f"Claim    {claim.id} at {place}: {claim.status}{points} ({pressed}, {turn})"


def _result(picture: Picture) -> Iterator[str]:
    for winner in picture.winners:
        points = "" if winner.points is None else f" with {winner.points} points"
        yield f"Winner   {_place(picture, winner)}{points}"
    decided_by = picture.decided_by
    if decided_by is not None:
        yield f"Decided  {DECISIONS.get(decided_by, f'by {decided_by}')}"


def _upkeep(picture: Picture) -> Iterator[str]:
    level, messages = picture.health.level, picture.health.messages
    yield f"Health   {level}"
    for message in messages:
        yield f"         {message}"
    saved = (
        "everything is saved" if picture.saved_seq >= picture.seq else "the newest change is not saved yet"
    )
    yield f"Journal  {saved}, game {picture.game_id}"
