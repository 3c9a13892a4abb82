import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pi_controller.game.rule_sets import SeatId
from pi_controller.protocol import schema
from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.picture import Picture
from tests.protocol.pictures import claim, picture

PUBLISHED = Path(__file__).parents[2] / "docs" / "api.schema.json"


def test_the_published_schema_is_current() -> None:
    assert PUBLISHED.read_text() == schema.text(), (
        "run `python -m pi_controller.protocol.schema > docs/api.schema.json`"
    )


def test_picture_beat_and_every_command_are_in_it() -> None:
    found = json.loads(schema.text())["$defs"]
    assert {"picture", "beat", *(f"commands.{name}" for name in BODIES)} <= set(found)
    assert found["EndBody"]["properties"]["confirm"]["const"] is True
    assert found["ClaimBody"]["properties"]["side"]["anyOf"][0]["enum"] == sorted(get_args(SeatId))


def test_every_reference_leads_somewhere() -> None:
    document = json.loads(schema.text())

    def references(node: object) -> list[str]:
        if isinstance(node, dict):
            own = [node["$ref"]] if "$ref" in node else []
            return own + [found for value in node.values() for found in references(value)]
        return [found for value in node for found in references(value)] if isinstance(node, list) else []

    assert {found.removeprefix("#/$defs/") for found in references(document)} <= set(document["$defs"])


def test_components_can_be_placed_in_another_document() -> None:
    found, components = schema.schemas("#/components/schemas/{name}")
    assert found["commands.add_time"] == {"$ref": "#/components/schemas/AddTimeBody"}
    assert found["commands.set_schedule"]["items"] == {"$ref": "#/components/schemas/StepBody"}
    assert components["Picture"]["required"] == list(Picture.__struct_fields__)


@pytest.mark.parametrize(
    "changes",
    [{"phase": "lunch"}, {"dice": [3, 7]}, {"version": 2}, {"seed": 5}, {"claims": [claim(status="lost")]}],
)
def test_a_picture_that_differs_does_not_fit(changes: dict[str, object]) -> None:
    msgspec.convert(picture(claims=[claim()]), Picture, strict=True)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(picture(**changes), Picture, strict=True)
