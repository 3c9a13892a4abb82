"""Core, pages and command line of one installation tell the same software."""

import json
import urllib.request
from pathlib import Path
from typing import Any

from pi_controller import __version__
from pi_controller.software import own
from tests.system.programs import cli, client_of, program, wait_until


def test_all_programs_tell_the_same_software(tmp_path: Path) -> None:
    state_dir = f"--state-dir={tmp_path}"
    version = cli("--version").stdout.split()
    assert version == ["pi-controller", __version__, own().source]
    software = {"version": version[1], "source": version[2]}
    with program("run", state_dir, "--hardware=sim", "--port=0") as hall:
        client_of(tmp_path)
        address = hall.said.wait_for("hall ").split()[1]

        def of_core() -> Any:
            return json.loads(cli("status", "--json", state_dir).stdout)["software"]

        def of_the_pages() -> Any:
            with urllib.request.urlopen(f"{address}api/session") as answer:  # noqa: S310
                return json.load(answer)["software"]

        for told in (of_core, of_the_pages):
            assert told()["version"] == __version__
            wait_until(lambda told=told: told()["source"])
            assert told() == software
        assert software["source"] in cli("status", state_dir).stdout.splitlines()[-1]
