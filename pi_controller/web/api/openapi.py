"""`GET /api/openapi.json`: the description of the interface, made from route table and control schema."""

from typing import get_args

import msgspec
from aiohttp import web

from pi_controller.bus.values import UID_PATTERN
from pi_controller.hal.names import ContactName, LampName, Loudspeaker
from pi_controller.protocol.commands import BODIES, COUNTING
from pi_controller.protocol.messages import CopyDeed, StickView
from pi_controller.protocol.picture import LONGEST_MUTE_MIN, VERSION
from pi_controller.protocol.schema import schemas
from pi_controller.vocabulary import SIDES
from pi_controller.web.api.game import (
    LONGEST_KEY,
    HandOverBody,
    NoteBody,
    SettleBody,
    TakeOverBody,
    WhichNoteBody,
)
from pi_controller.web.api.games import StickBody
from pi_controller.web.api.screens import (
    LinkBody,
    LinksView,
    NewLinkView,
    RevokeBody,
    ScreenBody,
    ScreensView,
)
from pi_controller.web.api.seats import DraftBody, Drafts
from pi_controller.web.api.selftest import AnswerBody, BeginBody, FixBody, ReportsView, SelftestSnapshot
from pi_controller.web.http.bodies import BODY_LIMIT, json_answer
from pi_controller.web.http.routes import COMMAND_PATH, LET_IN, PLACE, ROLES, Access, Route, get
from pi_controller.web.live.directing import DirectingView, NotesView

REFERENCE = "#/components/schemas/{name}"

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

ANSWERED: dict[str, object] = {
    "accepted": {"type": "boolean", "description": "On the disk; an effectless repeat is accepted, too."},
    "seq": {"type": "integer", "minimum": 0, "description": "The picture's `seq` after the command."},
    "reasons": {"type": "array", "items": {"type": "string"}, "description": "Empty when accepted."},
    "reason_keys": {
        "type": "array",
        "items": {"$ref": "#/components/schemas/SentenceView"},
        "description": "The same before they were put into words.",
    },
    "done": {
        "const": True,
        "description": "Only with 507: done and shown, but not on the disk.",
    },
    "error": {"type": "string", "description": "Only where the game was not asked at all."},
}
"""What is answered to a command; a part of it to a change."""
COMMAND_ANSWER: dict[str, object] = {
    "type": "object",
    "required": ["accepted", "seq", "reasons"],
    "properties": ANSWERED,
}
CHANGE_ANSWER: dict[str, object] = {
    "type": "object",
    "required": ["accepted", "reasons"],
    "properties": {name: ANSWERED[name] for name in ("accepted", "reasons", "reason_keys")},
}


OWN_SCHEMAS: dict[str, object] = {
    "command_answer": COMMAND_ANSWER,
    "error": {
        "type": "object",
        "required": ["error", "reason_keys"],
        "properties": {"error": {"type": "string"}, "reason_keys": ANSWERED["reason_keys"]},
    },
    "games": {
        "type": "object",
        "required": ["games"],
        "properties": {"games": {"type": "array", "items": {"type": "object"}}},
    },
    "session": {
        "type": "object",
        "required": ["director", "role", "name", "ends_in_s", "pin", "hall", "software"],
        "properties": {
            "director": {"type": "boolean", "description": "Whether the role is that of the director."},
            "role": {"enum": [*ROLES, None], "description": "Of the one who asks; null without a log-in."},
            "name": {"type": "string", "description": "Of the one who asks; may be empty."},
            "ends_in_s": {
                "anyOf": [{"type": "integer"}, {"type": "null"}],
                "description": "Seconds; null: no end of its own.",
            },
            "number": {"type": "integer", "description": "Of the person, as in sources; 0 without a name."},
            "pin": {"type": "boolean", "description": "Whether there is a PIN to log in with."},
            "hall": {"type": "string", "description": "The hall's name; may be empty."},
            "software": {"$ref": REFERENCE.format(name="Software")},
        },
    },
    "pin_body": {
        "type": "object",
        "required": ["pin"],
        "properties": {"pin": {"type": "string", "pattern": "^[0-9]{6}$"}},
    },
    "login_body": {
        "type": "object",
        "required": ["token"],
        "properties": {"token": {"type": "string", "description": "What stands in the link after `token=`."}},
    },
    "done": {"type": "object", "required": ["done"], "properties": {"done": {"const": True}}},
    "sim_body": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "contact": {"enum": list(get_args(ContactName)), "description": "the wire that break_wire cuts"},
            "lamp": {"enum": list(get_args(LampName)), "description": "of lamp_dead and lamp_mend"},
            "name": {"type": "string", "description": "of fact: what the simulated computer says"},
            "value": {"description": "of fact"},
        },
    },
    "sound_body": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "minutes": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": LONGEST_MUTE_MIN,
                "description": "of mute; without it until release",
            },
            "loudspeaker": {"enum": list(get_args(Loudspeaker)), "description": "of test"},
        },
    },
    "change_answer": CHANGE_ANSWER,
    "table_body": {
        "type": "object",
        "description": "The fields of `table` that belong to the action, without `do`.",
    },
    "sim_table_body": {
        "type": "object",
        "additionalProperties": False,
        "required": ["uid"],
        "properties": {
            "uid": {"type": "string", "pattern": UID_PATTERN},
            "side": {"enum": list(SIDES), "description": "of press, release and hold"},
            "value": {"type": "number", "minimum": 0, "description": "of hold: seconds; of loss: 0 to 1"},
        },
    },
    "join": {
        "type": "object",
        "required": ["wifi", "address", "claims"],
        "properties": {
            "claims": {
                "type": ["string", "null"],
                "description": "Of the page with which phones may claim; null: the same address.",
            },
            "wifi": {
                "type": ["string", "null"],
                "description": "Its name; null without one.",
            },
            "address": {"type": "string", "description": "Of the page for phones, to type."},
        },
    },
    "words": {
        "type": "object",
        "additionalProperties": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "description": "A text, or its plural forms: one, other; in Polish one, few, many.",
        },
    },
    "openapi": {"type": "object", "required": ["openapi", "info", "paths"]},
}


