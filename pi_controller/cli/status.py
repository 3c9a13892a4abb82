"""`pi-controller status`: the room picture for people, or as it is."""

import json
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import get_args

from msgspec import to_builtins

from pi_controller.cli.ask import all_told, core_of
from pi_controller.cli.usage import command, flag
from pi_controller.game.claims import ClaimStatus
from pi_controller.game.commands import PREPARED_LINES
from pi_controller.game.room import ClaimView, WinnerView
from pi_controller.game.rule_sets import DecidedBy
from pi_controller.language.words import words
from pi_controller.protocol.messages import AskPicture
from pi_controller.protocol.picture import LinkRole, LinkState, Picture, seat_said
from pi_controller.sentence import Sentence, as_told, separated
from pi_controller.software import Software
from pi_controller.vocabulary import PauseReason, RolledPhase

DECISIONS: Mapping[DecidedBy, Sentence] = {
    "points": Sentence("status.by_points"),
    "resources": Sentence("status.by_resources"),
    "grain": Sentence("status.by_grain"),
    "ore": Sentence("status.by_ore"),
    "brick": Sentence("status.by_brick"),
    "lumber": Sentence("status.by_lumber"),
    "wool": Sentence("status.by_wool"),
    "shared": Sentence("status.victory_is_shared"),
    "ranking": Sentence("status.by_ranking"),
}
CLAIMS: Mapping[ClaimStatus, Sentence] = {
    "open": Sentence("status.claim_open"),
    "withdrawn": Sentence("status.claim_withdrawn"),
    "rejected": Sentence("status.claim_rejected"),
    "confirmed": Sentence("status.claim_confirmed"),
}
PAUSES: Mapping[PauseReason, Sentence] = {
    "button": Sentence("status.paused_by_button"),
    "claim": Sentence("status.paused_by_claim"),
    "director": Sentence("status.paused_by_director"),
    "fault": Sentence("status.paused_by_fault"),
    "recovery": Sentence("status.paused_by_recovery"),
}
LEVELS: Mapping[str, Sentence] = {
    "ok": Sentence("status.health_ok"),
    "warning": Sentence("status.health_warning"),
    "fault": Sentence("status.health_fault"),
}
NOTICES: Mapping[str, Sentence] = {
    "robber_possible": Sentence("status.robber_possible"),
    "seed_published": Sentence("status.seed_published"),
}
COVERS: Mapping[str, Sentence] = {
    "black": Sentence("page.cover_now_black"),
    "test": Sentence("page.cover_now_test"),
}
ROLES: Mapping[LinkRole, Sentence] = {
    "leader": Sentence("page.link_role_leader"),
    "follower": Sentence("page.link_role_follower"),
}
LINKS: Mapping[LinkState, Sentence] = {
    "no_broker": Sentence("page.link_state_no_broker"),
    "leading": Sentence("page.link_state_leading"),
    "refused": Sentence("page.link_state_refused"),
    "divided": Sentence("page.link_state_divided"),
    "looking": Sentence("page.link_state_looking"),
    "following": Sentence("page.link_state_following"),
    "lost": Sentence("page.link_state_lost"),
}
LABELS = {
    "start": Sentence("status.label_start"),
    "time": Sentence("status.label_time"),
    "paused": Sentence("status.label_paused"),
    "begins": Sentence("status.label_begins"),
    "next": Sentence("status.label_next"),
    "last": Sentence("status.label_last"),
    "speed": Sentence("status.label_speed"),
    "notice": Sentence("status.label_notice"),
    "ranking": Sentence("status.label_ranking"),
    "message": Sentence("status.label_message"),
    "screens": Sentence("status.label_screens"),
    "timer": Sentence("status.label_timer"),
    "claim": Sentence("status.label_claim"),
    "winner": Sentence("status.label_winner"),
    "decided": Sentence("status.label_decided"),
    "halls": Sentence("status.label_halls"),
    "health": Sentence("status.label_health"),
    "journal": Sentence("status.label_journal"),
    "version": Sentence("status.label_version"),
    "": as_told(""),
}
"""What a line is about; the last one goes on with the line before."""


@command("status", flag("--json", Sentence("help.status_json")))
def status(arguments: Namespace) -> None:
    """The room picture, with the software that made it."""
    answer = core_of(arguments).ask(AskPicture())
    picture, software = answer.picture, answer.software
    if arguments.json:
        print(json.dumps(to_builtins(picture) | {"software": to_builtins(software)}, ensure_ascii=False))
    else:
        print(describe(picture, software))


