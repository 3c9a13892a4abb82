"""`GET /metrics`: core's figures, those of the game and the web side's own, as Prometheus text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from aiohttp import web

from pi_controller.game.claims import ClaimStatus
from pi_controller.hal.system.facts import process_figures
from pi_controller.hal.system.logs import figures
from pi_controller.protocol.picture import HealthLevel, LinkState, LinkView, Picture
from pi_controller.vocabulary import PauseReason, Phase
from pi_controller.web.http.limits import Defects, Misbehaviour
from pi_controller.web.http.routes import Route, get
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.core_link import CoreLink

# The room picture as figures for `/metrics`. Pure.


GameFigures = dict[str, float | dict[str, float]]


def game_figures(picture: Picture) -> GameFigures:
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


def _link_figures(link: LinkView) -> GameFigures:
    """How this controller stands to those of other halls; of a leader also which of them are there."""
    return {
        "link_state": _one_of("state", get_args(LinkState), (link.state,)),
        "link_term": link.term,
        "hall_online": {f'hall="{hall.hall}"': int(hall.online) for hall in link.halls},
        "hall_boards": {f'hall="{hall.hall}"': hall.boards for hall in link.halls},
    }


def _one_of(label: str, names: Sequence[str], held: Sequence[str | None]) -> dict[str, float]:
    return {f'{label}="{name}"': int(name in held) for name in names}


NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "pi_controller_"

Figures = Mapping[str, float | Mapping[str, float]]


class MetricsApi:
    def __init__(
        self,
        link: CoreLink,
        broadcasters: Mapping[str, Broadcaster],
        defects: Defects,
        misbehaviour: Misbehaviour,
    ) -> None:
        """`broadcasters` by the name of their feed."""
        self._link = link
        self._broadcasters = broadcasters
        self._defects = defects
        self._misbehaviour = misbehaviour

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/metrics",
                handler=self.text,
                access="public",
                kind="text",
                summary="Figures as Prometheus text",
                answers=(200, 503),
                media_type="text/plain",
            ),
        )

    async def text(self, _request: web.Request) -> web.StreamResponse:
        core, picture = await self._link.metrics()
        parts = (core, game_figures(picture), self._own(), process_figures("web"), figures("web"))
        lines = "".join(exposition(together(*parts)))
        return web.Response(
            body=lines.encode(), headers={"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"}
        )

    def _own(self) -> Figures:
        feeds = {f'feed="{name}"': broadcaster for name, broadcaster in self._broadcasters.items()}
        return {
            "web_defects": self._defects.count,
            "web_clients": {name: len(broadcaster) for name, broadcaster in feeds.items()},
            "web_clients_cut_total": {name: broadcaster.cut for name, broadcaster in feeds.items()},
            "web_misbehaviour_total": {
                f'kind="{kind}"': count for kind, count in sorted(self._misbehaviour.counted.items())
            },
        }


def together(*parts: Figures) -> Figures:
    """One family of a name, whoever has lines of it: Prometheus reads a family in one piece."""
    whole: dict[str, float | Mapping[str, float]] = {}
    for part in parts:
        for name, value in part.items():
            before = whole.get(name)
            if isinstance(before, Mapping) and isinstance(value, Mapping):
                whole[name] = {**before, **value}
            else:
                whole[name] = value
    return whole


def exposition(figures: Figures) -> Iterator[str]:
    """One line for each figure; a name that Prometheus does not take is a ValueError.

    In a family a text such as `segment="1"` is a label, `le="0.01"` a histogram's bucket, and a plain word
    such as `count` the end of a name.
    """
    for name, value in figures.items():
        full = _checked(name if name.startswith(PREFIX) else PREFIX + name)
        if not isinstance(value, Mapping):
            yield f"{full} {value!r}\n"
            continue
        if any(label.startswith("le=") for label in value):
            yield f"# TYPE {full} histogram\n"
        for label, number in value.items():
            yield f"{_series(full, label)} {number!r}\n"


def _series(name: str, label: str) -> str:
    if not label:
        return name
    if "=" not in label:
        return _checked(f"{name}_{label}")
    return f"{name}_bucket{{{label}}}" if label.startswith("le=") else f"{name}{{{label}}}"


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a metric name")
    return name
