"""A short one of each flood that `make floods` makes long: core and web live within the memory of their units, and
nobody who may is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import program
from tests.patience import DEADLINE_S
from tests.system.programs import ROOT

SAMPLE = ("seats", "slow handshakes", "phones over TLS")
"""Of all: `make floods`."""
NO_NETWORK = "this user may not have a network of its own"


def test_core_lives_and_no_pause_is_refused(tmp_path: Path) -> None:
    own = [program("unshare"), "--map-root-user", "--net", "true"]
    if subprocess.run(own, check=False, capture_output=True).returncode != 0:
        pytest.skip(NO_NETWORK)
    kept = tmp_path / "floods.json"
    arguments = [
        "--seconds",
        "0.5",
        "--connections",
        "100",
        "--games",
        "1",
        "--json",
        str(kept),
        "--only",
        "none",
        *SAMPLE,
    ]
    made = subprocess.run(
        [sys.executable, "-m", "tests.soak.floods", *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"FLOODS_PATIENCE_S": str(DEADLINE_S)},
        timeout=4 * DEADLINE_S,
    )
    assert kept.exists(), made.stderr
    found = {each["name"]: each for each in json.loads(kept.read_text())}
    assert found.keys() == {"none", *SAMPLE}
    for name, each in found.items():
        assert (each["core_lives"], each["web_lives"]) == (True, True), made.stdout
        assert each["too_much"] == [], "core and web have what their units give them"
        assert each["frozen_ms"], f"{name}: nobody pressed"
        assert each["pause_ms"], f"{name}: nobody paused"
        refused = (each["pauses_refused"], each["control_refused"], each["guests_refused"])
        assert refused == ([], [], []), made.stdout
        assert all(each["guests_ms"].values()), f"{name}: no screen or seat came again"
        assert name == "none" or each["flood"]["connected"] > 0
