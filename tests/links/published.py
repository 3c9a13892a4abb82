"""What halls publish, before the published schema. Fields that it does not name are wrong here: readers leave
them out, but what we publish is to be described."""

import json
from pathlib import Path
from typing import Any

from tests.web.json_schema import problems

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = DOCS / "mqtt.schema.json"
RETAINED = {"picture", "health", "status"}


def closed(schema: Any) -> Any:
    """The same without room for further fields."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ends = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return {key: closed(value) for key, value in schema.items()} | ends


DOCUMENT = closed(json.loads(SCHEMA.read_text(encoding="utf-8")))


def wrong(topic: str, payload: bytes, *, retain: bool | None = None) -> list[str]:
    """What is wrong with a message; `retain` where that is known."""
    root, hall, name = [*topic.split("/"), "", "", ""][:3]
    if root != "controller" or not hall or name not in DOCUMENT["$defs"]:
        return [f"{topic}: no topic of ours"]
    found = problems(json.loads(payload), {"$ref": f"#/$defs/{name}"}, DOCUMENT, topic)
    if retain is not None and retain != (name in RETAINED):
        found.append(f"{topic}: retained is {retain}")
    return found