def describe(picture: Picture, software: Software) -> str:
    """The picture in a few lines, the most urgent first; the last one is of the software that made it."""
    labels = {name: words(label) for name, label in LABELS.items()}
    width = max(map(len, labels.values())) + 2
    parts = (_clock, _standing, _claims, _result, _halls, _upkeep)
    lines = [*(line for part in parts for line in part(picture)), ("version", _version(software))]
    below = [f"{labels[label]:{width}}{words(told)}" for label, told in lines]
    return "\n".join([words(_headline(picture)), *below])


def clock_face(milliseconds: int) -> Sentence:
    """Minutes, seconds and tenths, cut and not rounded: 0:00.0 means that the time is up."""
    minutes, tenths = divmod(milliseconds // 100, 600)
    return Sentence("status.clock_face", minutes=minutes, seconds=tenths / 10)


def _side(picture: Picture, seat: str | None) -> Sentence:
    return Sentence("status.nobody") if seat is None else seat_said(picture, seat)


def _headline(picture: Picture) -> Sentence:
    phase, number = picture.phase, picture.round
    if phase == "ready":
        if "by_lot" in picture.notices and picture.next_side is None:
            return Sentence("status.ready_by_lot", rule_set=picture.rule_set)
        begins = _side(picture, picture.next_side)
        return Sentence("status.ready", rule_set=picture.rule_set, side=begins)
    if phase == "ended" and picture.rules.play == "turns":
        return Sentence("status.ended_in_turn", turn=number)
    if phase == "ended":
        return Sentence("status.ended", round=number)
    if phase == "collecting":
        return Sentence("status.collecting", count=len(picture.ranking))
    if phase == "robber":
        return _robber(picture)
    side = _side(picture, picture.side)
    if phase == "round":
        return _rolled(picture, Sentence("status.round", round=number, side=side))
    turn = picture.turn
    if phase == "founding" and turn is not None:
        return Sentence("status.founding", round=turn.placed + 1, player=side)
    return _rolled(picture, Sentence("status.turn", round=number, player=side))


def _rolled(picture: Picture, told: Sentence) -> Sentence:
    if picture.dice is None:
        return told
    first, second = picture.dice
    return Sentence("status.rolled", what=told, first=first, second=second, sum=first + second)


def _robber(picture: Picture) -> Sentence:
    target = (
        Sentence("status.desert")
        if picture.robber_target == "desert"
        else as_told(str(picture.robber_target))
    )
    after = _rolled(picture, Sentence("status.robber", round=picture.round))
    return Sentence("status.robber_moves", robber=after, target=target)


def _clock(picture: Picture) -> Iterator[tuple[str, Sentence]]:
    against = picture.allowed["start"] if picture.phase == "ready" else None
    if against is not None and not picture.paused:
        for why in all_told(against.reasons, against.keys):
            yield "start", Sentence("status.not_now", why=why)
    if picture.phase not in ("ready", "collecting", "ended"):
        yield "time", _time(picture)
    if picture.paused:
        reasons = [PAUSES[reason] for reason in picture.pause_reasons]
        yield "paused", separated(reasons) if reasons else Sentence("status.reasons_cleared")
    if picture.resume_in_ms is not None:
        yield "begins", Sentence("status.begins_in", time=clock_face(picture.resume_in_ms))
    if picture.phase in get_args(RolledPhase) and picture.next_side is not None:
        yield "next", _side(picture, picture.next_side)
    if picture.last_round is not None:
        yield "last", Sentence("status.last_round", round=picture.last_round)
    if picture.rate != 1:
        yield "speed", Sentence("status.times_as_fast", rate=picture.rate)


def _time(picture: Picture) -> Sentence:
    if picture.turn is not None and not picture.turn.timed:
        return Sentence("status.time_so_far", time=clock_face(picture.turn.elapsed_ms))
    left, whole = clock_face(picture.remaining_ms), clock_face(picture.duration_ms)
    if picture.running:
        return Sentence("status.time_running", left=left, whole=whole)
    return Sentence("status.time_stands_still", left=left, whole=whole)


def _standing(picture: Picture) -> Iterator[tuple[str, Sentence]]:
    for notice in picture.notices:
        if notice == "by_lot":
            continue  # the headline says it
        yield "notice", NOTICES.get(notice) or as_told(notice)
    if picture.message is not None:
        line = picture.message.line
        yield "message", as_told(picture.message.text) if line is None else PREPARED_LINES[line]
    if picture.cover != "none":
        yield "screens", COVERS[picture.cover]
    timer = picture.timer
    if timer is not None:
        name = as_told(timer.label) if timer.label else Sentence("status.timer_without_name")
        left = clock_face(timer.remaining_ms)
        if timer.running:
            yield "timer", Sentence("status.timer_running", name=name, left=left)
        else:
            yield "timer", Sentence("status.timer_stopped", name=name, left=left)


def _place(picture: Picture, entry: ClaimView | WinnerView) -> Sentence:
    if entry.side is not None and picture.rules.play == "turns":
        return seat_said(picture, entry.side)
    if entry.board is None:
        return Sentence("status.big_button")
    if entry.side is None:
        return Sentence("status.board", board=entry.board)
    return Sentence("status.board_and_side", board=entry.board, side=_side(picture, entry.side))


def _with_points(picture: Picture, winner: WinnerView) -> Sentence:
    place = _place(picture, winner)
    if winner.points is None:
        return place
    return Sentence("status.winner_with_points", place=place, count=winner.points)


def _claims(picture: Picture) -> Iterator[tuple[str, Sentence]]:
    for claim in picture.claims:
        state = CLAIMS[claim.status]
        if claim.points is not None:
            state = Sentence("status.claim_with_points", status=state, count=claim.points)
        yield "claim", _claim(picture, claim, state)


def _claim(picture: Picture, claim: ClaimView, state: Sentence) -> Sentence:
    place, number = _place(picture, claim), claim.round
    if picture.rules.play == "turns":
        return Sentence("status.claim_in_turn", claim=claim.id, place=place, status=state, turn=number)
    own = Sentence("status.side_active") if claim.on_active_side else Sentence("status.side_not_active")
    return Sentence(
        "status.claim",
        claim=claim.id,
        place=place,
        status=state,
        round=number,
        before=clock_face(claim.pressed_ms_before_end),
        side=own,
    )


def _result(picture: Picture) -> Iterator[tuple[str, Sentence]]:
    for ranked in picture.ranking if picture.phase == "collecting" else ():
        who, step = _with_points(picture, ranked), ranked.decided_by
        by = Sentence("status.equal") if step == "shared" else DECISIONS[step]
        yield "ranking", Sentence("status.ranked", place=ranked.place, who=who, by=by)
    for winner in picture.winners:
        yield "winner", _with_points(picture, winner)
    if picture.decided_by is not None:
        yield "decided", DECISIONS[picture.decided_by]


def _halls(picture: Picture) -> Iterator[tuple[str, Sentence]]:
    link = picture.link
    if link is None:
        return
    yield "halls", Sentence("status.link", hall=link.hall, role=ROLES[link.role], state=LINKS[link.state])
    if link.role == "follower":
        if link.leader is not None:
            yield "", Sentence("page.link_directed", hall=link.leader)
        if link.stopped:
            yield "", Sentence("page.link_stopped")
        if link.error_ms is not None:
            yield "", Sentence("status.link_clock", ms=link.error_ms)
        if link.waiting:
            yield "", Sentence("page.link_waiting_count", count=link.waiting)
    for one in link.halls:
        state = Sentence("page.hall_online") if one.online else Sentence("status.hall_not_heard")
        boards = Sentence("page.hall_boards", count=one.boards)
        software = f"{one.software} {one.source}".strip() or "–"
        yield "", Sentence("status.hall", hall=one.hall, state=state, boards=boards, software=software)


def _upkeep(picture: Picture) -> Iterator[tuple[str, Sentence]]:
    health, game = picture.health, picture.game_id
    yield "health", LEVELS[health.level]
    for told in all_told(health.messages, health.items):
        yield "", told
    if picture.saved_seq >= picture.seq:
        yield "journal", Sentence("status.all_saved", game=game)
    else:
        yield "journal", Sentence("status.not_saved_yet", game=game)


def _version(software: Software) -> Sentence:
    return Sentence("status.software", version=software.version, source=software.source or "–")
