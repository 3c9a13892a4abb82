"""JSON schemas of room picture, tables, roster, all command bodies and the probes of the hardware, for the
published API; run it to print them."""

import json
import re
import sys
from typing import Any

import msgspec

from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.game_report import GameReport
from pi_controller.protocol.messages import ActionsView
from pi_controller.protocol.picture import Beat, Picture
from pi_controller.protocol.probes import PROBES, RESULTS, TestNews
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas(ref_template: str) -> tuple[dict[str, object], dict[str, object]]:
    """A schema by name (`picture`, `beat`, `actions`, `tables`, `roster`, `table`, `commands.NAME`,
    `probes.NAME` with `results.NAME`, `test`), and the components that they refer to.

    `ref_template` places the components, e.g. `#/components/schemas/{name}` in an OpenAPI document.
    """
    types: dict[str, object] = {
        "picture": Picture,
        "beat": Beat,
        "actions": ActionsView,
        "tables": TablesSnapshot,
        "roster": Roster,
        "table": TableAction,
        "report": GameReport,
    }
    types |= {f"commands.{name}": body for name, body in BODIES.items()}
    types |= {f"probes.{name}": probe for name, probe in PROBES.items()}
    types |= {f"results.{name}": RESULTS[probe] for name, probe in PROBES.items()} | {"test": TestNews}
    found, components = msgspec.json.schema_components(types.values(), ref_template=ref_template)
    return portable(dict(zip(types, found, strict=True))), portable(components)


def portable(schema: Any) -> Any:
    """The same with descriptions on one line, since Python versions differ in a docstring's indentation, and
    with patterns as ECMAScript writes them (JSON Schema 2020-12, 6.4)."""
    if isinstance(schema, list):
        return [portable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: portable(value) for key, value in schema.items()}
    if isinstance(said := found.get("description"), str):
        found["description"] = " ".join(said.split())
    if isinstance(pattern := found.get("pattern"), str):
        found["pattern"] = re.sub(r"\\Z$", "$", pattern)
    return found


def document() -> dict[str, object]:
    """One self-contained schema; a reader takes `#/$defs/picture` or `#/$defs/commands.NAME`."""
    found, components = schemas("#/$defs/{name}")
    return {
        "$schema": DIALECT,
        "title": "pi-controller: room picture, tables and commands, version 1",
        "$defs": found | components,
        "$ref": "#/$defs/picture",
    }


def text() -> str:
    """The document as it stands in docs/api.schema.json."""
    return json.dumps(document(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
