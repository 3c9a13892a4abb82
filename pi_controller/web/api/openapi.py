"""What programs read of this controller: the description of the interface, and its figures for Prometheus."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import msgspec
from aiohttp import web
from msgspec import Struct

from pi_controller.game.claims import ClaimStatus
from pi_controller.hal.system.facts import process_figures
from pi_controller.hal.system.logs import figures
from pi_controller.protocol.commands import BODIES, COUNTING
from pi_controller.protocol.picture import HealthLevel, LinkState, LinkView, Picture
from pi_controller.protocol.question import VERSION
from pi_controller.protocol.schema import portable, schemas
from pi_controller.protocol.sentences import SentenceView
from pi_controller.vocabulary import PauseReason, Phase
from pi_controller.web.api.game import LONGEST_KEY, Answered
from pi_controller.web.http.limits import DefectCounter, Misbehaviour
from pi_controller.web.http.routes import (
    BODY_LIMIT,
    COMMAND_PATH,
    DECLARED,
    LET_IN,
    PLACE,
    ROLES,
    Access,
    ChangeView,
    Route,
    get,
    routes_of,
)
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.live.core_link import CoreLink

# The description, made from the routes, their types and the control schema.

REFERENCE = "#/components/schemas/{name}"
Schema = dict[str, object]

MEANINGS = {
    101: "The socket is open",
    200: "Done",
    303: "See the address in Location",
    304: "Unchanged",
    400: "Not a request that is understood",
    401: "A log-in is needed",
    403: "Not allowed: other role, other site, link used up, or wrong PIN",
    404: "Not there",
    405: "Another method is needed",
    408: "The body did not arrive in time",
    409: "Refused; the reasons are sentences, and nothing was changed",
    413: f"The body is larger than {BODY_LIMIT} bytes",
    415: "The body is not plain JSON",
    421: "The Host header does not name this controller",
    422: "Malformed",
    426: "This address is a WebSocket",
    429: "Too many wrong tokens or PINs",
    503: "Core is not there, or all places are taken",
    507: "Done and shown, but not saved: the disk does not take it; `done` is true",
}

LOGGED_IN: list[dict[str, list[str]]] = [{"session": []}, {"bearer": []}]
FREE: dict[Access, list[dict[str, list[str]]]] = {"public": [], "here": [{}, *LOGGED_IN]}
"""`here`: without anything at the controller itself only. All else needs a log-in of one of `x-roles`."""


class Refused(Struct):
    """Why a request was not served."""

    error: str
    reason_keys: list[SentenceView]


class Description(Struct):
    """This document."""

    openapi: str
    info: Mapping[str, Any]
    paths: Mapping[str, Any]


def web_schemas(without: Collection[object] = ()) -> tuple[list[object], list[Schema], Schema]:
    """The types of bodies and answers of all routes that were loaded but `without` these, the schema of each,
    and the components that these refer to."""
    types: list[object] = [Refused, ChangeView, Answered]
    for row in DECLARED.values():
        types += [one for one in (row.body, row.answer) if one is not None and one not in (*types, *without)]
    found, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    return types, portable(list(found)), portable(dict(sorted(components.items())))


class OpenApi:
    """The description of these routes and of its own, made once somebody asks for it."""

    def __init__(self, rows: tuple[Route, ...], cookie: str) -> None:
        """`cookie`: the name of the session cookie here."""
        self.rows = (*rows, *routes_of(self))
        self._cookie = cookie
        self._document: Schema = {}

    @get("/api/openapi.json", "public", answer=Description)
    async def document(self, _request: web.Request) -> Schema:
        """This description."""
        if not self._document:
            self._document = self._made()
        return self._document

    def _made(self) -> Schema:
        """OpenAPI 3.1; each command is a path of its own, with its own body."""
        commands, shared = schemas(REFERENCE)
        types, found, components = web_schemas()
        paths: dict[str, Schema] = {}
        for row in self.rows:
            if row.path == COMMAND_PATH:
                for name in BODIES:
                    described = _operation(row, types, found, name) | _command(name)
                    paths[row.path.replace("{name}", name)] = {"post": described}
            else:
                paths.setdefault(row.pattern, {})[row.method.lower()] = _operation(row, types, found)
        return {
            "openapi": "3.1.0",
            "info": {
                "title": "pi-controller",
                "version": f"{VERSION}.0",
                "license": {"name": "Apache-2.0"},
            },
            "paths": paths,
            "components": {
                "schemas": shared | components | commands,
                "securitySchemes": {
                    "session": {"type": "apiKey", "in": "cookie", "name": self._cookie},
                    "bearer": {"type": "http", "scheme": "bearer"},
                },
            },
        }


def statuses(row: Route) -> list[int]:
    """Those that follow from what the route is, and those that it names itself."""
    found = {row.good, *row.also}
    if row.access != "public":
        found |= {303 if row.kind == "page" else 401, 403, 429}
    if row.changes:
        found |= {403, 413, 415} if row.method == "POST" else {403, 426, 503}
    if row.body is not None:
        found |= {408, 422}
    if row.only_simulated:
        found.add(404)
    return sorted(found)


def _operation(row: Route, types: list[object], found: list[Schema], name: str = "") -> Schema:
    def content(kind: object) -> Schema:
        return {"application/json": {"schema": found[types.index(kind)]}}

    def response(status: int) -> Schema:
        described: Schema = {"description": MEANINGS[status]}
        if row.path == COMMAND_PATH:
            return described | {"content": content(Answered)}
        if status >= 400:
            return described | {"content": content(ChangeView if status == 409 else Refused)}
        if status != 200:
            return described
        return described | {"content": {row.media_type: {}} if row.answer is None else content(row.answer)}

    access = row.named.get(name, row.access)
    operation: Schema = {
        "summary": row.summary,
        "security": FREE.get(access, LOGGED_IN),
        "responses": {str(status): response(status) for status in statuses(row)},
    }
    if access != "public":
        operation["x-roles"] = [role for role in ROLES if role in LET_IN[access]]
    places = PLACE.findall(row.path)
    if places:
        operation["parameters"] = [
            {"name": place, "in": "path", "required": True, "schema": {"type": "string"}} for place in places
        ]
    if row.body is not None:
        operation["requestBody"] = {"required": False, "content": content(row.body)}
    return operation


def _command(name: str) -> Schema:
    """What is a command's own: its name, its headers, its body."""
    counting = COUNTING[name]
    what = ", ".join(counting) or "no fields"
    headers: tuple[tuple[str, str, Schema, Schema], ...] = (
        (
            "Idempotency-Key",
            "A repeat with the same key gets the first answer, also after a restart.",
            {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
            {},
        ),
        (
            "If-Seq",
            f"The picture's `seq` that the sender saw. Here {what} count: 409 when one has changed since.",
            {"type": "integer", "minimum": 0},
            {"x-counting-fields": list(counting)},
        ),
        (
            "If-Session",
            "The `session` of that picture: refused (409) when core has been started again since.",
            {"type": "string"},
            {},
        ),
    )
    return {
        "operationId": name,
        "parameters": [
            {"name": title, "in": "header", "required": False, "description": meaning, "schema": schema}
            | more
            for title, meaning, schema, more in headers
        ],
        "requestBody": {
            "required": name == "set_schedule",
            "content": {"application/json": {"schema": {"$ref": REFERENCE.format(name=f"commands.{name}")}}},
        },
    }


# `GET /metrics`: core's figures, those of the game and the web side's own, as Prometheus text.

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


@dataclass(frozen=True)
class MetricsApi:
    link: CoreLink
    broadcasters: Mapping[str, Broadcaster]
    """By the name of their feed."""
    defects: DefectCounter
    misbehaviour: Misbehaviour

    @get("/metrics", "public", also=(503,), kind="text", media_type="text/plain")
    async def text(self, _request: web.Request) -> web.StreamResponse:
        """Figures as Prometheus text."""
        core, picture = await self.link.metrics()
        parts = (core, game_figures(picture), self._own(), process_figures("web"), figures("web"))
        lines = "".join(exposition(together(*parts)))
        return web.Response(
            body=lines.encode(), headers={"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"}
        )

    def _own(self) -> Figures:
        feeds = {f'feed="{name}"': broadcaster for name, broadcaster in self.broadcasters.items()}
        return {
            "web_defects": self.defects.count,
            "web_clients": {name: len(broadcaster) for name, broadcaster in feeds.items()},
            "web_clients_cut_total": {name: broadcaster.cut for name, broadcaster in feeds.items()},
            "web_misbehaviour_total": {
                f'kind="{kind}"': count for kind, count in sorted(self.misbehaviour.counted.items())
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
