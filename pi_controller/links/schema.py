"""JSON schema of everything that halls publish, for the published description of the topics."""

import json

import msgspec

from pi_controller.links.payloads import PAYLOADS, ROOT
from pi_controller.protocol.schema import DIALECT, portable


def document() -> dict[str, object]:
    """One self-contained schema; a reader of `controller/HALL/NAME` takes `#/$defs/NAME`."""
    found, components = msgspec.json.schema_components(PAYLOADS.values(), ref_template="#/$defs/{name}")
    named = dict(zip(PAYLOADS, found, strict=True))
    return {
        "$schema": DIALECT,
        "title": f"pi-controller: what halls publish at {ROOT}/{{hall}}/{{name}}, version 1",
        "$defs": portable(named | components),
    }


def text() -> str:
    """The document as it stands in docs/mqtt.schema.json."""
    return json.dumps(document(), indent=2, sort_keys=True) + "\n"
