"""The room picture as figures for `/metrics`. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from pi_controller.game.claims import ClaimStatus
from pi_controller.protocol.halls import LinkState, LinkView
from pi_controller.protocol.picture import HealthLevel, Picture
from pi_controller.vocabulary import PauseReason, Phase

Figures = dict[str, float | dict[str, float]]


def game_figures(picture: Picture) -> Figures:
    """Each name of a set has a line of its own, 1 where it holds: so a line never comes out of nothing."""
    claims = Counter(claim.status for claim in picture.claims)
    levels = Counter(item.level for item in picture.health.items)
    halls = {} if picture.link is None else _link_figures(picture.link)
    return halls | {
        "game_phase": _one_of("phase", get_args(Phase), (picture.phase,)),
        "game_round": picture.round,
        "game_side": _one_of("side", [seat.id for seat in picture.seats], (picture.side,)),
        "game_duration_seconds": picture.duration_ms / 1000,
        "game_remaining_seconds": picture.remaining_ms / 1000,
        "game_running": int(picture.running),
        "game_paused": int(picture.paused),
        "game_pause_reason": _one_of("reason", get_args(PauseReason), picture.pause_reasons),
        "game_claims": {f'status="{status}"': claims[status] for status in get_args(ClaimStatus)},
        "game_unsaved_changes": picture.seq - picture.saved_seq,
        "health": {f'level="{level}"': levels[level] for level in get_args(HealthLevel)},
        "trouble": {f'key="{item.key}",level="{item.level}"': 1 for item in picture.health.items},
    }


def _link_figures(link: LinkView) -> Figures:
    """How this controller stands to those of other halls; of a leader also which of them are there."""
    return {
        "link_state": _one_of("state", get_args(LinkState), (link.state,)),
        "link_term": link.term,
        "hall_online": {f'hall="{hall.hall}"': int(hall.online) for hall in link.halls},
        "hall_boards": {f'hall="{hall.hall}"': hall.boards for hall in link.halls},
    }


def _one_of(label: str, names: Sequence[str], held: Sequence[str | None]) -> dict[str, float]:
    return {f'{label}="{name}"': int(name in held) for name in names}
