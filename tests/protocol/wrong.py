"""Requests with a field left out, of a wrong type or of an odd value: one for each field of each schema."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.messages import REQUESTS
from pi_controller.protocol.probes import PROBES
from pi_controller.protocol.tables import FIELDS, TableActionName

Json = dict[str, Any]

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**53 - 1, 1 - 2**53, 1.5, 1e300, "", "x", "\u0000", "../../x", [], [None], {}, {"do": None},
    {"do": "x"}, [[]], "y" * 4000,
)  # fmt: skip


def wrong_requests() -> Iterator[Json]:
    """Some are right by chance; all of them are JSON."""
    for ask, kind in REQUESTS.items():
        for fields in _odd_fields(kind):
            yield {"version": 1, "id": 7, "ask": ask, **fields}
    for do, probe in PROBES.items():
        for fields in _odd_fields(probe):
            yield {"version": 1, "id": 7, "ask": "probe", "lease": "x", "probe": {"do": do, **fields}}
    for action in get_args(TableActionName):
        for fields in _odd(FIELDS):
            yield {"version": 1, "id": 7, "ask": "table", "deed": {"do": action, **fields}}
    for name, body in BODIES.items():
        bodies = _odd_fields(body) if isinstance(body, type) and issubclass(body, msgspec.Struct) else ()
        for value in (*bodies, *ODD):
            yield {"version": 1, "id": 7, "ask": "command", "name": name, "body": value}


def _odd_fields(kind: type[msgspec.Struct]) -> Iterator[Json]:
    names = (field.encode_name for field in msgspec.structs.fields(kind))
    yield from _odd(tuple(name for name in names if name not in {"version", "id"}))


def _odd(names: tuple[str, ...]) -> Iterator[Json]:
    yield {}
    yield {"further": 1}
    for name in names:
        for value in ODD:
            yield {name: value}
            yield dict.fromkeys(names, "x") | {name: value}
