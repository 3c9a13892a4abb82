"""The golden vectors and the node's side of the wire, under this Python."""

import json

from tests.bus import vectors
from tests.firmware.wire_check import differences


def test_the_node_agrees_with_the_golden_vectors() -> None:
    found, compared = differences(json.loads(vectors.FILE.read_text(encoding="ascii")))
    assert found == []
    assert compared > 300
