"""The room picture: everything that lamps, tables and screens show, derived from the game and the moment."""

from typing import Any

from pi_controller.game.claims import ClaimRecord
from pi_controller.game.game import Game, not_allowed
from pi_controller.game.rule_sets import NS_PER_MS
from pi_controller.game.state import Counting, Frozen, Running, Shown, State


def room(game: Game, now_ns: int) -> dict[str, Any]:
    """The game's part of the picture at this moment of game time.

    Message and timer moments are milliseconds from now (`until_ms`, null without an end); core turns them
    into its own clock. Remaining times are rounded up: 0 is shown only when nothing is left.
    """
    state = game.state
    return {
        "game_id": game.game_id,
        "rule_set": game.rules.name,
        "phase": state.phase,
        **_clock(state, now_ns),
        "round": state.round,
        "side": state.side,
        "next_side": None if state.phase == "ended" else state.due_side,
        **_seats(game),
        **_roll(state),
        "target_points": game.rules.target_points,
        "last_round": state.last_round,
        "schedule": [{"from_round": step.from_round, "seconds": step.seconds} for step in state.schedule],
        "claims_mode": state.claims_mode,
        "claims": [_claim(claim) for claim in state.claims],
        "winners": [_winner(claim) for claim in state.claims if claim.id in state.winners],
        "decided_by": state.decided_by,
        "history": [_shown(shown) for shown in state.history],
        "notices": notices(game),
        "allowed": not_allowed(game),
        **_announcements(state, now_ns),
        "commitment": game.dice.commitment,
        "public_word": state.word,
        "seed": game.dice.seed.hex() if state.phase == "ended" else None,
    }


def notices(game: Game) -> list[str]:
    """Keys of the standing notices. `robber_possible` stands from the last round without a 7 through the next
    (rule C8); `seed_published` warns that a reopened game's rolls can be computed by anybody.
    """
    state, quiet = game.state, game.rules.rounds_without_seven
    keys = []
    if (state.phase, state.round) in (("robber", quiet), ("round", quiet + 1)):
        keys.append("robber_possible")
    if game.was_ended and state.phase != "ended":
        keys.append("seed_published")
    return keys


def _clock(state: State, now_ns: int) -> dict[str, Any]:
    clock = state.clock
    return {
        "paused": isinstance(clock, (Frozen, Counting)),
        "pause_reasons": list(clock.reasons) if isinstance(clock, Frozen) else [],
        "running": isinstance(clock, Running),
        "resume_in_ms": _ms(max(0, clock.go_ns - now_ns)) if isinstance(clock, Counting) else None,
        "duration_ms": _ms(state.duration_ns) if state.in_play else 0,
        "remaining_ms": _ms(state.remaining_ns(now_ns)),
    }


def _seats(game: Game) -> dict[str, Any]:
    """Who there is, and who acts now and next, by index."""
    state, seats = game.state, game.rules.seats
    acting, following = state.side, None if state.phase == "ended" else state.due_side
    return {
        "seats": [
            {"id": seat, "name": sign.name, "sign": sign.symbol, "colour": sign.colour}
            for seat, sign in game.rules.sides
        ],
        "seat": None if acting is None else seats.index(acting),
        "next_seat": None if following is None else seats.index(following),
    }


def _roll(state: State) -> dict[str, Any]:
    roll = state.roll if state.in_play else None
    return {
        "dice": list(roll.dice) if roll else None,
        "sum": sum(roll.dice) if roll else None,
        "robber_target": roll.robber_target if roll else None,
        "robber_dice": list(roll.robber_dice) if roll and roll.robber_dice else None,
    }


def _claim(claim: ClaimRecord) -> dict[str, Any]:
    return {
        "id": claim.id,
        "board": claim.board,
        "side": claim.side,
        "round": claim.round,
        "pressed_ms_before_end": _ms(claim.before_end_ns),
        "on_active_side": claim.on_active_side,
        "status": claim.status,
        "points": claim.points,
        "count": claim.count,
    }


def _winner(claim: ClaimRecord) -> dict[str, Any]:
    return {"claim": claim.id, "board": claim.board, "side": claim.side, "points": claim.points}


def _shown(shown: Shown) -> dict[str, Any]:
    return {
        "kind": shown.phase,
        "round": shown.round,
        "side": shown.side,
        "dice": list(shown.dice),
        "sum": sum(shown.dice),
        "robber_target": shown.robber_target,
    }


def _announcements(state: State, now_ns: int) -> dict[str, Any]:
    message, timer = state.message, state.timer
    live = message and (message.until_ns is None or message.until_ns > now_ns)
    return {
        "message": {
            "text": message.text,
            "until_ms": None if message.until_ns is None else _ms(message.until_ns - now_ns),
        }
        if message and live
        else None,
        "timer": {
            "label": timer.label,
            "remaining_ms": _ms(max(0, timer.deadline_ns - now_ns)),
            "running": timer.deadline_ns > now_ns,
        }
        if timer
        else None,
    }


def _ms(ns: int) -> int:
    return -(-ns // NS_PER_MS)