WEB_TYPES: dict[str, object] = {
    "login_link_body": LinkBody,
    "login_link": NewLinkView,
    "links": LinksView,
    "revoke_body": RevokeBody,
    "sheet_draft": DraftBody,
    "sheet_drafts": Drafts,
    "selftest": SelftestSnapshot,
    "selftest.begin": BeginBody,
    "selftest.answer": AnswerBody,
    "selftest.mend": FixBody,
    "selftest.reports": ReportsView,
    "directing": DirectingView,
    "take_over_body": TakeOverBody,
    "hand_over_body": HandOverBody,
    "screens": ScreensView,
    "screen_body": ScreenBody,
    "notes": NotesView,
    "note_body": NoteBody,
    "which_note_body": WhichNoteBody,
    "stick": StickView,
    "stick_body": StickBody,
    "copy_body": CopyDeed,
    "settle_body": SettleBody,
}


def web_schemas() -> tuple[dict[str, object], dict[str, object]]:
    """A schema by name for what the web side itself takes and says, and the components that they refer to."""
    found, components = msgspec.json.schema_components(WEB_TYPES.values(), ref_template=REFERENCE)
    return dict(zip(WEB_TYPES, found, strict=True)), components


class OpenApi:
    """The description of these routes and of its own, made once somebody asks for it."""

    def __init__(self, rows: tuple[Route, ...], cookie: str) -> None:
        """`cookie`: the name of the session cookie here."""
        self._rows = rows
        self._cookie = cookie
        self._document: dict[str, object] = {}

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/openapi.json",
                handler=self.document,
                access="public",
                summary="This description",
                answer_schema="openapi",
            ),
        )

    async def document(self, _request: web.Request) -> web.StreamResponse:
        if not self._document:
            self._document = openapi_document((*self._rows, *self.routes()), self._cookie)
        return json_answer(self._document)


def openapi_document(rows: tuple[Route, ...], cookie: str) -> dict[str, object]:
    """OpenAPI 3.1 for these routes; each command is a path of its own, with its own body. `cookie`: the name
    of the session cookie."""
    found, components = schemas(REFERENCE)
    ours, parts = web_schemas()
    paths: dict[str, dict[str, object]] = {}
    for row in rows:
        if row.path == COMMAND_PATH:
            for name in BODIES:
                paths[row.path.replace("{name}", name)] = {"post": _command(row, name)}
        else:
            paths.setdefault(row.pattern, {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {"title": "pi-controller", "version": f"{VERSION}.0", "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {
            "schemas": components | parts | found | ours | OWN_SCHEMAS,
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": cookie},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _operation(row: Route, name: str = "") -> dict[str, object]:
    access = row.access_as(name)
    operation: dict[str, object] = {
        "summary": row.summary,
        "security": FREE.get(access, LOGGED_IN),
        "responses": {str(status): _response(row, status) for status in row.answers},
    }
    if access != "public":
        operation["x-roles"] = [role for role in ROLES if role in LET_IN[access]]
    places = PLACE.findall(row.path)
    if places:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in places
        ]
    if row.body_schema:
        operation["requestBody"] = {
            "required": False,
            "content": {"application/json": {"schema": {"$ref": REFERENCE.format(name=row.body_schema)}}},
        }
    return operation


def _command(row: Route, name: str) -> dict[str, object]:
    return _operation(row, name) | {
        "operationId": name,
        "parameters": _headers(name),
        "requestBody": {
            "required": name == "set_schedule",
            "content": {"application/json": {"schema": {"$ref": REFERENCE.format(name=f"commands.{name}")}}},
        },
    }


def _headers(name: str) -> list[dict[str, object]]:
    counting = COUNTING[name]
    what = ", ".join(counting) or "no fields"
    described: tuple[tuple[str, str, dict[str, object]], ...] = (
        (
            "Idempotency-Key",
            "A repeat with the same key gets the first answer, also after a restart.",
            {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
        ),
        (
            "If-Seq",
            f"The picture's `seq` that the sender saw. Here {what} count: 409 when one has changed since.",
            {"type": "integer", "minimum": 0},
        ),
        (
            "If-Session",
            "The `session` of that picture: refused (409) when core has been started again since.",
            {"type": "string"},
        ),
    )
    headers: list[dict[str, object]] = [
        {"name": title, "in": "header", "required": False, "description": meaning, "schema": schema}
        for title, meaning, schema in described
    ]
    headers[1]["x-counting-fields"] = list(counting)
    return headers


def _response(row: Route, status: int) -> dict[str, object]:
    described: dict[str, object] = {"description": MEANINGS[status]}
    if row.path == COMMAND_PATH:
        content = {"application/json": {"schema": {"$ref": REFERENCE.format(name="command_answer")}}}
    elif status == 409:
        content = {"application/json": {"schema": {"$ref": REFERENCE.format(name="change_answer")}}}
    elif status >= 400:
        content = {"application/json": {"schema": {"$ref": REFERENCE.format(name="error")}}}
    elif status == 200 and row.answer_schema:
        content = {"application/json": {"schema": {"$ref": REFERENCE.format(name=row.answer_schema)}}}
    elif status == 200:
        content = {row.media_type: {}}
    else:
        return described
    return described | {"content": content}
